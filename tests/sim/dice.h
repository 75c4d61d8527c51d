// Random numbers that are the same on every machine: the whole of a world comes from one
// 64-bit seed, and std's distributions may differ.
#ifndef TESTS_SIM_DICE_H_
#define TESTS_SIM_DICE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "absl/time/time.h"

namespace sim {

// SplitMix64. Thread-compatible.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // 0 to count - 1. REQUIRES: count >= 1.
  uint64_t Below(uint64_t count) { return Next() % count; }
  // Both included.
  uint64_t Between(uint64_t first, uint64_t last) { return first + Below(last - first + 1); }
  absl::Duration Between(absl::Duration first, absl::Duration last) {
    return absl::Microseconds(Between(Count(first), Count(last)));
  }
  // Both included; every power of two between them is as likely as another.
  // REQUIRES: first >= 1.
  uint64_t Spread(uint64_t first, uint64_t last) {
    const auto bits = Between(static_cast<uint64_t>(std::bit_width(first)),
                              static_cast<uint64_t>(std::bit_width(last)));
    const uint64_t value = (uint64_t{1} << (bits - 1)) | Below(uint64_t{1} << (bits - 1));
    return value < first ? first : value > last ? last : value;
  }
  absl::Duration Spread(absl::Duration first, absl::Duration last) {
    return absl::Microseconds(Spread(Count(first), Count(last)));
  }
  bool Chance(double chance) { return static_cast<double>(Next() >> 11) * 0x1p-53 < chance; }
  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(choices.size())];
  }

 private:
  static uint64_t Count(absl::Duration duration) {
    return static_cast<uint64_t>(absl::ToInt64Microseconds(duration));
  }

  uint64_t state_;
};

}  // namespace sim

#endif  // TESTS_SIM_DICE_H_
