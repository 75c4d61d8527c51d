// Tested by tests/client/trunk_test.cc and tests/client/auto_nconnect_test.cc.
// How many connections there are, and what TCP knows of them.
#include <algorithm>

#include "client/connection/trunk.h"

namespace nfs {

namespace {

// Of the two, what is better known: the path is that of the one that has brought more.
void Add(const io::ConnectionState& more, uint64_t& most_received, io::ConnectionState& sum) {
  sum.received += more.received;
  sum.out_of_order += more.out_of_order;
  sum.receive_window = std::max(sum.receive_window, more.receive_window);
  const bool is_first = sum.round_trip == absl::ZeroDuration();
  if (more.round_trip == absl::ZeroDuration()) return;
  sum.round_trip = is_first ? more.round_trip : std::min(sum.round_trip, more.round_trip);
  if (!is_first && more.received < most_received) return;
  most_received = more.received;
  sum.recent_round_trip = more.recent_round_trip;
}

}  // namespace

void Trunk::Widen(int connections) {
  wanted_ = std::max(wanted_, static_cast<size_t>(connections));
}

void Trunk::SetWidth(int connections) {
  opens_gradually_ = true;
  wanted_ = static_cast<size_t>(std::max(connections, 1));
}

// The last to come are the first to go.
void Trunk::TakeOutSurplus() {
  for (size_t i = members_.size(); i-- > wanted_;) {
    const Connection& surplus = *members_[i].connection;
    if (surplus.calls_in_flight() != 0 || surplus.arrival().has_value()) continue;
    taken_out_ += surplus.counters();
    members_.erase(members_.begin() + static_cast<ptrdiff_t>(i));
  }
}

void Trunk::EnlargeReceiveBuffers(size_t bytes) {
  if (receive_buffer_ == bytes) return;
  receive_buffer_ = bytes;
  for (const Member& member : members_) member.connection->set_receive_buffer(bytes);
}

io::ConnectionState Trunk::Inspect() const {
  io::ConnectionState sum;
  uint64_t most_received = 0;
  for (const Member& member : members_) Add(member.connection->Inspect(), most_received, sum);
  return sum;
}

}  // namespace nfs
