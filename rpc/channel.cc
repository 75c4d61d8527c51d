// Tested by tests/rpc/channel_test.cc, tests/rpc/channel_timeout_test.cc and
// tests/rpc/channel_reconnect_test.cc.
#include "rpc/channel.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "xdr/wire.h"

namespace rpc {

namespace {

constexpr size_t kMarkBytes = 4;
constexpr uint32_t kLastFragment = 0x80000000;

RecordReader::Limits RecordLimits(const Channel::Options& options) {
  RecordReader::Limits limits;
  limits.head_bytes = kLongestReplyHeader + options.results_bytes;
  limits.foreseen_bytes = std::min(Forecast::kMostBytes, options.slots * options.payload_bytes);
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
      records_(RecordLimits(options)),
      forecast_(options.foresee_from) {
  BeginRecord();
}

// --- Calls -----------------------------------------------------------------

xdr::Encoder Channel::BeginCall(Slot& slot, const Request& request, absl::Time now) {
  slot.procedure = request.procedure;
  slot.tag = request.tag;
  slot.locate = request.locate;
  slot.payload = request.payload;
  slot.may_divert = request.may_divert;
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
  const bool is_stuck = unsent_since_ + options_.timeout <= now;
  if (is_silent && (is_stuck || HasOverdue(now))) return false;
  if (is_stuck) unsent_since_ = last_heard;
  next_deadline_ = absl::InfiniteFuture();
  for (Slot& slot : slots_.all()) {
    if (slot.state == Slot::State::kFree) continue;
    if (slot.deadline <= now) OnOverdue(slot, now, last_heard);
    next_deadline_ = std::min(next_deadline_, slot.deadline);
  }
  return true;
}

bool Channel::HasOverdue(absl::Time now) {
  return std::ranges::any_of(slots_.all(), [now](const Slot& slot) {
    return slot.state != Slot::State::kFree && slot.deadline <= now;
  });
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
  for (Slot* slot = slots_.first_called(); slot != nullptr; slot = slot->after) {
    slot->state = Slot::State::kCalled;
    slot->resends_left = options_.retransmissions;
    if (slot->first_queue_end <= given) ++counters_.retransmissions;
    Queue(*slot, now);
    slot->first_queue_end = slot->queue_end;
  }
  unsent_since_ = send_queue_.HasUnsent() ? now : absl::InfiniteFuture();
}

void Channel::ForgetCalls() {
  while (Slot* const slot = slots_.first_called()) slots_.Release(*slot);
  OnConnectionLost(absl::InfinitePast());  // with nothing to send again
}

}  // namespace rpc
