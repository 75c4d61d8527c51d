// Tested by tests/client/stream_facts_test.cc.
#include "client/stream/stream_meter.h"

#include <algorithm>

namespace nfs {

namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(100);

}  // namespace

void StreamMeter::OnWaited(Waits why, absl::Time from, absl::Time to, int calls_in_flight) {
  waited_[static_cast<size_t>(why)] += std::max(to - from, absl::ZeroDuration());
  slots_peak_ = std::max(slots_peak_, calls_in_flight);
}

void StreamMeter::OnTurn(const Trunk& trunk, absl::Time now) {
  ended_ = now;
  if (now < next_look_) return;
  next_look_ = now + kBetweenLooks;
  const absl::Duration round_trip = trunk.Inspect().recent_round_trip;
  if (round_trip != absl::ZeroDuration()) round_trips_.Add(round_trip);
}

void StreamMeter::Describe(const Trunk& trunk, StreamFacts& facts) const {
  facts.elapsed = ended_ - began_;
  std::ranges::copy(waited_, facts.waited);
  facts.service = service_;
  facts.round_trips = round_trips_;
  facts.slots_peak = slots_peak_;
  const io::ConnectionState tcp = trunk.Inspect();
  facts.round_trip = tcp.round_trip;
  // What the end of the stream finds is idle again.
  facts.recent_round_trip = std::max(round_trips_.Quantile(0.5), tcp.round_trip);
  facts.receive_window = tcp.receive_window;
  facts.out_of_order = tcp.out_of_order;
  facts.connections = trunk.connected();
  const Connection::Counters counters = trunk.counters();
  facts.retransmissions = counters.retransmissions;
  facts.reconnects = counters.reconnects;
}

}  // namespace nfs
