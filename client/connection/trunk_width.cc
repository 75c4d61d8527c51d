// Tested by tests/client/trunk_test.cc and tests/client/auto_nconnect_test.cc.
// How many connections there are, and what TCP knows of them.
#include <algorithm>
#include <utility>

#include "client/connection/trunk.h"

namespace nfs {

namespace {

// Of what a connection brings in a round trip: what it is asked for ahead, and with one call.
constexpr double kAhead = 1.5, kOfPace = 0.5;
// A new one's call: about as much as it brings in the first round trips.
constexpr size_t kLeastBytes = 32 * 1024;

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
  is_paced_ = true;
  wanted_ = static_cast<size_t>(std::max(connections, 1));
}

// Up at once, down by and by; and not for what it was not asked for.
io::ConnectionState Trunk::OnRound() {
  io::ConnectionState sum;
  uint64_t most_received = 0;
  for (Member& member : members_) {
    const io::ConnectionState state = member.connection->Inspect();
    Add(state, most_received, sum);
    // Less than before is on a connection that was made anew.
    const auto came =
        static_cast<double>(state.received - std::min(state.received, member.received));
    member.received = state.received;
    const bool was_idle = std::exchange(member.was_idle, member.connection->calls_in_flight() == 0);
    if (came > member.pace) {
      member.pace = came;
    } else if (!was_idle) {
      member.pace += (came - member.pace) / 4;
    }
  }
  return sum;
}

size_t Trunk::BytesOfCall(const Member& member, size_t most) const {
  if (!is_paced_ || members_.size() == 1) return most;
  return std::min(most, std::max(static_cast<size_t>(member.pace * kOfPace), kLeastBytes));
}

size_t Trunk::BytesForNextCall(size_t most) const {
  return is_paced_ ? BytesOfCall(members_[Pick()], most) : most;
}

// About how long the next call would take, in rounds; or, where nobody knows paces, how many
// calls are before it.
std::tuple<bool, double> Trunk::Load(const Member& member) const {
  const Connection& connection = *member.connection;
  const bool is_away = connection.is_away();
  const double calls = connection.calls_in_flight() + 1;
  if (!is_paced_) return {is_away, calls};
  const auto bytes = static_cast<double>(BytesOfCall(member, read_bytes_));
  return {is_away, calls * bytes / (member.pace + kLeastBytes)};
}

// It shall go, or would have more than it can bring soon.
bool Trunk::IsReluctant(size_t member) const {
  if (member >= wanted_ && HasConnectedBefore(wanted_)) return true;
  if (!is_paced_ || members_.size() == 1) return false;
  const Member& candidate = members_[member];
  const auto bytes = static_cast<double>(BytesOfCall(candidate, read_bytes_));
  return candidate.connection->calls_in_flight() >= kAhead * candidate.pace / bytes + 1;
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

bool Trunk::EnlargeReceiveBuffers(size_t bytes) {
  receive_buffer_ = bytes;
  bool is_larger = false;
  for (const Member& member : members_) is_larger |= member.connection->EnlargeReceiveBuffer(bytes);
  return is_larger;
}

io::ConnectionState Trunk::Inspect() const {
  io::ConnectionState sum;
  uint64_t most_received = 0;
  for (const Member& member : members_) Add(member.connection->Inspect(), most_received, sum);
  return sum;
}

}  // namespace nfs
