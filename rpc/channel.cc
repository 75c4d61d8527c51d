// Tested by tests/rpc/channel_test.cc.
#include "rpc/channel.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "xdr/decoder.h"
#include "xdr/wire.h"

namespace rpc {

namespace {

constexpr size_t kMarkBytes = 4;
constexpr uint32_t kLastFragment = 0x80000000;

// Where things are in a reply (RFC 5531, section 9): xid, msg_type, reply_stat, then
// of an accepted one the verifier's flavor and length, its body, accept_stat.
constexpr size_t kEnvelopeBytes = 12;
constexpr size_t kVerifierLengthAt = 16;
constexpr size_t kVerifierBodyAt = 20;
constexpr size_t kAcceptStatBytes = 4;

RecordReader::Limits RecordLimits(const Channel::Options& options) {
  RecordReader::Limits limits;
  const size_t longest_header = kVerifierBodyAt + kMaxAuthBytes + kAcceptStatBytes;
  limits.head_bytes = longest_header + options.results_bytes;
  limits.record_bytes = limits.head_bytes + xdr::PaddedSize(options.payload_bytes);
  return limits;
}

}  // namespace

Channel::Channel(const Options& options)
    : options_(options),
      slots_(options.slots, options.call_bytes, options.xid_seed),
      // Between two sends a slot can queue its call again and then, if the reply comes
      // all the same, the next one. That one's reply is not taken before it is sent.
      send_queue_(2 * options.slots, options.call_bytes),
      records_(RecordLimits(options)) {
  BeginRecord();
}

// --- Calls -----------------------------------------------------------------

xdr::Encoder Channel::BeginCall(Slot& slot, const Request& request, absl::Time now) {
  slot.procedure = request.procedure;
  slot.tag = request.tag;
  slot.locate = request.locate;
  slot.payload = request.payload;
  slot.called = now;
  slot.resends_left = options_.retransmissions;

  CallHeader header;
  header.xid = slots_.Xid(slot);
  header.program = request.procedure.program;
  header.version = request.procedure.version;
  header.procedure = request.procedure.number;
  header.credentials = options_.credentials;
  xdr::Encoder encoder(slot.space.subspan(kMarkBytes));
  encoder.Put(header);
  return encoder;
}

void Channel::FinishCall(Slot& slot, const xdr::Encoder& encoder) {
  assert(encoder.ok() && "a call longer than options.call_bytes");
  xdr::StoreUint32(slot.space.data(), static_cast<uint32_t>(encoder.size()) | kLastFragment);
  slot.record_bytes = kMarkBytes + encoder.size();
  ++counters_.calls;
  Queue(slot, slot.called);
  slot.first_queue_end = slot.queue_end;
}

void Channel::Queue(Slot& slot, absl::Time now) {
  if (!send_queue_.HasUnsent()) unsent_since_ = now;
  send_queue_.Append(slot.record(), slot.index);
  slot.queue_end = send_queue_.total_appended();
  slot.deadline = absl::InfiniteFuture();
}

void Channel::OnSent(size_t size, absl::Time now) {
  send_queue_.OnSent(size);
  unsent_since_ = send_queue_.HasUnsent() ? now : absl::InfiniteFuture();
  while (const std::optional<uint32_t> sent = send_queue_.TakeSentRecord()) {
    Slot& slot = slots_.all()[*sent];
    // It may have been answered, or even used again, before the sending was reported.
    const bool is_its_last = slot.queue_end <= send_queue_.total_sent();
    if (slot.state != Slot::State::kFree && is_its_last) StartTimer(slot, now);
  }
}

void Channel::StartTimer(Slot& slot, absl::Time now) {
  slot.deadline = now + options_.timeout;
  next_deadline_ = std::min(next_deadline_, slot.deadline);
}

// --- Time ------------------------------------------------------------------

absl::Time Channel::NextDeadline() const {
  return std::min(next_deadline_, unsent_since_ + options_.timeout);
}

bool Channel::OnTimeout(absl::Time now, absl::Time last_heard) {
  if (now < NextDeadline()) return true;
  const bool is_silent = last_heard + options_.timeout <= now;
  if (unsent_since_ + options_.timeout <= now) {
    if (is_silent) return false;
    unsent_since_ = last_heard;
  }
  next_deadline_ = absl::InfiniteFuture();
  for (Slot& slot : slots_.all()) {
    if (slot.state == Slot::State::kFree) continue;
    if (slot.deadline <= now && is_silent) return false;
    if (slot.deadline <= now) OnOverdue(slot, now, last_heard);
    next_deadline_ = std::min(next_deadline_, slot.deadline);
  }
  return true;
}

void Channel::OnOverdue(Slot& slot, absl::Time now, absl::Time last_heard) {
  if (slot.state == Slot::State::kCalled && IsOvertaken(slot)) return SendAgain(slot, now);
  slot.deadline = last_heard + options_.timeout;
}

void Channel::SendAgain(Slot& slot, absl::Time now) {
  if (slot.resends_left == 0) {
    slot.deadline = absl::InfiniteFuture();
    status_.Update(absl::DeadlineExceededError(absl::StrCat(
        slot.procedure.name, ": RPC: no reply within ", absl::FormatDuration(now - slot.called))));
    return;
  }
  --slot.resends_left;
  ++counters_.retransmissions;
  Queue(slot, now);
}

// --- Connections -------------------------------------------------------------

void Channel::OnConnectionLost(absl::Time now) {
  const uint64_t given = send_queue_.total_given();
  records_.Reset();
  BeginRecord();
  send_queue_.Clear();
  next_deadline_ = absl::InfiniteFuture();
  for (Slot* slot : slots_.InOrderOfCalls()) {
    slot->state = Slot::State::kCalled;
    slot->resends_left = options_.retransmissions;
    if (slot->first_queue_end <= given) ++counters_.retransmissions;
    Queue(*slot, now);
    slot->first_queue_end = slot->queue_end;
  }
  unsent_since_ = send_queue_.HasUnsent() ? now : absl::InfiniteFuture();
}

void Channel::ForgetCalls() {
  send_queue_.Clear();
  unsent_since_ = absl::InfiniteFuture();
  for (Slot& slot : slots_.all()) {
    if (slot.state != Slot::State::kFree) slots_.Release(slot);
  }
}

// --- Replies ---------------------------------------------------------------

std::optional<Reply> Channel::NextReply() {
  while (status_.ok()) {
    const bool at_end = stage_ == Stage::kSkip;
    switch (TakeStage()) {
      case Progress::kNeedBytes: return std::nullopt;
      case Progress::kFailed: status_ = records_.status(); return std::nullopt;
      case Progress::kRecordEnded: OnRecordEnded(); break;
      case Progress::kDone:
        if (!at_end) {
          LeaveStage();
        } else if (std::optional<Reply> reply = EndRecord()) {
          return reply;
        }
    }
  }
  return std::nullopt;
}

Channel::Progress Channel::TakeStage() {
  switch (stage_) {
    case Stage::kEnvelope:
    case Stage::kVerifier:
    case Stage::kResults: return records_.TakeHead(head_wanted_);
    case Stage::kPayload: return records_.TakePayload(slot_->payload.first(payload_wanted_));
    case Stage::kToEnd: return records_.TakeHeadToEnd();
    case Stage::kSkip: return records_.Skip();
  }
  return Progress::kFailed;
}

void Channel::LeaveStage() {
  switch (stage_) {
    case Stage::kEnvelope: return OnEnvelope();
    case Stage::kVerifier: return OnVerifier();
    case Stage::kResults: return OnResults();
    case Stage::kPayload:
    case Stage::kToEnd: return SkipRest();
    case Stage::kSkip: return;
  }
}

void Channel::BeginRecord() {
  stage_ = Stage::kEnvelope;
  head_wanted_ = kEnvelopeBytes;
  header_bytes_ = 0;
  payload_wanted_ = 0;
  payload_cut_short_ = false;
  slot_ = nullptr;
}

void Channel::OnEnvelope() {
  const auto state = static_cast<ReplyState>(xdr::LoadUint32(records_.head().data() + 8));
  FindSlot();
  if (slot_ == nullptr) return SkipRest();
  if (state != ReplyState::kAccepted) {
    stage_ = Stage::kToEnd;
    return;
  }
  stage_ = Stage::kVerifier;
  head_wanted_ = kVerifierBodyAt;
}

// Whose reply the record is. One that ends before its message type has come is taken for
// what its xid makes it: its call need not wait for the timeout.
void Channel::FindSlot() {
  const xdr::ByteView head = records_.head();
  const bool has_type = head.size() >= 8;
  const auto type =
      has_type ? static_cast<MessageType>(xdr::LoadUint32(head.data() + 4)) : MessageType::kReply;
  if (head.size() >= 4 && type == MessageType::kReply) {
    slot_ = slots_.Find(xdr::LoadUint32(head.data()));
  }
  // Nobody can have answered what has not been given away.
  if (slot_ != nullptr && slot_->first_queue_end > send_queue_.total_given()) slot_ = nullptr;
  if (slot_ == nullptr) {
    ++counters_.unexpected_replies;
  } else {
    slot_->state = Slot::State::kReceiving;
  }
}

void Channel::OnVerifier() {
  const uint32_t length = xdr::LoadUint32(records_.head().data() + kVerifierLengthAt);
  if (length > kMaxAuthBytes) return SkipRest();  // DecodeReplyStatus will say so
  header_bytes_ = kVerifierBodyAt + xdr::PaddedSize(length) + kAcceptStatBytes;
  head_wanted_ = header_bytes_;
  stage_ = Stage::kResults;
}

void Channel::OnResults() {
  const xdr::ByteView results = records_.head().subspan(header_bytes_);
  const std::byte* accept = records_.head().data() + header_bytes_ - kAcceptStatBytes;
  const bool success = static_cast<AcceptState>(xdr::LoadUint32(accept)) == AcceptState::kSuccess;
  if (!success || slot_->locate == nullptr) {
    stage_ = Stage::kToEnd;
    return;
  }
  const PayloadPlace place = slot_->locate(results);
  if (place.found) {
    payload_wanted_ = std::min(place.payload_bytes, slot_->payload.size());
    stage_ = Stage::kPayload;
  } else if (place.results_bytes == kNoPayload) {
    stage_ = Stage::kToEnd;
  } else {
    assert(place.results_bytes > results.size());
    head_wanted_ = header_bytes_ + place.results_bytes;
  }
}

void Channel::OnRecordEnded() {
  payload_cut_short_ = stage_ == Stage::kPayload;
  if (stage_ == Stage::kEnvelope) FindSlot();
  SkipRest();
}

void Channel::SkipRest() {
  head_ = records_.head();  // its memory stays as it is while the rest is skipped
  stage_ = Stage::kSkip;
}

std::optional<Reply> Channel::EndRecord() {
  std::optional<Reply> reply;
  if (slot_ != nullptr) {
    reply.emplace();
    reply->tag = slot_->tag;
    reply->called = slot_->called;
    DecodeHeader(*reply);
    if (reply->status.ok()) reply->payload_bytes = payload_wanted_;
    answered_to_ = std::max(answered_to_, slot_->queue_end);
    slots_.Release(*slot_);
  }
  BeginRecord();
  return reply;
}

void Channel::DecodeHeader(Reply& reply) const {
  xdr::Decoder decoder(head_);
  const auto header = decoder.Get<ReplyHeader>();
  reply.status = decoder.status();
  if (!decoder.ok()) return;
  if (payload_cut_short_) {
    reply.status = absl::DataLossError("RPC: the reply ends before the data that it announces");
    return;
  }
  reply.status = ToStatus(header);
  reply.wants_new_credentials = WantsNewCredentials(header);
  reply.results = decoder.rest();
}

}  // namespace rpc
