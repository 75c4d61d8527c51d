// Tested by tests/client/file_stream_test.cc and tests/client/stream_survival_test.cc.
#include "client/stream/file_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/connection/call.h"
#include "client/errors.h"
#include "client/stream/window_plan.h"

namespace nfs {

namespace {

using Until = ReadRetries::Until;

// A new handle that turns out stale at once may be taken for so long.
constexpr int kMostStaleInARow = 3;

// The tag of a GETATTR; those of READs are their chunks.
constexpr uint64_t kGetattrTag = UINT64_MAX;

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
                                                             uint64_t lent_bytes) {
  const WindowPlan plan = PlanWindow(session.options(), session.rsize(), lent_bytes);
  Window::Options options;
  options.begin = range.offset;
  options.end = EndOf(range);
  options.size_hint = session.file().attributes.size;
  options.chunk_bytes = plan.chunk_bytes;
  options.window_chunks = plan.window_chunks;
  options.lent_chunks = plan.lent_chunks;
  auto arena = Arena::Make(size_t{Window::ChunkCount(options)} * options.chunk_bytes);
  if (!arena.ok()) return arena.status();
  session.trunk().Widen(PlanConnections(session.options(), plan, options.size_hint, range));
  return std::unique_ptr<FileStream>(new FileStream(session, options, *std::move(arena)));
}

FileStream::FileStream(Session& session, const Window::Options& options, Arena arena)
    : session_(session),
      arena_(std::move(arena)),
      window_(options, arena_.memory()),
      version_(session.file().attributes),
      retries_(Window::ChunkCount(options), Patience(session.options())),
      asks_(Window::ChunkCount(options)),
      claims_eof_(Window::ChunkCount(options)) {
  const bool large = options.chunk_bytes >= kLargePayload;
  session_.trunk().set_receive_ahead(large ? kReadHeaderBytes : kManyReplies);
}

// Replies that are still to come would be received into the arena.
FileStream::~FileStream() { session_.trunk().AbandonCalls(); }

void FileStream::Turn(bool consumer_waits, absl::Time until) {
  if (status_.ok()) FillSlots(consumer_waits);
  // What is overdue waits for a slot or a handle, and not for a time.
  const absl::Time due = retries_.NextDue();
  session_.trunk().Turn(due > session_.pump().now() ? std::min(until, due) : until);
  TakeReplies();
  const bool is_quiet = session_.trunk().calls_in_flight() == 0;
  if (status_.ok() && is_stale_ && is_quiet) FindFileAgain();
}

// --- Asking --------------------------------------------------------------------

void FileStream::FillSlots(bool consumer_waits) {
  Trunk& trunk = session_.trunk();
  if (is_stale_) return;
  if (trunk.CanCall() && WantsAttributes()) SendGetattr();
  while (trunk.CanCall()) {
    const std::optional<ChunkId> chunk = NextChunk(consumer_waits);
    if (!chunk.has_value()) return;
    SendRead(*chunk);
  }
}

std::optional<ChunkId> FileStream::NextChunk(bool consumer_waits) {
  if (const auto due = retries_.TakeDue(session_.pump().now())) return due;
  const std::optional<Window::Ask> ask = window_.NextAsk(consumer_waits);
  if (!ask.has_value()) return std::nullopt;
  asks_[ask->chunk] = *ask;
  return ask->chunk;
}

void FileStream::SendRead(ChunkId chunk) {
  const Window::Ask& ask = asks_[chunk];
  rpc::Request request;
  request.procedure = nfs3::kRead;
  request.tag = chunk;
  request.locate = nfs3::LocateReadData;
  request.payload = ask.memory;
  request.may_divert = ask.memory.size() >= divert_from_ && session_.trunk().is_single();
  session_.trunk().Call(request, nfs3::Read3Args{session_.file().handle, ask.offset,
                                                 static_cast<uint32_t>(ask.memory.size())});
}

bool FileStream::WantsAttributes() const {
  if (getattr_in_flight_) return false;
  return retries_.Has(Until::kAttributes) || (window_.AtEnd() && NeedsLastLook());
}

void FileStream::SendGetattr() {
  getattr_in_flight_ = true;
  session_.trunk().Call({.procedure = nfs3::kGetattr, .tag = kGetattrTag},
                        nfs3::Getattr3Args{session_.file().handle});
}

// --- Answers -------------------------------------------------------------------

void FileStream::TakeReplies() {
  Trunk& trunk = session_.trunk();
  TakeDiverted();
  while (std::optional<rpc::Reply> reply = trunk.NextReply()) OnReply(*reply);
  while (const std::optional<uint64_t> tag = trunk.NextOrphan()) OnOrphan(*tag);
  if (!trunk.status().ok()) Fail(trunk.status());
  arrival();  // what need not wait for its owner does not
}

// To read twice is no harm: asked again, as a new call.
void FileStream::OnOrphan(uint64_t tag) {
  if (tag == kGetattrTag) {
    getattr_in_flight_ = false;
  } else {
    retries_.Park(static_cast<ChunkId>(tag), Until::kTime);
  }
}

void FileStream::OnReply(const rpc::Reply& reply) {
  if (reply.tag == kGetattrTag) return OnGetattrReply(reply);
  const auto chunk = static_cast<ChunkId>(reply.tag);
  // RFC 5531, section 9: a server may lose what it knows of credentials, and then wants
  // new ones, if only in their stamp; for all the READs that it had by then.
  if (!reply.wants_new_credentials || !retries_.ParkForCredentials(chunk)) {
    return OnReadReply(chunk, reply);
  }
  session_.trunk().RenewCredentials();
}

void FileStream::OnReadReply(ChunkId chunk, const rpc::Reply& reply) {
  nfs3::Read3Head head;
  absl::Status status = reply.status;
  if (status.ok()) status = DecodeResult(reply.results, head);
  if (!status.ok()) return Fail(status);
  if (head.status != nfs3::Status::kOk) return OnReadError(chunk, head.status);
  stale_in_a_row_ = 0;
  if (!Observe(head.file_attributes)) return;
  // What is asked for, what the server says it sent and what it did send can differ.
  const uint32_t count = static_cast<uint32_t>(std::min<size_t>(head.count, reply.payload_bytes));
  OnRead(chunk, head, count);
}

bool FileStream::Observe(const nfs3::PostOpAttr& attributes) {
  unseen_ = !attributes.has_value();
  if (unseen_) return true;
  const absl::Status status = version_.Observe(*attributes);
  if (!status.ok()) Fail(status);
  window_.RaiseSizeHint(attributes->size);
  return status.ok();
}

uint64_t FileStream::SizeBy(const nfs3::PostOpAttr& attributes) const {
  return attributes.has_value() ? attributes->size : version_.size();
}

void FileStream::OnRead(ChunkId chunk, const nfs3::Read3Head& head, uint32_t count) {
  const Window::Ask& ask = asks_[chunk];
  const bool eof = head.eof && count == head.count;
  // Some servers make up bytes where the file ends, instead of saying eof.
  const bool tells_size = head.file_attributes.has_value();
  const bool is_at_end = version_.IsMeaningful() && SizeBy(head.file_attributes) == ask.offset;
  if (is_at_end && tells_size) return Answer(chunk, 0, /*eof=*/true);
  if (is_at_end && count != 0) return Doubt(chunk, eof);
  const bool contradicts = eof && EndsBeforeSize(ask.offset + count);
  if (count == 0 && (!eof || contradicts)) return Doubt(chunk, eof);
  if (count != 0) {
    retries_.Forget(chunk);
    ++counters_.reads;
    if (count != ask.memory.size() && !eof) ++counters_.short_reads;
  }
  Answer(chunk, count, eof && !contradicts);
}

// Attributes may be older than the answer before, so even what they confirm can be wrong.
void FileStream::Answer(ChunkId chunk, uint32_t count, bool eof) {
  const uint64_t end = asks_[chunk].offset + count;
  if (!eof || end >= window_.next_offset()) return window_.OnAnswer(chunk, count, eof);
  Fail(FileChangedError(absl::StrCat("the server says that the file ends at byte ", end,
                                     ", and has sent what is behind it")));
}

void FileStream::OnReadError(ChunkId chunk, nfs3::Status status) {
  if (status == nfs3::Status::kJukebox) return OnJukebox(chunk, status);
  if (nfs3::IsBadHandle(status)) {
    is_stale_ = true;
    return retries_.Park(chunk, Until::kHandle);
  }
  // Some servers refuse to read where the file ends instead of saying eof.
  if (status == nfs3::Status::kInval && !EndsBeforeSize(asks_[chunk].offset)) {
    return Doubt(chunk, /*claims_eof=*/true);
  }
  Fail(NfsError("READ", status));
}

void FileStream::OnJukebox(ChunkId chunk, nfs3::Status status) {
  if (!retries_.ParkForJukebox(chunk, session_.pump().now())) {
    return Fail(NfsError("READ", status));
  }
  ++counters_.jukebox_retries;
}

// --- Doubts ----------------------------------------------------------------------

bool FileStream::EndsBeforeSize(uint64_t end) const {
  return version_.IsMeaningful() && end < version_.size();
}

void FileStream::Doubt(ChunkId chunk, bool claims_eof) {
  ++counters_.doubts;
  claims_eof_[chunk] = claims_eof;
  retries_.Park(chunk, Until::kAttributes);
}

void FileStream::OnGetattrReply(const rpc::Reply& reply) {
  getattr_in_flight_ = false;
  nfs3::Getattr3Res result;
  const bool understood = reply.status.ok() && DecodeResult(reply.results, result).ok();
  const bool known = understood && result.status == nfs3::Status::kOk;
  if (understood && nfs3::IsBadHandle(result.status)) {
    is_stale_ = true;
    return;
  }
  if (known && !Observe(result.attributes)) return;
  unseen_ = false;  // a server that does not tell cannot be helped
  retries_.ForEach(Until::kAttributes, [this](ChunkId chunk) { Resolve(chunk); });
}

void FileStream::Resolve(ChunkId chunk) {
  if (!status_.ok()) return;
  const uint64_t offset = asks_[chunk].offset;
  const bool is_end = version_.HasAbsurdSize() ? claims_eof_[chunk] : offset >= version_.size();
  if (is_end) {
    retries_.Unpark(chunk);
    return Answer(chunk, 0, /*eof=*/true);
  }
  if (retries_.ParkForDoubt(chunk, session_.pump().now())) return;
  if (!claims_eof_[chunk]) {
    return Fail(absl::DataLossError(absl::StrCat("neither data nor end of file at byte ", offset)));
  }
  Fail(FileChangedError(absl::StrCat("the server says that the file ends at byte ", offset,
                                     ", and that it has ", version_.size())));
}

// --- Handles -----------------------------------------------------------------------

void FileStream::FindFileAgain() {
  if (stale_in_a_row_++ == kMostStaleInARow) {
    return Fail(NfsError("READ", nfs3::Status::kStale));
  }
  ++counters_.stale_handles;
  absl::StatusOr<RemoteFile> found = session_.FindFile();
  absl::Status status = found.status();
  if (IsStale(status)) return FindFileAgain();  // it was replaced in the middle
  if (status.ok()) status = version_.CheckSame(found->attributes);
  if (!status.ok()) return Fail(status);
  session_.set_file(*std::move(found));
  is_stale_ = false;
  retries_.Release(Until::kHandle);
}

void FileStream::Fail(const absl::Status& status) {
  if (!status_.ok()) return;
  status_ = session_.WithHint(InContext(nfs3::kRead, status, session_.connection()));
}

}  // namespace nfs
