// Tested by tests/client/address_race_test.cc.
#include "client/connection/retry_delay.h"

#include <algorithm>

namespace nfs {

absl::Duration RetryDelay::Next() {
  const absl::Duration longest = next_;
  next_ = std::clamp(2 * next_, kShortest, kLongest);
  return longest * std::uniform_real_distribution<>(0.5, 1.0)(random_);
}

}  // namespace nfs
