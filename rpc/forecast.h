// Which replies come next, as far as one can guess: those of the calls in flight, in the
// order of the calls, each with all of its payload behind a head like the last one's.
//
// A right guess saves a copy, or a receive for each reply; a wrong one costs a copy
// (rpc/staging.h). Servers that work on many calls at once answer in any order, so after a
// wrong guess none is made for a while, and for twice as long after the next.
#ifndef RPC_FORECAST_H_
#define RPC_FORECAST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rpc/slot_table.h"
#include "rpc/staging.h"

namespace rpc {

// Thread-compatible. Allocates at construction only.
class Forecast {
 public:
  // Of payloads that are foreseen, together.
  static constexpr size_t kMostBytes = 1 << 20;
  // For how many receives there is no guess after a wrong one, at first and at most.
  static constexpr int kFirstPause = 16;
  static constexpr int kLongestPause = 4096;

  // `least_bytes`: of a payload that is foreseen.
  explicit Forecast(size_t least_bytes);

  // A reply has come that has so many bytes before its payload, record mark and all.
  void OnHead(size_t bytes) { head_bytes_ = bytes; }

  // What to expect behind the reply to `at_hand`, or, if that is null, from the next byte
  // on. `misses`: how many guesses have been wrong. Valid until the next Next().
  Staging::Layout Next(const SlotTable& slots, const Slot* at_hand, uint64_t misses);

 private:
  bool IsPausing(uint64_t misses);
  bool IsForeseeable(const Slot& slot) const;

  const size_t least_bytes_;
  size_t head_bytes_ = 0;  // 0: not known
  uint64_t misses_ = 0;
  int pause_ = kFirstPause;  // after the next wrong guess
  int pause_left_ = 0;
  int guesses_ = 0;  // since the last wrong one
  std::vector<std::span<std::byte>> payloads_;
};

}  // namespace rpc

#endif  // RPC_FORECAST_H_
