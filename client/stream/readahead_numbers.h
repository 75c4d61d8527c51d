// The numbers that more than one part of client/stream/readahead.h goes by.
#ifndef CLIENT_STREAM_READAHEAD_NUMBERS_H_
#define CLIENT_STREAM_READAHEAD_NUMBERS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace nfs {

// The rate has stopped growing when rounds have brought less than this.
inline constexpr double kGrowth = 1.25;
// The next larger window.
inline constexpr double kMore = 2;

// What one trial after the other is measured over, and no shorter than this: many turns of whoever
// else the processor has to serve.
inline constexpr uint64_t kMeasuredReads = 64;
inline constexpr absl::Duration kMeasuredTime = absl::Milliseconds(50);

// Rounds before a trial.
inline constexpr uint64_t kWaitMore = 2, kWaitMoreIfFast = 64, kWaitLess = 8;

// How fast the window follows a consumer that takes less, in a round.
inline constexpr double kFollow = 0.8;

}  // namespace nfs

#endif  // CLIENT_STREAM_READAHEAD_NUMBERS_H_
