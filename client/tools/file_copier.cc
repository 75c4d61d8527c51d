// Tested by tests/client/nfscat_output_test.cc.
#include "client/tools/file_copier.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

// Of small READs several are collected as long as a write is under way, since a write
// costs a thread of the kernel its wake-up.
constexpr size_t kWorthAWrite = 256 * 1024;

}  // namespace

FileCopier::FileCopier(Session& session, FileStream& stream, Output& output, const OutputFile& file,
                       Progress& progress)
    : session_(session),
      pump_(session.pump()),
      stream_(stream),
      output_(output),
      file_(file),
      progress_(progress),
      stream_begin_(stream.position()),
      whole_(file.begin()) {
  for (io::WriteTag tag = io::kMostWritesAt; tag-- != 0;) free_.push_back(tag);
}

absl::Status FileCopier::Run(const KillSignals& signals) {
  while (!Done()) {
    if (signals.any() && failed_.ok()) failed_ = absl::CancelledError("a signal");
    if (Done()) break;
    StartWrites();
    if (Done()) break;
    stream_.Turn(/*consumer_waits=*/writes_under_way() == 0, progress_.NextUpdate());
    TakeWritten();
    progress_.Update(whole_.end() - file_.begin(), pump_.now());
  }
  return Finish();
}

// What came before an error is still written; a failed output takes nothing more.
bool FileCopier::Done() const {
  if (writes_under_way() != 0) return false;
  if (!failed_.ok()) return true;
  return !ready_ && (stream_.AtEnd() || !stream_.status().ok());
}

void FileCopier::StartWrites() {
  while (failed_.ok() && !free_.empty()) {
    const auto piece = stream_.LendAny(writes_under_way() == 0 ? 1 : kWorthAWrite);
    ready_ = piece.has_value();
    if (!ready_) return;
    const io::WriteTag tag = free_.back();
    free_.pop_back();
    const uint64_t offset = file_.begin() + (piece->offset - stream_begin_);
    writes_[tag] = {piece->chunk, offset, piece->bytes};
    file_.WillWriteTo(offset + piece->bytes.size());
    StartWrite(tag);
  }
}

void FileCopier::StartWrite(io::WriteTag tag) {
  const Write& write = writes_[tag];
  pump_.transport().StartWriteAt(file_.fd(), write.left, write.offset, tag);
}

void FileCopier::TakeWritten() {
  while (const std::optional<io::Event> event = pump_.TakeWrittenAt()) OnWritten(*event);
}

void FileCopier::OnWritten(const io::Event& event) {
  Write& write = writes_[event.tag];
  if (!event.status.ok() && failed_.ok()) failed_ = event.status;
  if (event.status.ok()) {
    whole_.Add(write.offset, write.offset + event.bytes);
    write.offset += event.bytes;
    write.left = write.left.subspan(event.bytes);
  }
  if (failed_.ok() && !write.left.empty()) return StartWrite(event.tag);
  free_.push_back(event.tag);
  stream_.ReleaseAny(write.chunk);
}

absl::Status FileCopier::Finish() {
  file_.Finish(whole_.end());
  const std::string whole = absl::StrCat("its first ", whole_.end(), " bytes are whole");
  if (!failed_.ok()) {
    output_.Fail(absl::Status(failed_.code(), absl::StrCat(failed_.message(), "; ", whole)));
    return output_.status();
  }
  if (!stream_.status().ok() && session_.options().note != nullptr) {
    session_.options().note(absl::StrCat(output_.name(), ": ", whole));
  }
  return stream_.status();
}

}  // namespace nfs
