// Whether it is worth while to wait for the output with data that is still in the socket.
// Pure.
//
// Spliced from the socket to a pipe, data costs half of what it costs by way of memory, but
// it can only go when the pipe takes it, and until then nothing behind it is received. So:
//
//   - Data waits for a pipe that moves. A consumer that is a little slower than the server
//     makes the pipe full all the time, and is still worth no copy.
//   - When the pipe has taken nothing for kPatience, or a reply has waited for its turn for
//     kLongest, data goes to memory, so that the window fills, and so does what comes
//     in the kCalm afterwards: a consumer that often stops wants its readahead more.
#ifndef CLIENT_TOOLS_OUTPUT_PACE_H_
#define CLIENT_TOOLS_OUTPUT_PACE_H_

#include <algorithm>

#include "absl/time/time.h"

namespace nfs {

// A value.
class OutputPace {
 public:
  static constexpr absl::Duration kPatience = absl::Milliseconds(20);
  static constexpr absl::Duration kLongest = absl::Seconds(1);
  static constexpr absl::Duration kCalm = absl::Seconds(1);

  // `longest`: shorter than kLongest where somebody would take the server for silent.
  explicit OutputPace(absl::Duration longest = kLongest) : longest_(std::min(longest, kLongest)) {}

  // The output has been given something to do, after a rest.
  void OnStarted(absl::Time now) { moved_at_ = now; }
  // It has taken some of that.
  void OnMoved(absl::Time now) {
    if (now >= moved_at_ + kPatience) calm_at_ = now + kCalm;
    moved_at_ = now;
  }
  // A reply begins to wait for its turn.
  void OnArrival(absl::Time now) { arrived_at_ = now; }

  // Whether the reply may wait on, while the output has something to do.
  bool MayWait(absl::Time now) const { return now >= calm_at_ && now < GivesUpAt(); }
  // When that ends, if nothing moves.
  absl::Time GivesUpAt() const { return std::min(moved_at_ + kPatience, arrived_at_ + longest_); }
  // It does not wait on.
  void OnGivenUp(absl::Time now) {
    if (now >= GivesUpAt()) calm_at_ = now + kCalm;
  }

 private:
  absl::Duration longest_;
  absl::Time moved_at_ = absl::InfinitePast();
  absl::Time arrived_at_ = absl::InfinitePast();
  absl::Time calm_at_ = absl::InfinitePast();
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_OUTPUT_PACE_H_
