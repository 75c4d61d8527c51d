// Tested by tests/client/diversion_test.cc and tests/client/nfscat_pipe_test.cc.
#include "client/tools/diverter.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

// Smaller ones cost more system calls than the copy is worth.
constexpr size_t kWorthDiverting = 64 * 1024;

// A reply that waits must not make the server look silent.
absl::Duration LongestWait(const Options& options) { return options.timeout / 4; }

}  // namespace

Diverter::Diverter(io::Transport& transport, FileStream& stream, Output& output,
                   const Options& options)
    : transport_(transport),
      stream_(stream),
      output_(output),
      options_(options),
      pace_(LongestWait(options)),
      begin_(stream.position()) {
  can_splice_ = transport.CanSplice(output.fd()).ok();
  if (!can_splice_) return;
  output.Enlarge();
  stream.DivertFrom(kWorthDiverting);
}

Diverter::~Diverter() {
  if (!can_splice_) return;
  Note(absl::StrCat("spliced ", stream_.diverted_bytes(), " of ", stream_.position() - begin_,
                    " bytes to the pipe"));
}

void Diverter::Note(const std::string& text) const {
  if (options_.note != nullptr) options_.note(text);
}

void Diverter::Decide(absl::Time now) {
  const FileStream::Arrival arrival = stream_.arrival();
  if (arrival == FileStream::Arrival::kNone) {
    waits_ = false;
    return;
  }
  if (!waits_) pace_.OnArrival(now);
  waits_ = true;
  if (arrival == FileStream::Arrival::kNext && !output_.busy()) return GoOn(now);
  if (!pace_.MayWait(now)) Keep(now);
}

void Diverter::GoOn(absl::Time now) {
  if (!can_splice_) return Keep(now);
  if (stream_.is_diverting()) return;  // and waits for the server
  switch (stream_.pipe()) {
    case io::OutputState::kTakes: return stream_.Divert(output_.fd());
    case io::OutputState::kFull: return AwaitRoom(now);
    case io::OutputState::kRefuses: return OnRefused(now);
  }
}

void Diverter::AwaitRoom(absl::Time now) {
  pace_.OnStarted(now);
  if (!pace_.MayWait(now)) return Keep(now);
  output_.AwaitRoom(transport_);
}

void Diverter::Keep(absl::Time now) {
  pace_.OnGivenUp(now);
  waits_ = false;
  stream_.KeepArrival();
}

// Nobody reads the pipe any more, or there is no splice here: then that is so for good.
void Diverter::OnRefused(absl::Time now) {
  const absl::Status status = transport_.CanSplice(output_.fd());
  can_splice_ = status.ok();
  if (!can_splice_) {
    stream_.DivertFrom(FileStream::kNever);
    Note(absl::StrCat("copying to the pipe: ", status.message()));
  }
  Keep(now);
}

absl::Time Diverter::NextDecision() const {
  return waits_ && output_.busy() ? pace_.GivesUpAt() : absl::InfiniteFuture();
}

}  // namespace nfs
