// Tested by tests/server/server_connection_test.cc and actions_test.cc.
#include "tests/server/server_connection.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "client/protocol/nfs3.h"

namespace server {

namespace {

// No more than this is queued before the next call is executed.
constexpr size_t kMostQueuedBytes = 4 << 20;
// For one sendmsg(2): IOV_MAX is 1024.
constexpr size_t kMostSpans = 64;

constexpr rpc::RecordReader::Limits kLimits = {
    .staging_bytes = 64 << 10, .head_bytes = 16 << 10, .record_bytes = 16 << 10};

}  // namespace

ServerConnection::ServerConnection(Server& server, const Programs& programs, uint16_t source_port,
                                   absl::Time now)
    : server_(server), programs_(programs), reader_(kLimits), last_active_(now) {
  peer_ = {server.NextConnection(), source_port};
  const Actions actions = server.script().OnConnect(peer_);
  silent_ = actions.silent.value_or(false);
  idle_ = actions.idle.value_or(idle_);
  if (!actions.raw && !actions.ending) return;
  // Something is said, or the connection ends, before any call: as a reply to none.
  Actions greeting = actions;
  if (!greeting.raw) greeting.raw = "";
  Queue(FrameReply(ReplyBuffer(), greeting));
  paused_until_ = now + actions.delay.value_or(absl::ZeroDuration());
}

ServerConnection::~ServerConnection() {
  const auto forget = [this](const Call& call, bool counts) {
    if (counts && call.Is(nfs3::kRead)) server_.log().OnReadDone();
  };
  for (const auto& [due, waiting] : waiting_) forget(waiting.call, waiting.counts);
  for (const Waiting& waiting : held_) forget(waiting.call, waiting.counts);
  for (const Outgoing& outgoing : outgoing_) {
    if (outgoing.is_read) server_.log().OnReadDone();
  }
}

void ServerConnection::OnReceived(size_t size, absl::Time now) {
  last_active_ = now;
  reader_.OnReceived(size);
  if (silent_) {
    reader_.Reset();
    return;
  }
  TakeRecords(now);
}

void ServerConnection::TakeRecords(absl::Time now) {
  using Progress = rpc::RecordReader::Progress;
  for (;;) {
    Progress progress = reader_.TakeHeadToEnd();
    if (progress == Progress::kDone) {
      OnRecord(reader_.head(), now);
      progress = reader_.Skip();
    }
    if (progress == Progress::kFailed) Fail();
    if (progress != Progress::kDone) return;
  }
}

// The client has lost the framing, or is none: what a server does is to hang up.
void ServerConnection::Fail() {
  reader_.Reset();
  silent_ = true;
  Outgoing end;
  end.ending = Ending();
  Queue(std::move(end));
}

void ServerConnection::OnRecord(xdr::ByteView record, absl::Time now) {
  std::optional<Call> call = DecodeCall(record);
  if (!call) return Fail();
  call->peer = peer_;
  call->arrived = now;
  server_.log().OnCall(*call);
  Waiting waiting = {*std::move(call), {}};
  waiting.actions = server_.script().OnCall(waiting.call);
  if (waiting.actions.hold) return HoldBack(std::move(waiting), now);
  Schedule(std::move(waiting), now);
}

void ServerConnection::Schedule(Waiting waiting, absl::Time now) {
  const absl::Time due = now + waiting.actions.delay.value_or(absl::ZeroDuration());
  if (waiting.actions.duplicate) {
    Waiting again = waiting;
    again.counts = false;
    again.actions.file_change.reset();
    again.actions.ending.reset();
    waiting_.emplace(due + *waiting.actions.duplicate, std::move(again));
  }
  waiting_.emplace(due, std::move(waiting));
}

void ServerConnection::HoldBack(Waiting waiting, absl::Time now) {
  if (held_.empty()) held_until_ = now + kLongestHold;
  held_.push_back(std::move(waiting));
  if (held_.size() >= held_.front().actions.hold->replies) ReleaseHeld(now);
}

void ServerConnection::ReleaseHeld(absl::Time now) {
  std::vector<Waiting> held = std::exchange(held_, {});
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

void ServerConnection::Execute(Waiting waiting) {
  Actions& actions = waiting.actions;
  const bool is_read = waiting.counts && waiting.call.Is(nfs3::kRead);
  ReplyBuffer buffer;
  if (!spare_.empty()) {
    buffer = std::move(spare_.back());
    spare_.pop_back();
  }
  buffer.Clear();
  buffer.Extend(kMarkBytes);
  server_.Answer(waiting.call, programs_, actions, buffer);
  // Of a dropped reply nothing is left but the end of the connection, if it was to end.
  if (actions.drop.value_or(false)) actions.raw = "";
  Outgoing outgoing = FrameReply(std::move(buffer), actions);
  outgoing.is_read = is_read;
  Queue(std::move(outgoing));
}

bool ServerConnection::IsIdle() const {
  return outgoing_.empty() && waiting_.empty() && held_.empty();
}

void ServerConnection::Queue(Outgoing outgoing) {
  outgoing_bytes_ += outgoing.bytes.size();
  outgoing_.push_back(std::move(outgoing));
}

void ServerConnection::CheckTimers(absl::Time now) {
  if (now >= held_until_) ReleaseHeld(now);
  if (IsIdle() && now >= last_active_ + idle_) verdict_.kind = Verdict::Kind::kFin;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    if (outgoing_bytes_ >= kMostQueuedBytes) return;
    Execute(std::move(waiting_.extract(waiting_.begin()).mapped()));
  }
}

std::vector<xdr::ByteView> ServerConnection::Sendable(absl::Time now) {
  CheckTimers(now);
  std::vector<xdr::ByteView> spans;
  if (now < paused_until_) return spans;
  // What has no bytes is over as soon as it is first.
  while (!outgoing_.empty() && outgoing_.front().bytes.size() == 0) OnWhollySent();
  for (const Outgoing& outgoing : outgoing_) {
    if (verdict_.kind != Verdict::Kind::kOpen || spans.size() == kMostSpans) break;
    spans.push_back(outgoing.bytes.view().first(outgoing.stop()).subspan(outgoing.sent));
    if (!outgoing.pauses.empty() || outgoing.ending) break;
  }
  return spans;
}

void ServerConnection::OnSent(size_t size, absl::Time now) {
  last_active_ = now;
  while (size != 0) {
    Outgoing& outgoing = outgoing_.front();
    const size_t part = std::min(size, outgoing.stop() - outgoing.sent);
    outgoing.sent += part;
    size -= part;
    if (outgoing.sent < outgoing.stop()) return;
    if (outgoing.pauses.empty()) {
      OnWhollySent();
    } else {
      outgoing.pauses.pop_front();
      paused_until_ = now + kSplitPause;
    }
  }
}

void ServerConnection::OnWhollySent() {
  Outgoing outgoing = std::move(outgoing_.front());
  outgoing_.pop_front();
  outgoing_bytes_ -= outgoing.bytes.size();
  if (outgoing.is_read) server_.log().OnReadDone();
  if (outgoing.ending) {
    const bool reset = outgoing.ending->kind == Ending::Kind::kReset;
    verdict_ = {reset ? Verdict::Kind::kReset : Verdict::Kind::kFin, outgoing.refuse};
  }
  constexpr size_t kMostSpare = 8;
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(outgoing.bytes));
}

absl::Time ServerConnection::NextTime() const {
  absl::Time next = IsIdle() ? last_active_ + idle_ : held_until_;
  if (!waiting_.empty() && outgoing_bytes_ < kMostQueuedBytes) {
    next = std::min(next, waiting_.begin()->first);
  }
  if (!outgoing_.empty()) next = std::min(next, paused_until_);
  return next;
}

}  // namespace server
