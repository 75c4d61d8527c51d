// How long to wait between attempts that fail: exponential back-off with jitter. Pure.
#ifndef CLIENT_CONNECTION_RETRY_DELAY_H_
#define CLIENT_CONNECTION_RETRY_DELAY_H_

#include <cstdint>
#include <random>

#include "absl/time/time.h"

namespace nfs {

// Nothing at first, for a connection that has just been lost may be made again at once;
// then about 100 ms, 200 ms, and so on up to 1.5 s: a server that comes back is found
// within that. Each is shortened at random by up to a half, lest all the clients of a
// server come back at the same moment.
class RetryDelay {
 public:
  static constexpr absl::Duration kShortest = absl::Milliseconds(100);
  static constexpr absl::Duration kLongest = absl::Milliseconds(1500);

  explicit RetryDelay(uint32_t seed) : random_(seed) {}

  absl::Duration Next();
  // What was waited for has worked.
  void Reset() { next_ = absl::ZeroDuration(); }

 private:
  std::minstd_rand random_;
  absl::Duration next_;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_RETRY_DELAY_H_
