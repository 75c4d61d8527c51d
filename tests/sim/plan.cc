// Tested by tests/sim/plan_test.cc.
#include "tests/sim/plan.h"

#include <algorithm>

#include "tests/sim/dice.h"

namespace sim {

namespace {

using absl::Microseconds;
using absl::Milliseconds;
using absl::Seconds;

// Draws everything whether it is used or not, so that a plan with fewer faults is the
// same plan but for those.
class Draw {
 public:
  explicit Draw(uint64_t seed) : dice_(seed) { plan_.seed = seed; }

  Plan Make(const FaultSet& allowed) {
    Faults();
    plan_.faults &= allowed;
    File();
    Client();
    Network();
    Consumer();
    ReplyFaults();
    TimedFaults();
    plan_.network.sends_at_once = dice_.Chance(0.5);
    const auto several = static_cast<int>(dice_.Between(2, 4));
    if (dice_.Chance(0.5)) plan_.client.nconnect = several;
    if (dice_.Chance(0.2)) AutomaticConnections();
    SpeedUpForSeveralConnections();
    Diversions();
    return plan_;
  }

 private:
  // In some worlds nothing goes wrong, in many one thing, in a few everything.
  void Faults() {
    const double chance = dice_.Pick({0.0, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5});
    for (const FaultDescription& fault : DescribeFaults()) {
      const double rarer = fault.is_fatal ? 0.2 : 1.0;
      plan_.faults[static_cast<size_t>(fault.kind)] = dice_.Chance(chance * rarer);
    }
  }

  void File() {
    const uint64_t most = dice_.Pick<uint64_t>({4096, 65536, 65536, 262144});
    plan_.file_size = dice_.Chance(0.03) ? 0 : dice_.Between(1, most);
  }

  void Client() {
    ClientPlan& client = plan_.client;
    // Not many more than a hundred READs, whatever the size.
    const uint64_t least = std::max<uint64_t>(512, plan_.file_size / 100);
    client.rsize = static_cast<uint32_t>(dice_.Spread(least, 65536));
    if (dice_.Chance(0.5)) client.rsize = std::max(512u, client.rsize & ~511u);
    client.slots = static_cast<int>(dice_.Between(1, 16));
    const uint64_t readahead = dice_.Pick<uint64_t>({0, 1, 2, 4, 16, 64}) * client.rsize;
    if (dice_.Chance(0.7)) {
      client.readahead = readahead;
    } else if (readahead != 0) {
      client.least_readahead = readahead;
    }
    client.timeout = dice_.Pick({Seconds(1), Seconds(3), Seconds(10), Seconds(60)});
    client.retransmissions = static_cast<int>(dice_.Pick({0, 1, 2, 2, 2, 5}));
    client.connect_timeout = dice_.Pick({Seconds(1), Seconds(5), Seconds(10)});
    client.hard = dice_.Chance(0.25);
    client.lent_chunks = static_cast<uint32_t>(dice_.Between(1, 3));
    client.range = DrawRange();
  }

  nfs::Range DrawRange() {
    nfs::Range whole;
    nfs::Range part = {dice_.Below(plan_.file_size + plan_.file_size / 8 + 1),
                       dice_.Below(plan_.file_size + 2)};
    if (dice_.Chance(0.3)) part.length = UINT64_MAX;
    return dice_.Chance(0.7) ? whole : part;
  }

  void Network() {
    NetworkPlan& network = plan_.network;
    network.delay = dice_.Spread(Microseconds(10), Milliseconds(100));
    const double rate = DrawRate();
    if (plan_.Has(FaultKind::kSlowLink)) network.bytes_per_second = rate;
    // A segment is an event of the simulation: not too many of them.
    const size_t segment = dice_.Spread(1, 3000);
    if (plan_.Has(FaultKind::kSegments)) {
      network.segment_bytes = std::max<size_t>(segment, plan_.file_size / 2000);
    }
    const size_t receive = dice_.Spread(1, 10000);
    if (plan_.Has(FaultKind::kSmallReceives)) {
      network.max_receive = std::max<size_t>(receive, plan_.file_size / 2000);
    }
    const int others = static_cast<int>(dice_.Between(1, 2));
    if (plan_.Has(FaultKind::kDeadAddress)) network.dead_addresses = others;
    if (plan_.Has(FaultKind::kRefusingAddress)) network.refusing_addresses = 3 - others;
    network.live_address_first = dice_.Chance(0.3);
  }

