// Tested by tests/server/server_connection_test.cc and actions_test.cc.
#include "tests/server/server_connection.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace server {

namespace {

// No more than this is queued before the next call is executed.
constexpr size_t kMostQueuedBytes = 4 << 20;
// For one sendmsg(2): IOV_MAX is 1024.
constexpr size_t kMostSpans = 64;

constexpr rpc::RecordReader::Limits kLimits = {
    .staging_bytes = 64 << 10, .head_bytes = 16 << 10, .record_bytes = 16 << 10};

}  // namespace

ServerConnection::ServerConnection(Server& server, const Programs& programs, const Peer& peer,
                                   absl::Time now)
    : server_(server),
      programs_(programs),
      peer_(peer),
      reader_(kLimits),
      last_active_(now),
      calls_(server) {
  peer_.connection = server.NextConnection();
  const Actions actions = server.script().OnConnect(peer_);
  silent_ = actions.silent.value_or(false);
  idle_ = actions.idle.value_or(idle_);
  slow_read_ = actions.slow_read;
  if (slow_read_) next_portion_ = now;
  if (!actions.raw && !actions.ending) return;
  // Something is said, or the connection ends, before any call: as a reply to none.
  Actions greeting = actions;
  if (!greeting.raw) greeting.raw = "";
  Queue(FrameReply(ReplyBuffer(), greeting));
  paused_until_ = now + actions.delay.value_or(absl::ZeroDuration());
}

ServerConnection::~ServerConnection() {
  for (const Outgoing& outgoing : outgoing_) {
    if (outgoing.is_read) server_.log().OnReadDone();
  }
}

bool ServerConnection::CanReceive(absl::Time now) {
  if (now >= next_portion_) {
    portion_ = slow_read_->bytes;
    next_portion_ = now + slow_read_->each;
  }
  return portion_ != 0;
}

// This server takes whole records to its staging, which comes second, and gives no memory
// to be received into before it.
std::span<std::byte> ServerConnection::GetReceiveSpan() {
  const std::span<std::byte> staging = reader_.GetReceiveSpans().second;
  return staging.first(std::min(staging.size(), portion_));
}

void ServerConnection::OnReceived(size_t size, absl::Time now) {
  last_active_ = now;
  if (slow_read_) portion_ -= size;
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
      if (!calls_.OnMessage(reader_.head(), peer_, now)) return Fail();
      progress = reader_.Skip();
    }
    if (progress == Progress::kFailed) {
      server_.log().OnGarbage();
      Fail();
    }
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

void ServerConnection::Execute(DueCall due) {
  Actions& actions = due.actions;
  ReplyBuffer buffer;
  if (!spare_.empty()) {
    buffer = std::move(spare_.back());
    spare_.pop_back();
  }
  buffer.Clear();
  buffer.Extend(kMarkBytes);
  server_.Answer(due.call, programs_, actions, buffer);
  // Of a dropped reply nothing is left but the end of the connection, if it was to end.
  if (actions.drop.value_or(false)) actions.raw = "";
  Outgoing outgoing = FrameReply(std::move(buffer), actions);
  outgoing.is_read = due.IsInFlight();
  Queue(std::move(outgoing));
}

bool ServerConnection::IsIdle() const { return outgoing_.empty() && calls_.empty(); }

void ServerConnection::Queue(Outgoing outgoing) {
  outgoing_bytes_ += outgoing.bytes.size();
  outgoing_.push_back(std::move(outgoing));
}

void ServerConnection::CheckTimers(absl::Time now) {
  if (IsIdle() && now >= last_active_ + idle_) verdict_.kind = Verdict::Kind::kFin;
  while (outgoing_bytes_ < kMostQueuedBytes) {
    std::optional<DueCall> due = calls_.TakeDue(now);
    if (!due) return;
    Execute(*std::move(due));
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
  absl::Time next = IsIdle() ? last_active_ + idle_ : absl::InfiniteFuture();
  if (outgoing_bytes_ < kMostQueuedBytes) next = std::min(next, calls_.NextTime());
  if (!outgoing_.empty()) next = std::min(next, paused_until_);
  return std::min(next, NextReceive());
}

}  // namespace server
