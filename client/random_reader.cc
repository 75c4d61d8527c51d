// Tested by tests/client/random_reader_test.cc.
#include "client/random_reader.h"

#include <cassert>
#include <utility>

#include "client/session/session.h"
#include "client/stream/read_queue.h"
#include "client/target.h"

namespace nfs {

class RandomReader::File {
 public:
  explicit File(std::unique_ptr<Session> opened)
      : session(std::move(opened)), queue(*session, kMostPieces) {}

  std::unique_ptr<Session> session;
  ReadQueue queue;
};

absl::StatusOr<std::unique_ptr<RandomReader>> RandomReader::Open(absl::string_view text,
                                                                 const Options& options) {
  const absl::StatusOr<Target> target = ParseTarget(text);
  if (!target.ok()) return target.status();
  Options final_options = options;
  const absl::Status status = ApplyTarget(*target, final_options);
  if (!status.ok()) return status;
  auto session = Session::Open(*target, final_options);
  if (!session.ok()) return session.status();
  return std::unique_ptr<RandomReader>(
      new RandomReader(std::make_unique<File>(*std::move(session))));
}

RandomReader::RandomReader(std::unique_ptr<File> file) : file_(std::move(file)) {}

RandomReader::~RandomReader() = default;

bool RandomReader::CanStart() const { return file_->queue.CanStart(); }

void RandomReader::Start(uint64_t offset, std::span<std::byte> to, uint64_t tag) {
  file_->queue.Start(offset, to, tag);
}

void RandomReader::Flush() { file_->queue.Flush(); }

std::optional<RandomReader::Done> RandomReader::Next() {
  std::optional<ReadQueue::Done> done = file_->queue.Next();
  if (!done.has_value()) return std::nullopt;
  return Done{done->tag, done->bytes, std::move(done->status)};
}

absl::StatusOr<size_t> RandomReader::ReadAt(uint64_t offset, std::span<std::byte> to) {
  assert(file_->queue.under_way() == 0);
  Start(offset, to, 0);
  const std::optional<Done> done = Next();
  if (!done->status.ok()) return done->status;
  return done->bytes;
}

uint64_t RandomReader::size() const { return file_->session->file().attributes.size; }

}  // namespace nfs
