// What a world is going to be like: drawn from a seed, and said in words.
#ifndef TESTS_SIM_PLAN_H_
#define TESTS_SIM_PLAN_H_

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/options.h"
#include "tests/sim/faults.h"

namespace sim {

using FaultSet = std::bitset<kFaultKinds>;

// What may happen to a reply: to each that it can happen to with `chance`, `most` times
// altogether.
struct ReplyFault {
  FaultKind kind;
  double chance = 1;
  uint32_t most = 1;
};

// What happens at one time: `later` than the arrival of the nth NFS call (0: than the
// beginning), and for how long.
struct TimedFault {
  FaultKind kind;
  uint64_t nth_call = 0;
  absl::Duration later;
  absl::Duration lasts;
  uint64_t bytes = 0;  // to grow by, or to shrink to
};

struct ClientPlan {
  uint32_t rsize = 0;
  int slots = 1;
  std::optional<uint64_t> readahead;
  uint64_t least_readahead = 4 << 20;  // where it is automatic
  int nconnect = 1;
  bool nconnect_is_automatic = false;  // ... and that many at most
  nfs::Range range;
  absl::Duration timeout;
  int retransmissions = 2;
  absl::Duration connect_timeout;
  bool hard = false;
  uint32_t lent_chunks = 1;
};

struct ConsumerPlan {
  // Before one of so many pieces it takes a pause, turning the stream, or not.
  uint32_t pause_every = 0;  // 0: never
  absl::Duration pause;
  bool turns_in_pauses = true;
  // After so many turns and pieces it gives up.
  std::optional<uint32_t> stops_after;
  // After so many turns and pieces it goes on elsewhere.
  struct Seek {
    uint32_t after = 0;
    nfs::Range range;
  };
  std::vector<Seek> seeks;
  // Some of the bytes go past memory, at most so many at a time.
  bool diverts = false;
  size_t diverts_at_most = 0;
  // Takes pieces as they come, in any order, and gives them back in another; then it does
  // not divert.
  bool takes_any = false;
};

struct NetworkPlan {
  absl::Duration delay;
  double bytes_per_second = 0;  // 0: no limit
  size_t segment_bytes = 64 * 1024;
  size_t max_receive = 0;  // 0: no limit
  // What a connection carries to the client in a round trip at most; 0: no limit.
  size_t receive_window_bytes = 0;
  bool sends_at_once = true;
  // Addresses of the server that answer nothing, or refuse, before the one that works.
  int dead_addresses = 0;
  int refusing_addresses = 0;
  bool live_address_first = false;
};

struct Plan {
  uint64_t seed = 0;
  uint64_t file_size = 0;
  FaultSet faults;
  NetworkPlan network;
  ClientPlan client;
  ConsumerPlan consumer;
  std::vector<ReplyFault> reply_faults;
  std::vector<TimedFault> timed_faults;
  // Whether replies of MOUNT and rpcbind are bent as those of NFS are.
  bool bends_opening = false;

  bool Has(FaultKind kind) const { return faults[static_cast<size_t>(kind)]; }
  // Soft: how long calls may go without a reply.
  absl::Duration patience() const { return client.timeout * (client.retransmissions + 1); }
  absl::Duration round_trip() const { return 2 * network.delay; }
  // Calls that may be in flight, over all connections.
  uint64_t all_slots() const { return static_cast<uint64_t>(client.slots * client.nconnect); }
  // That so many bytes take on the link.
  absl::Duration TimeOf(uint64_t bytes) const;
  // Bytes that one READ asks for.
  uint32_t chunk_bytes() const;
  // READs that a world without trouble takes.
  uint64_t planned_reads() const;
  // Connections that carry them.
  int planned_connections() const;
  // One line each.
  std::vector<std::string> InWords() const;
};

// The plan of `seed`, without the kinds that are not `allowed`: the rest stays as it is
// with them.
Plan DrawPlan(uint64_t seed, const FaultSet& allowed = FaultSet().set());

}  // namespace sim

#endif  // TESTS_SIM_PLAN_H_
