// Tested by tests/server/server_connection_test.cc and server_datagrams_test.cc.
#include "tests/server/pending_calls.h"

#include <algorithm>
#include <utility>

#include "client/protocol/nfs3.h"

namespace server {

namespace {

bool IsGarbage(const Call& call) {
  return call.rpc_mismatch || call.denied == rpc::AuthState::kBadCred ||
         call.accept == rpc::AcceptState::kGarbageArgs;
}

}  // namespace

bool DueCall::IsInFlight() const { return !is_duplicate && call.Is(nfs3::kRead); }

PendingCalls::~PendingCalls() {
  const auto forget = [this](const DueCall& due) {
    if (due.IsInFlight()) server_.log().OnReadDone();
  };
  for (const auto& [time, due] : waiting_) forget(due);
  std::ranges::for_each(held_, forget);
}

bool PendingCalls::OnMessage(xdr::ByteView message, const Peer& from, absl::Time now) {
  std::optional<Call> call = DecodeCall(message);
  if (!call || IsGarbage(*call)) server_.log().OnGarbage();
  if (!call) return false;
  call->peer = from;
  call->arrived = now;
  server_.log().OnCall(*call);
  DueCall due = {*std::move(call), {}};
  due.actions = server_.script().OnCall(due.call);
  if (due.actions.hold) {
    HoldBack(std::move(due), now);
  } else {
    Schedule(std::move(due), now);
  }
  return true;
}

void PendingCalls::Schedule(DueCall call, absl::Time now) {
  const absl::Time due = now + call.actions.delay.value_or(absl::ZeroDuration());
  if (call.actions.duplicate) {
    DueCall again = call;
    again.is_duplicate = true;
    again.actions.file_change.reset();
    again.actions.expire.reset();
    again.actions.boot.reset();
    again.actions.ending.reset();
    waiting_.emplace(due + *call.actions.duplicate, std::move(again));
  }
  waiting_.emplace(due, std::move(call));
}

void PendingCalls::HoldBack(DueCall call, absl::Time now) {
  if (held_.empty()) held_until_ = now + kLongestHold;
  held_.push_back(std::move(call));
  if (held_.size() >= held_.front().actions.hold->replies) ReleaseHeld(now);
}

void PendingCalls::ReleaseHeld(absl::Time now) {
  std::vector<DueCall> held = std::exchange(held_, {});
  held_until_ = absl::InfiniteFuture();
  std::vector<bool> released(held.size());
  std::vector<size_t> order = held.front().actions.hold->order;
  for (size_t i = 0; i < held.size(); ++i) order.push_back(i);
  for (size_t i : order) {
    if (i >= held.size() || released[i]) continue;
    released[i] = true;
    Schedule(std::move(held[i]), now);
  }
}

std::optional<DueCall> PendingCalls::TakeDue(absl::Time now) {
  if (now >= held_until_) ReleaseHeld(now);
  if (waiting_.empty() || waiting_.begin()->first > now) return std::nullopt;
  return std::move(waiting_.extract(waiting_.begin()).mapped());
}

absl::Time PendingCalls::NextTime() const {
  return waiting_.empty() ? held_until_ : std::min(held_until_, waiting_.begin()->first);
}

}  // namespace server