  // Often such that the whole file takes longer than patience, and no READ of it does; nor
  // what rpcbind says, which is not waited for as long.
  double DrawRate() {
    const auto fast = static_cast<double>(dice_.Spread(100'000, 100'000'000));
    const double times_patience = dice_.Pick({0.5, 1.5, 3.0});
    const bool is_fast = dice_.Chance(0.6);
    const double slow = static_cast<double>(plan_.file_size) /
                        (times_patience * absl::ToDoubleSeconds(plan_.patience()));
    return std::max({is_fast ? fast : slow, LeastRate(8), 2000.0});
  }

  // So many READs pass in a timeout.
  double LeastRate(int reads) const {
    const ClientPlan& client = plan_.client;
    return reads * (client.rsize + 1000.0) / absl::ToDoubleSeconds(client.timeout);
  }

  // One of several connections that is silent for a timeout is taken for dead, and the link may
  // carry all that the others have asked for first.
  void SpeedUpForSeveralConnections() {
    double& rate = plan_.network.bytes_per_second;
    const int reads = plan_.client.nconnect * plan_.client.slots + 8;
    if (plan_.client.nconnect > 1 && rate != 0) rate = std::max(rate, LeastRate(reads));
  }

  // Receive windows that more connections help against, and yet none is so slow that it is taken
  // for dead. READs of this size are never asked for in parts.
  void AutomaticConnections() {
    ClientPlan& client = plan_.client;
    client.nconnect_is_automatic = true;
    client.nconnect = nfs::kMostConnections;
    client.rsize = std::min(client.rsize, 32768u);
    const double least = LeastRate(client.slots + 8) * absl::ToDoubleSeconds(plan_.round_trip());
    const auto window = std::max<uint64_t>(client.rsize, static_cast<uint64_t>(least));
    plan_.network.receive_window_bytes = window * dice_.Between(1, 4);
  }

  void Consumer() {
    ConsumerPlan& consumer = plan_.consumer;
    const auto every = static_cast<uint32_t>(dice_.Between(1, 20));
    const absl::Duration pause = dice_.Spread(Milliseconds(1), Seconds(100));
    consumer.turns_in_pauses = dice_.Chance(0.5);
    if (plan_.Has(FaultKind::kSlowConsumer)) consumer.pause_every = every;
    // Calls are not overdue because nobody looked.
    consumer.pause = consumer.turns_in_pauses ? pause : std::min(pause, plan_.client.timeout / 4);
    const auto stops_after = static_cast<uint32_t>(dice_.Spread(1, 200) - 1);
    if (plan_.Has(FaultKind::kStopEarly)) consumer.stops_after = stops_after;
    const uint64_t seeks = dice_.Between(1, 3);
    for (uint64_t i = 0; i < seeks; ++i) {
      const ConsumerPlan::Seek seek = {static_cast<uint32_t>(dice_.Spread(1, 60)), DrawRange()};
      if (plan_.Has(FaultKind::kSeek)) consumer.seeks.push_back(seek);
    }
  }

  void Diversions() {
    plan_.consumer.diverts = dice_.Chance(0.5);
    const size_t at_most = dice_.Spread(1, 50'000);
    plan_.consumer.diverts_at_most = std::max<size_t>(at_most, plan_.file_size / 2000);
    plan_.consumer.takes_any = dice_.Chance(0.3);
    plan_.consumer.diverts &= !plan_.consumer.takes_any;
  }

  void ReplyFaults() {
    for (const FaultDescription& fault : DescribeFaults()) {
      if (fault.kind < FaultKind::kReset || fault.kind > FaultKind::kDenied) continue;
      ReplyFault drawn = {fault.kind, dice_.Pick({0.02, 0.1, 0.3, 1.0}),
                          dice_.Pick({1u, 1u, 2u, 3u, 8u, 30u})};
      if (fault.kind == FaultKind::kJukeboxForever) drawn.most = UINT32_MAX;
      if (fault.kind == FaultKind::kNoAttributes && dice_.Chance(0.5)) drawn.most = UINT32_MAX;
      // A hard client outlives everything, so what never ends it would wait for for ever.
      const bool for_ever = fault.kind == FaultKind::kJukeboxForever && plan_.client.hard;
      if (plan_.Has(fault.kind) && !for_ever) plan_.reply_faults.push_back(drawn);
    }
    plan_.bends_opening = dice_.Chance(0.3);
  }

  void TimedFaults() {
    for (const FaultDescription& fault : DescribeFaults()) {
      const bool is_timed =
          fault.kind == FaultKind::kBlackHole || fault.kind == FaultKind::kRestart ||
          fault.kind == FaultKind::kRestartExpired || fault.kind == FaultKind::kMove ||
          (fault.kind >= FaultKind::kGrow && fault.kind <= FaultKind::kRemove);
      if (!is_timed) continue;
      const uint64_t times = dice_.Pick<uint64_t>({1, 1, 1, 2, 3});
      for (uint64_t i = 0; i < times; ++i) {
        const TimedFault drawn = DrawTimed(fault.kind);
        const bool again = i != 0 && fault.kind == FaultKind::kMove;
        if (plan_.Has(fault.kind) && !again) plan_.timed_faults.push_back(drawn);
      }
    }
  }

  TimedFault DrawTimed(FaultKind kind) {
    TimedFault fault;
    fault.kind = kind;
    // LOOKUP, FSINFO and ACCESS come before the first READ.
    fault.nth_call = dice_.Chance(0.05) ? 0 : dice_.Between(1, 4 + plan_.planned_reads());
    if (dice_.Chance(0.9)) fault.nth_call = std::max<uint64_t>(fault.nth_call, 4);
    fault.later = dice_.Between(absl::ZeroDuration(), plan_.round_trip());
    fault.lasts =
        dice_.Chance(0.2) ? absl::ZeroDuration() : dice_.Spread(Milliseconds(1), plan_.patience());
    if (dice_.Chance(0.1)) fault.lasts = plan_.patience() + dice_.Spread(Seconds(1), Seconds(200));
    fault.bytes =
        kind == FaultKind::kShrink ? dice_.Below(plan_.file_size + 1) : dice_.Spread(1, 50'000);
    return fault;
  }

  Dice dice_;
  Plan plan_;
};

}  // namespace

absl::Duration Plan::TimeOf(uint64_t bytes) const {
  double seconds = 0;
  const auto sent = static_cast<double>(bytes);
  if (network.bytes_per_second != 0) seconds += sent / network.bytes_per_second;
  const double trip = absl::ToDoubleSeconds(round_trip());
  const auto window = static_cast<double>(network.receive_window_bytes);
  if (window != 0) seconds += sent / window * trip;
  return absl::Seconds(seconds);
}

uint32_t Plan::chunk_bytes() const {
  const uint64_t readahead = client.readahead.value_or(client.rsize);
  return readahead == 0 ? client.rsize
                        : static_cast<uint32_t>(std::min<uint64_t>(client.rsize, readahead));
}

uint64_t Plan::planned_reads() const {
  const auto& [offset, length] = client.range;
  if (length == 0) return 0;
  const uint64_t left = file_size > offset ? std::min(length, file_size - offset) : 0;
  return std::max<uint64_t>((left + chunk_bytes() - 1) / chunk_bytes(), 1);
}

int Plan::planned_connections() const {
  const uint64_t window = client.readahead.value_or(UINT64_MAX) / chunk_bytes();
  if (client.nconnect_is_automatic) return 1;  // at first
  const uint64_t busy = std::min(window, planned_reads());
  return static_cast<int>(std::clamp<uint64_t>(busy, 1, static_cast<uint64_t>(client.nconnect)));
}

Plan DrawPlan(uint64_t seed, const FaultSet& allowed) { return Draw(seed).Make(allowed); }

}  // namespace sim
