// What has limited a stream, from figures that were measured on the way. Pure.
//
//   a stream's time   [ busy ][ waits, window full ][ waits, slots full ][ waits for the output ]
//
// The first of these that holds:
//   output      it has waited for its output for half of the time
//   client_cpu  it has computed for nearly all of it
//   tcp_window  a connection carries in a round trip what its receive window lets it
//   slots,      READs take about as long as one alone: more of them in flight would bring more,
//   readahead   and it is the slots, or the readahead, that there are no more of
//   network     the round trip has become longer, so bytes wait on the path; or segments get lost
//   server      READs wait, and not on the path
#ifndef CLIENT_STREAM_BOTTLENECK_H_
#define CLIENT_STREAM_BOTTLENECK_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "client/stream/durations.h"

namespace nfs {

// Why a stream waits.
enum class Waits : uint8_t {
  kWindow,  // as much as the window allows is asked for
  kSlots,   // as many calls are in flight as the connections take
  kOutput,  // what has come has not been taken
  kEnd,     // everything has been asked for
};
inline constexpr size_t kWaitKinds = 4;

// What is known of a stream at its end, or at any time.
struct StreamFacts {
  uint64_t bytes = 0;
  absl::Duration elapsed;
  absl::Duration cpu;                      // of the process, in that time
  absl::Duration waited[kWaitKinds] = {};  // by Waits
  uint64_t reads = 0;
  uint64_t short_reads = 0;
  uint64_t jukebox_retries = 0;
  uint64_t retransmissions = 0;
  uint64_t reconnects = 0;
  Durations service;      // of READs, from call to reply
  Durations round_trips;  // TCP's estimate, looked at now and then
  // TCP, over all connections at the end.
  absl::Duration round_trip;  // the least
  absl::Duration recent_round_trip;
  uint64_t receive_window = 0;  // bytes that one connection may announce; 0: not known
  uint64_t out_of_order = 0;    // segments
  int connections = 1;
  int slots = 1;       // of each
  int slots_peak = 0;  // calls in flight at most, on all
  uint32_t rsize = 1;
  uint64_t window = 0;          // bytes, at the end
  uint64_t largest_window = 0;  // ... that it may have
  bool readahead_is_automatic = false;
  bool nconnect_is_automatic = false;

  double bytes_per_second() const;
  double ShareWaited(Waits why) const;  // 0 to 1
};

enum class Bottleneck : uint8_t {
  kUnknown,  // too short to tell
  kServer,
  kNetwork,
  kTcpWindow,
  kSlots,
  kReadahead,
  kOutput,
  kClientCpu,
};
// "tcp_window"; "unknown" for that.
const char* NameOf(Bottleneck bottleneck);

struct Verdict {
  Bottleneck bottleneck = Bottleneck::kUnknown;
  std::string evidence;  // a sentence with the figures that speak for it
  std::string remedy;    // ... and what would lift it; maybe empty
};
Verdict JudgeStream(const StreamFacts& facts);

}  // namespace nfs

#endif  // CLIENT_STREAM_BOTTLENECK_H_
