// Tested by tests/client/connection_test.cc.
#include "client/connection/pump.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "client/connection/connection.h"

namespace nfs {

namespace {

// Who comes so late did not run: the process was stopped, or its owner was busy.
constexpr absl::Duration kPause = absl::Seconds(1);

}  // namespace

Pump::Pump(io::Transport& transport) : transport_(transport), now_(transport.Now()) {
  written_at_.reserve(io::kMostWritesAt);
}

Pump::~Pump() { assert(connections_.empty() && "a connection outlives its pump"); }

void Pump::Remove(Connection* connection) { std::erase(connections_, connection); }

void Pump::Turn(absl::Time until) {
  for (Connection* connection : connections_) {
    const bool was_ok = connection->status().ok();
    connection->StartTransfers();
    // Its owner wants to know at once, and nothing else may ever happen.
    if (was_ok && !connection->status().ok()) until = absl::InfinitePast();
    until = std::min(until, connection->NextDeadline());
  }
  const io::Turn turn = transport_.Wait(until);
  const absl::Duration missed = turn.now - std::max(until, now_);
  if (missed > kPause) {
    for (Connection* connection : connections_) connection->OnPause(missed);
  }
  now_ = turn.now;
  for (const io::Event& event : turn.events) Apply(event);
  for (Connection* connection : connections_) connection->OnTimeout(now_);
}

void Pump::Apply(const io::Event& event) {
  if (event.kind == io::Event::Kind::kWritten) {
    written_ = event;
    return;
  }
  if (event.kind == io::Event::Kind::kWrittenAt) return written_at_.push_back(event);
  for (Connection* connection : connections_) {
    if (connection->Owns(event.connection)) connection->Apply(event);
  }
}

void Pump::Cancel() {
  cancelled_ = true;
  transport_.Wake();
}

std::optional<io::Event> Pump::TakeWritten() { return std::exchange(written_, std::nullopt); }

std::optional<io::Event> Pump::TakeWrittenAt() {
  if (written_at_.empty()) return std::nullopt;
  std::optional<io::Event> event = std::move(written_at_.back());
  written_at_.pop_back();
  return event;
}

}  // namespace nfs
