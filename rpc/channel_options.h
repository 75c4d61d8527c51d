// What a Channel is made with, and what it counts.
#ifndef RPC_CHANNEL_OPTIONS_H_
#define RPC_CHANNEL_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "rpc/auth.h"

namespace rpc {

struct ChannelOptions {
  int slots = 64;
  OpaqueAuth credentials;
  // One call with its header, at most. REQUIRES: at least 512.
  size_t call_bytes = 2048;
  // Results without payload, at most.
  size_t results_bytes = 64 * 1024;
  // The payload of one reply, at most.
  size_t payload_bytes = 0;
  // Replies with payloads of so many bytes and more are foreseen (rpc/forecast.h). Shorter
  // ones are copied together more cheaply than they are received each to its own place.
  size_t foresee_from = 8 * 1024;
  // A reply is overdue so long after its call was wholly sent; OnTimeout() says what
  // comes of it.
  absl::Duration timeout = absl::Seconds(60);
  // How often a call is sent again on one connection before the channel fails.
  int retransmissions = 2;
  // Any random number.
  uint32_t xid_seed = 0;
};

struct ChannelCounters {
  uint64_t calls = 0;
  uint64_t retransmissions = 0;
  // Replies that no call waited for: late, sent twice, or not for us.
  uint64_t unexpected_replies = 0;
};

}  // namespace rpc

#endif  // RPC_CHANNEL_OPTIONS_H_
