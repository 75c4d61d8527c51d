// Two windows by turns, each for a moment, so that what else goes on in the machine and on the path
// meets both alike. Pure.
#ifndef CLIENT_STREAM_PAIRED_TRIAL_H_
#define CLIENT_STREAM_PAIRED_TRIAL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace nfs {

// Thread-compatible. Slices 0, 2, 4... are of the window that is on trial, the others of the one
// that there was.
class PairedTrial {
 public:
  // One slice: so many READs and so long at least.
  static constexpr uint64_t kReads = 16;
  static constexpr absl::Duration kTime = absl::Milliseconds(8);

  // Is there one at all.
  void Begin() {
    is_on_ = true;
    slices_ = 0;
  }
  void End() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  // Which window the slice at hand is of.
  bool is_of_trial() const { return slices_ % 2 == 0; }
  // It is over, and has brought so much in so long.
  void OnSlice(uint64_t bytes, absl::Duration time) {
    const double rate = static_cast<double>(bytes) / std::max(absl::ToDoubleSeconds(time), 1e-9);
    if (is_of_trial()) {
      trial_rate_ = rate;
    } else {
      gains_[static_cast<size_t>(slices_ / 2)] = rate > 0 ? trial_rate_ / rate : 0;
    }
    ++slices_;
  }

  // All slices are over, or the window on trial does harm: clearly, so that it need not go on.
  bool IsOver() const {
    return pairs() == kPairs || (pairs() >= kFewPairs && is_of_trial() && gain() < kHarmful);
  }
  // How many times as much the window on trial brings: the median over the pairs, so that no
  // stall decides; 0: nothing is known.
  double gain() const {
    if (pairs() == 0) return 0;
    std::array<double, kPairs> gains = gains_;
    const auto middle = gains.begin() + (pairs() - 1) / 2;
    std::nth_element(gains.begin(), middle, gains.begin() + pairs());
    return *middle;
  }

  // It is judged: how long to wait for the next. Longer and longer, as one by itself proves little.
  absl::Duration RestAfter(bool holds) {
    const absl::Duration rest = holds ? absl::ZeroDuration() : rest_;
    rest_ = holds ? kFirstRest : std::min(2 * rest_, kLongestRest);
    return rest;
  }

 private:
  static constexpr absl::Duration kFirstRest = absl::Milliseconds(250);
  static constexpr absl::Duration kLongestRest = absl::Seconds(5);
  static constexpr int kPairs = 7, kFewPairs = 2;
  static constexpr double kHarmful = 0.85;

  int pairs() const { return slices_ / 2; }

  bool is_on_ = false;
  absl::Duration rest_ = kFirstRest;
  int slices_ = 0;
  double trial_rate_ = 0;  // of the last slice on trial
  std::array<double, kPairs> gains_ = {};
};

}  // namespace nfs

#endif  // CLIENT_STREAM_PAIRED_TRIAL_H_
