// The mean rate over the last rounds, or over the rounds of a trial. Pure.
#ifndef CLIENT_STREAM_RATE_METER_H_
#define CLIENT_STREAM_RATE_METER_H_

#include <cstdint>

#include "absl/time/time.h"

namespace nfs {

// Where bytes come in READs of a window, a mean over a few of them says nothing, and where they
// come fast, one over a few turns of the scheduler: it is over at least four rounds, so many bytes
// and so long, and over no more than twice as much, since paths change.
class RateMeter {
 public:
  RateMeter(uint64_t least_bytes, absl::Duration least_time)
      : least_bytes_(least_bytes), least_time_(least_time) {}

  // Forgets all; `delivered` bytes have been so far.
  void Restart(absl::Time now, uint64_t delivered) {
    older_ = newer_ = last_ = {now, delivered, 0};
  }

  // From now on a mean is over so much.
  void MeasureOver(uint64_t least_bytes, absl::Duration least_time) {
    least_bytes_ = least_bytes;
    least_time_ = least_time;
  }

  // A round has ended.
  void OnRound(absl::Time now, uint64_t delivered) {
    last_ = {now, delivered, last_.rounds + 1};
    if (!IsEnough(newer_)) return;
    older_ = newer_;
    newer_ = last_;
  }

  // Whether rate() means something.
  bool HasEnough() const { return IsEnough(older_); }
  // Bytes so far, in so long, and a second.
  uint64_t bytes() const { return last_.delivered - older_.delivered; }
  absl::Duration elapsed() const { return last_.at - older_.at; }
  double rate() const {
    const double seconds = absl::ToDoubleSeconds(last_.at - older_.at);
    return seconds > 0 ? static_cast<double>(last_.delivered - older_.delivered) / seconds : 0;
  }

 private:
  struct Moment {
    absl::Time at;
    uint64_t delivered = 0;
    uint64_t rounds = 0;
  };

  bool IsEnough(const Moment& since) const {
    return last_.rounds - since.rounds >= 4 && last_.delivered - since.delivered >= least_bytes_ &&
           last_.at - since.at >= least_time_;
  }

  uint64_t least_bytes_;
  absl::Duration least_time_;
  Moment older_;  // the rate is since then
  Moment newer_;  // ... and since then, when that is enough
  Moment last_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_RATE_METER_H_
