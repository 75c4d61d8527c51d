// Tested by tests/client/durations_test.cc.
#include "client/stream/durations.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nfs {

// Below kPlaces each number has a place; above, the three bits behind the highest tell.
size_t Durations::PlaceOf(uint64_t nanoseconds) {
  if (nanoseconds < kPlaces) return nanoseconds;
  const int exponent = std::bit_width(nanoseconds) - 4;
  return static_cast<size_t>(exponent + 1) * kPlaces + ((nanoseconds >> exponent) & (kPlaces - 1));
}

uint64_t Durations::EndOf(size_t place) {
  if (place < kPlaces) return place;
  const size_t exponent = place / kPlaces - 1;
  return ((kPlaces + place % kPlaces + 1) << exponent) - 1;
}

void Durations::Add(absl::Duration duration) {
  const int64_t nanoseconds = std::max<int64_t>(absl::ToInt64Nanoseconds(duration), 0);
  ++counts_[PlaceOf(static_cast<uint64_t>(nanoseconds))];
  ++count_;
  least_ = std::min(least_, absl::Nanoseconds(nanoseconds));
  most_ = std::max(most_, absl::Nanoseconds(nanoseconds));
}

absl::Duration Durations::Quantile(double share) const {
  if (count_ == 0) return absl::ZeroDuration();
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t place = 0; place < counts_.size(); ++place) {
    seen += counts_[place];
    if (seen < std::max<uint64_t>(wanted, 1)) continue;
    const auto end = absl::Nanoseconds(static_cast<int64_t>(EndOf(place)));
    return std::clamp(end, least_, most_);
  }
  return most_;
}

}  // namespace nfs
