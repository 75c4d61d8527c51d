// Tested by tests/client/file_stream_test.cc and tests/client/stream_survival_test.cc.
#include "client/stream/file_reads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/connection/call.h"
#include "client/errors.h"

namespace nfs {

namespace {

using Until = ReadRetries::Until;

// A new handle that turns out stale at once may be taken for so long.
constexpr int kMostStaleInARow = 3;

// The tag of a GETATTR; those of READs are their ids.
constexpr uint64_t kGetattrTag = UINT64_MAX;

// A READ reply's header, from its record mark to its data, with attributes and an
// empty verifier. Large payloads are received to where they belong behind exactly so
// many bytes; small ones are picked up many at a time (rpc/record_reader.h).
constexpr size_t kReadHeaderBytes = 132;
constexpr size_t kLargePayload = 256 * 1024;
constexpr size_t kManyReplies = 256 * 1024;

}  // namespace

FileReads::FileReads(Session& session, Asker& asker, uint32_t most)
    : session_(session),
      asker_(asker),
      version_(session.file().attributes),
      retries_(most, Patience(session.options())),
      asks_(most) {}

FileReads::~FileReads() { session_.trunk().AbandonCalls(); }

void FileReads::ExpectReadsOf(size_t bytes) {
  session_.trunk().set_read_bytes(bytes);
  session_.trunk().set_receive_ahead(bytes >= kLargePayload ? kReadHeaderBytes : kManyReplies);
}

// --- Asking --------------------------------------------------------------------

void FileReads::AskAgain(bool is_last_look) {
  if (!CanAsk()) return;
  const bool wants_attributes =
      retries_.Has(Until::kAttributes) || (is_last_look && NeedsLastLook());
  if (wants_attributes && !getattr_in_flight_) SendGetattr();
  while (CanAsk()) {
    const std::optional<ChunkId> due = retries_.TakeDue(session_.pump().now());
    if (!due.has_value()) return;
    SendRead(*due);
  }
}

void FileReads::Ask(ChunkId id, uint64_t offset, std::span<std::byte> memory, bool may_divert) {
  asks_[id] = {.offset = offset, .memory = memory, .may_divert = may_divert};
  SendRead(id);
}

void FileReads::SendRead(ChunkId id) {
  const Asked& ask = asks_[id];
  rpc::Request request;
  request.procedure = nfs3::kRead;
  request.tag = id;
  request.locate = nfs3::LocateReadData;
  request.payload = ask.memory;
  request.may_divert = ask.may_divert && session_.trunk().is_single();
  session_.trunk().Call(request, nfs3::Read3Args{session_.file().handle, ask.offset,
                                                 static_cast<uint32_t>(ask.memory.size())});
}

void FileReads::SendGetattr() {
  getattr_in_flight_ = true;
  session_.trunk().Call({.procedure = nfs3::kGetattr, .tag = kGetattrTag},
                        nfs3::Getattr3Args{session_.file().handle});
}

void FileReads::Wait(absl::Time until) {
  // What is overdue waits for a slot or a handle, and not for a time.
  const absl::Time due = retries_.NextDue();
  session_.trunk().Turn(due > session_.pump().now() ? std::min(until, due) : until);
}

// --- Answers -------------------------------------------------------------------

void FileReads::TakeReplies() {
  Trunk& trunk = session_.trunk();
  while (std::optional<rpc::Reply> reply = trunk.NextReply()) OnReply(*reply);
  while (const std::optional<uint64_t> tag = trunk.NextOrphan()) OnOrphan(*tag);
  if (!trunk.status().ok()) Fail(trunk.status());
  if (status_.ok() && is_stale_ && trunk.calls_in_flight() == 0) FindFileAgain();
}

// To read twice is no harm: asked again, as a new call.
void FileReads::OnOrphan(uint64_t tag) {
  if (tag == kGetattrTag) {
    getattr_in_flight_ = false;
  } else {
    retries_.Park(static_cast<ChunkId>(tag), Until::kTime);
  }
}

void FileReads::OnReply(const rpc::Reply& reply) {
  if (reply.tag == kGetattrTag) return OnGetattrReply(reply);
  const auto id = static_cast<ChunkId>(reply.tag);
  // RFC 5531, section 9: a server may lose what it knows of credentials, and then wants
  // new ones, if only in their stamp; for all the READs that it had by then.
  if (!reply.wants_new_credentials || !retries_.ParkForCredentials(id)) {
    return OnReadReply(id, reply);
  }
  session_.trunk().RenewCredentials();
}

void FileReads::OnReadReply(ChunkId id, const rpc::Reply& reply) {
  nfs3::Read3Head head;
  absl::Status status = reply.status;
  if (status.ok()) status = DecodeResult(reply.results, head);
  if (!status.ok()) return Fail(status);
  if (head.status != nfs3::Status::kOk) return OnReadError(id, head.status);
  stale_in_a_row_ = 0;
  if (!Observe(head.file_attributes)) return;
  // What is asked for, what the server says it sent and what it did send can differ.
  const uint32_t count = static_cast<uint32_t>(std::min<size_t>(head.count, reply.payload_bytes));
  OnRead(id, head, count);
}

bool FileReads::Observe(const nfs3::PostOpAttr& attributes) {
  unseen_ = !attributes.has_value();
  if (unseen_) return true;
  const absl::Status status = version_.Observe(*attributes);
  if (!status.ok()) Fail(status);
  asker_.OnSize(attributes->size);
  return status.ok();
}

uint64_t FileReads::SizeBy(const nfs3::PostOpAttr& attributes) const {
  return attributes.has_value() ? attributes->size : version_.size();
}

void FileReads::OnRead(ChunkId id, const nfs3::Read3Head& head, uint32_t count) {
  const Asked& ask = asks_[id];
  const bool eof = head.eof && count == head.count;
  // Some servers make up bytes where the file ends, instead of saying eof.
  const bool tells_size = head.file_attributes.has_value();
  const bool is_at_end = version_.IsMeaningful() && SizeBy(head.file_attributes) == ask.offset;
  if (is_at_end && tells_size) return asker_.OnAnswer(id, 0, /*eof=*/true);
  if (is_at_end && count != 0) return Doubt(id, eof);
  const bool contradicts = eof && EndsBeforeSize(ask.offset + count);
  if (count == 0 && (!eof || contradicts)) return Doubt(id, eof);
  if (count != 0) {
    retries_.Forget(id);
    ++counters_.reads;
    if (count != ask.memory.size() && !eof) ++counters_.short_reads;
  }
  asker_.OnAnswer(id, count, eof && !contradicts);
}

void FileReads::OnReadError(ChunkId id, nfs3::Status status) {
  if (status == nfs3::Status::kJukebox) return OnJukebox(id, status);
  if (nfs3::IsBadHandle(status)) {
    is_stale_ = true;
    return retries_.Park(id, Until::kHandle);
  }
  // Some servers refuse to read where the file ends instead of saying eof.
  if (status == nfs3::Status::kInval && !EndsBeforeSize(asks_[id].offset)) {
    return Doubt(id, /*claims_eof=*/true);
  }
  Fail(NfsError("READ", status));
}

void FileReads::OnJukebox(ChunkId id, nfs3::Status status) {
  if (!retries_.ParkForJukebox(id, session_.pump().now())) {
    return Fail(NfsError("READ", status));
  }
  ++counters_.jukebox_retries;
}

// --- Doubts ----------------------------------------------------------------------

bool FileReads::EndsBeforeSize(uint64_t end) const {
  return version_.IsMeaningful() && end < version_.size();
}

void FileReads::Doubt(ChunkId id, bool claims_eof) {
  ++counters_.doubts;
  asks_[id].claims_eof = claims_eof;
  retries_.Park(id, Until::kAttributes);
}

void FileReads::OnGetattrReply(const rpc::Reply& reply) {
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
  retries_.ForEach(Until::kAttributes, [this](ChunkId id) { Resolve(id); });
}

void FileReads::Resolve(ChunkId id) {
  if (!status_.ok()) return;
  const uint64_t offset = asks_[id].offset;
  const bool is_end = version_.HasAbsurdSize() ? asks_[id].claims_eof : offset >= version_.size();
  if (is_end) {
    retries_.Unpark(id);
    return asker_.OnAnswer(id, 0, /*eof=*/true);
  }
  if (retries_.ParkForDoubt(id, session_.pump().now())) return;
  if (!asks_[id].claims_eof) {
    return Fail(absl::DataLossError(absl::StrCat("neither data nor end of file at byte ", offset)));
  }
  Fail(FileChangedError(absl::StrCat("the server says that the file ends at byte ", offset,
                                     ", and that it has ", version_.size())));
}

// --- Past memory -----------------------------------------------------------------

bool FileReads::IsSound(const rpc::Arrival& arrival) {
  nfs3::Read3Head head;
  if (!status_.ok() || !DecodeResult(arrival.results, head).ok()) return false;
  if (head.status != nfs3::Status::kOk || head.count != arrival.payload_bytes) return false;
  if (!Observe(head.file_attributes)) return false;
  const uint64_t end = asks_[arrival.tag].offset + arrival.payload_bytes;
  return version_.IsMeaningful() && end <= SizeBy(head.file_attributes);
}

// --- Handles -----------------------------------------------------------------------

void FileReads::FindFileAgain() {
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

void FileReads::Fail(const absl::Status& status) {
  if (!status_.ok()) return;
  status_ = session_.WithHint(InContext(nfs3::kRead, status, session_.connection()));
}

}  // namespace nfs
