// Tested by tests/client/nfscat_test.cc.
#include "client/tools/copy.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "client/stream/file_stream.h"
#include "client/tools/cpu_time.h"
#include "client/tools/diverter.h"
#include "client/tools/file_copier.h"
#include "client/tools/kill_signals.h"
#include "client/tools/output_file.h"
#include "client/tools/progress.h"

namespace nfs {

namespace {

// The piece being written: of small READs it has many.
constexpr uint64_t kLentBytes = 1 << 20;

// One copy in order: stream and output over the session's pump.
class Copier {
 public:
  Copier(Session& session, FileStream& stream, Output& output, Progress& progress)
      : pump_(session.pump()),
        stream_(stream),
        output_(output),
        progress_(progress),
        diverter_(pump_.transport(), stream, output, session.options()) {}

  absl::Status Run(uint64_t begin, const std::optional<KillSignals>& signals) {
    while (!Done() && !(signals.has_value() && signals->any())) {
      FeedOutput();
      if (Done()) break;
      diverter_.Decide(pump_.now());
      stream_.Turn(/*consumer_waits=*/!output_.busy(),
                   std::min(progress_.NextUpdate(), diverter_.NextDecision()));
      TakeWritten();
      progress_.Update(stream_.position() - begin, pump_.now());
    }
    return output_.status().ok() ? stream_.status() : output_.status();
  }

 private:
  // What came before an error is still written; a failed output takes nothing more.
  bool Done() const {
    if (output_.busy()) return false;
    if (!output_.status().ok()) return true;
    return !ready_ && (stream_.AtEnd() || !stream_.status().ok());
  }

  void FeedOutput() {
    if (output_.busy() || !output_.status().ok()) return;
    const std::optional<std::span<const std::byte>> bytes = stream_.Lend();
    ready_ = bytes.has_value();
    if (!ready_) return;
    is_lent_ = true;
    diverter_.OnStarted(pump_.now());
    output_.Start(pump_.transport(), *bytes);
  }

  void TakeWritten() {
    const std::optional<io::Event> written = pump_.TakeWritten();
    if (!written.has_value()) return;
    diverter_.OnMoved(pump_.now());
    output_.OnWritten(pump_.transport(), *written);
    if (!output_.busy() && std::exchange(is_lent_, false)) stream_.Release();
  }

  Pump& pump_;
  FileStream& stream_;
  Output& output_;
  Progress& progress_;
  Diverter diverter_;
  bool is_lent_ = false;  // what the output is busy with
  bool ready_ = true;     // whether the stream may have more to lend as it stands
};

absl::Status CopyStream(Session& session, FileStream& stream, const std::optional<OutputFile>& file,
                        const std::optional<KillSignals>& signals, Progress& progress,
                        Output& output) {
  if (file.has_value()) {
    return FileCopier(session, stream, output, *file, progress).Run(*signals);
  }
  return Copier(session, stream, output, progress).Run(stream.position(), signals);
}

}  // namespace

absl::Status CopyFrom(Session& session, const Range& range, const CopyWishes& wishes,
                      Output& output) {
  const uint64_t to_come = range.BytesOf(session.file().attributes.size);
  const auto file = OutputFile::Find(session.pump().transport(), output.fd(), to_come);
  const uint64_t lent_bytes = file.has_value() ? FileCopier::kLentBytes : kLentBytes;
  auto stream = FileStream::Make(session, range, lent_bytes);
  if (!stream.ok()) return stream.status();
  // A file that is left as it is in the middle has holes; and somebody may want to know.
  std::optional<KillSignals> signals;
  if (file.has_value() || wishes.report) signals.emplace(session.pump());
  const absl::Duration cpu = CpuTime();
  absl::Status status;
  {
    Progress progress(wishes.show_progress, to_come, session.pump().now());
    status = CopyStream(session, **stream, file, signals, progress, output);
  }
  if (wishes.report) {
    StreamFacts facts = (*stream)->facts();
    facts.cpu = CpuTime() - cpu;
    wishes.report(facts);
  }
  return status;
}

absl::Status Copy(const Target& target, const Options& options, const Range& range,
                  const CopyWishes& wishes, Output& output) {
  auto session = Session::Open(target, options);
  if (!session.ok()) return session.status();
  return CopyFrom(**session, range, wishes, output);
}

}  // namespace nfs
