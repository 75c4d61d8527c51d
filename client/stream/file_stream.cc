// Tested by tests/client/file_stream_test.cc.
#include "client/stream/file_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/session/call.h"
#include "client/stream/window_plan.h"

namespace nfs {

namespace {

// A READ without data and without eof is asked again so often.
constexpr int kMostStandsStill = 3;

// A READ reply's header, from its record mark to its data, with attributes and an
// empty verifier. Large payloads are received to where they belong behind exactly so
// many bytes; small ones are picked up many at a time (rpc/record_reader.h).
constexpr size_t kReadHeaderBytes = 132;
constexpr uint32_t kLargePayload = 256 * 1024;
constexpr size_t kManyReplies = 256 * 1024;

uint64_t EndOf(const Range& range) {
  const uint64_t most = UINT64_MAX - range.offset;
  return range.offset + std::min(range.length, most);
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileStream>> FileStream::Make(Session& session, const Range& range,
                                                             uint32_t lent_chunks) {
  const WindowPlan plan = PlanWindow(session.options(), session.rsize(), lent_chunks);
  Window::Options options;
  options.begin = range.offset;
  options.end = EndOf(range);
  options.size_hint = session.file().attributes.size;
  options.chunk_bytes = plan.chunk_bytes;
  options.window_chunks = plan.window_chunks;
  options.lent_chunks = plan.lent_chunks;
  auto arena = Arena::Make(size_t{Window::ChunkCount(options)} * options.chunk_bytes);
  if (!arena.ok()) return arena.status();
  return std::unique_ptr<FileStream>(new FileStream(session, options, *std::move(arena)));
}

FileStream::FileStream(Session& session, const Window::Options& options, Arena arena)
    : session_(session),
      options_(options),
      arena_(std::move(arena)),
      window_(options, arena_.memory()),
      asks_(Window::ChunkCount(options)) {
  const bool large = options.chunk_bytes >= kLargePayload;
  session_.connection().set_receive_ahead(large ? kReadHeaderBytes : kManyReplies);
}

FileStream::~FileStream() {
  // Replies that are still to come would be received into the arena.
  if (window_.in_flight() != 0) session_.CloseConnection();
}

void FileStream::Turn(bool consumer_waits, absl::Time until) {
  if (status_.ok()) FillSlots(consumer_waits);
  session_.pump().Turn(until);
  TakeReplies();
  if (status_.ok() && AtEnd()) CheckEnd();
}

std::optional<std::span<const std::byte>> FileStream::Lend() {
  const std::optional<std::span<const std::byte>> bytes = window_.Lend();
  if (bytes.has_value() && AtEnd()) CheckEnd();
  return bytes;
}

void FileStream::FillSlots(bool consumer_waits) {
  Connection& connection = session_.connection();
  while (connection.CanCall()) {
    const std::optional<Window::Ask> ask = window_.NextAsk(consumer_waits);
    if (!ask.has_value()) return;
    asks_[ask->chunk] = *ask;
    rpc::Request request;
    request.procedure = nfs3::kRead;
    request.tag = ask->chunk;
    request.locate = nfs3::LocateReadData;
    request.payload = ask->memory;
    connection.Call(request, nfs3::Read3Args{session_.file().handle, ask->offset,
                                             static_cast<uint32_t>(ask->memory.size())});
  }
}

void FileStream::TakeReplies() {
  Connection& connection = session_.connection();
  while (std::optional<rpc::Reply> reply = connection.NextReply()) OnReply(*reply);
  if (!connection.status().ok()) Fail(connection.status());
}

void FileStream::OnReply(const rpc::Reply& reply) {
  nfs3::Read3Head head;
  absl::Status status = reply.status;
  if (status.ok()) status = DecodeResult(reply.results, head);
  if (!status.ok()) return Fail(status);
  const auto chunk = static_cast<ChunkId>(reply.tag);
  if (head.status != nfs3::Status::kOk) return OnReadError(chunk, head.status);
  if (head.file_attributes.has_value()) window_.RaiseSizeHint(head.file_attributes->size);
  // What is asked for, what the server says it sent and what it did send can differ.
  const uint32_t count = static_cast<uint32_t>(std::min<size_t>(head.count, reply.payload_bytes));
  OnRead(chunk, head, count);
}

void FileStream::OnRead(ChunkId chunk, const nfs3::Read3Head& head, uint32_t count) {
  const Window::Ask& ask = asks_[chunk];
  const bool full = count == ask.memory.size();
  if (count != 0) ++counters_.reads;
  if (count != 0 && !full && !head.eof) ++counters_.short_reads;
  bool eof = head.eof && count == head.count;
  if (count == 0 && !eof && StandsStill(ask, head)) eof = true;
  if (count != 0) stands_still_ = 0;
  window_.OnAnswer(chunk, count, eof);
}

// Neither data nor eof: at the end of the file as its attributes tell it that is eof;
// before, it is asked again, but not for ever.
bool FileStream::StandsStill(const Window::Ask& ask, const nfs3::Read3Head& head) {
  if (head.file_attributes.has_value() && head.file_attributes->size <= ask.offset) return true;
  if (++stands_still_ < kMostStandsStill) return false;
  Fail(absl::DataLossError(absl::StrCat("neither data nor end of file at byte ", ask.offset)));
  return false;
}

void FileStream::OnReadError(ChunkId chunk, nfs3::Status status) {
  const Window::Ask& ask = asks_[chunk];
  // Some servers refuse to read where the file ends instead of saying eof.
  if (status == nfs3::Status::kInval && ask.offset >= session_.file().attributes.size) {
    return window_.OnAnswer(chunk, 0, /*eof=*/true);
  }
  Fail(NfsError("READ", status));
}

void FileStream::CheckEnd() {
  const uint64_t size = session_.file().attributes.size;
  const std::optional<uint64_t> eof = window_.eof();
  if (!eof.has_value() || *eof >= std::min(size, options_.end)) return;
  Fail(FileChangedError(absl::StrCat("the file ended at byte ", *eof, ", and had ", size,
                                     " bytes when it was opened")));
}

void FileStream::Fail(const absl::Status& status) {
  if (status_.ok()) status_ = InContext(nfs3::kRead, status, session_.connection());
}

}  // namespace nfs
