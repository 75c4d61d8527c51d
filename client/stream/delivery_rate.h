// How fast a path delivers, by the READs that it has answered. Pure: time is an argument.
//
//            f.delivered_at                f.asked                                 now
//   answers ─────┤ (f.delivered bytes) ────────────────┤ ... ┤ ... ┤ ...            ┤ of f
//   asks    ───────────┤ f.first_asked ────┤ f, its READ
//
// A sample is the bytes that were delivered from when f was asked to when it was answered, over
// the time that they took: since the last answer before f, or, if that is longer, that it took to
// ask for them. (Answers that were held up somewhere and come all at once look like a fast
// path otherwise.) The rate is the largest sample of the last rounds; a round ends with the first
// answer to a READ that was asked for in it.
#ifndef CLIENT_STREAM_DELIVERY_RATE_H_
#define CLIENT_STREAM_DELIVERY_RATE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace nfs {

// Thread-compatible. Allocates nothing.
class DeliveryRate {
 public:
  // So many rounds a sample counts: it outlives a stall, and not a path that has become slower.
  static constexpr size_t kRounds = 10;

  // What a READ in flight has to remember.
  struct Flight {
    absl::Time asked;
    absl::Time delivered_at;
    absl::Time first_asked;
    uint64_t delivered = 0;
    uint32_t bytes = 0;  // that were asked for
  };

  // A READ of so many bytes goes out. Times do not go backwards.
  Flight OnAsk(uint32_t bytes, absl::Time now);
  // It brought so many. Whether a round has ended with it. `forget`: what is older than the last
  // rounds; not while less is asked for on purpose.
  bool OnAnswer(const Flight& flight, uint32_t bytes, absl::Time now, bool forget);

  // Bytes a second; 0: nothing is known.
  double rate() const { return rate_; }
  // Bytes that have been delivered, and that were asked for and have not.
  uint64_t delivered() const { return delivered_; }
  uint64_t in_flight() const { return in_flight_; }

 private:
  void TakeSample(double sample);
  void ForgetOldest();

  uint64_t delivered_ = 0;
  uint64_t in_flight_ = 0;
  absl::Time delivered_at_;                   // the last answer
  absl::Time first_asked_;                    // when its READ was asked for
  uint64_t round_begins_ = 0;                 // delivered_ then
  std::array<double, kRounds> largest_ = {};  // of each round
  size_t round_ = 0;                          // the current one's place there
  double rate_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_DELIVERY_RATE_H_
