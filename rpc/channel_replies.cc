// Tested by tests/rpc/channel_replies_test.cc.
// What a Channel makes of the bytes it receives.
#include <algorithm>
#include <cassert>
#include <optional>

#include "rpc/channel.h"
#include "xdr/decoder.h"
#include "xdr/wire.h"

namespace rpc {

namespace {

// Where things are in a reply (RFC 5531, section 9): xid, msg_type, reply_stat, then
// of an accepted one the verifier's flavor and length, its body, accept_stat.
constexpr size_t kMarkBytes = 4;
constexpr size_t kEnvelopeBytes = 12;
constexpr size_t kVerifierLengthAt = 16;
constexpr size_t kVerifierBodyAt = 20;
constexpr size_t kAcceptStatBytes = 4;

}  // namespace

std::optional<Reply> Channel::NextReply() {
  while (status_.ok()) {
    const bool at_end = stage_ == Stage::kSkip;
    switch (TakeStage()) {
      case Progress::kNeedBytes: OfferPayload(); return std::nullopt;
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

ReceiveSpans Channel::GetReceiveSpans() {
  return records_.GetReceiveSpans(forecast_.Next(slots_, slot_, records_.misses()));
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
  diversion_ = Diversion::kUndecided;
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
    forecast_.OnHead(kMarkBytes + head_wanted_);
  } else if (place.results_bytes == kNoPayload) {
    stage_ = Stage::kToEnd;
  } else {
    assert(place.results_bytes > results.size());
    head_wanted_ = header_bytes_ + place.results_bytes;
  }
}

// To be offered it has to begin where the bytes received end: nothing of it was staged.
void Channel::OfferPayload() {
  if (stage_ != Stage::kPayload || diversion_ != Diversion::kUndecided) return;
  const bool is_ahead = records_.PayloadAhead() == payload_wanted_;
  diversion_ = slot_->may_divert && is_ahead ? Diversion::kOffered : Diversion::kKept;
}

std::optional<Arrival> Channel::arrival() const {
  const bool is_offered = stage_ == Stage::kPayload && diversion_ == Diversion::kOffered;
  if (!is_offered || records_.PayloadAhead() == 0) return std::nullopt;
  return Arrival{slot_->tag, records_.head().subspan(header_bytes_), payload_wanted_,
                 records_.PayloadAhead()};
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
    // Which of its sendings this answers cannot be told: the first, to be careful.
    answered_to_ = std::max(answered_to_, slot_->first_queue_end);
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
