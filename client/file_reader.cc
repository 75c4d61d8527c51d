// Tested by tests/client/file_reader_test.cc.
#include "client/file_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/reader_worker.h"
#include "client/target.h"

namespace nfs {

absl::StatusOr<std::unique_ptr<FileReader>> FileReader::Open(absl::string_view text,
                                                             const Options& options,
                                                             const Range& range) {
  const absl::StatusOr<Target> target = ParseTarget(text);
  if (!target.ok()) return target.status();
  Options final_options = options;
  absl::Status status = ApplyTarget(*target, final_options);
  if (!status.ok()) return status;
  auto worker = std::make_unique<Worker>(*target, final_options, range);
  status = worker->WaitUntilOpen();
  if (!status.ok()) return status;
  return std::unique_ptr<FileReader>(new FileReader(std::move(worker)));
}

FileReader::FileReader(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}

FileReader::~FileReader() = default;

absl::StatusOr<std::span<const std::byte>> FileReader::Next() {
  if (left_.empty()) worker_->GiveBack(std::exchange(held_bytes_, 0));
  if (left_.empty()) {
    absl::StatusOr<std::span<const std::byte>> bytes = worker_->Take();
    if (!bytes.ok()) return bytes;
    left_ = *bytes;
    held_bytes_ = left_.size();
  }
  return std::exchange(left_, {});
}

absl::StatusOr<size_t> FileReader::Read(std::span<std::byte> to) {
  size_t copied = 0;
  while (copied < to.size()) {
    const absl::StatusOr<std::span<const std::byte>> bytes = Next();
    // What came before an error is data; the error comes with the next call.
    if (!bytes.ok() && copied == 0) return bytes.status();
    if (!bytes.ok() || bytes->empty()) break;
    const size_t size = std::min(bytes->size(), to.size() - copied);
    std::memcpy(to.data() + copied, bytes->data(), size);
    copied += size;
    left_ = bytes->subspan(size);
  }
  return copied;
}

uint64_t FileReader::size() const { return worker_->size(); }

void FileReader::Close() {
  left_ = {};
  held_bytes_ = 0;
  worker_->Stop();
}

}  // namespace nfs
