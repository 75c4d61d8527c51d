// How long many things of one kind have taken: least, most, and what so many of them have not
// exceeded, without remembering each.
#ifndef CLIENT_STREAM_DURATIONS_H_
#define CLIENT_STREAM_DURATIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace nfs {

// Thread-compatible. Allocates nothing.
class Durations {
 public:
  void Add(absl::Duration duration);

  uint64_t count() const { return count_; }
  // Zero when there are none.
  absl::Duration least() const { return count_ == 0 ? absl::ZeroDuration() : least_; }
  absl::Duration most() const { return most_; }
  // What the `share` (0 to 1) of them that took least have not exceeded, to an eighth.
  absl::Duration Quantile(double share) const;

 private:
  // Eight places for each power of two of nanoseconds.
  static constexpr int kPlaces = 8;
  static size_t PlaceOf(uint64_t nanoseconds);
  static uint64_t EndOf(size_t place);

  std::array<uint64_t, size_t{64} * kPlaces> counts_ = {};
  uint64_t count_ = 0;
  absl::Duration least_ = absl::InfiniteDuration();
  absl::Duration most_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_DURATIONS_H_
