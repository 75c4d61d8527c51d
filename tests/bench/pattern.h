// The bytes that the benchmarks' files have, and a judge of whether they arrived.
//
// A file of any size repeats one block of kPeriodWords words of eight bytes. Within the block
// no two words are the same, and kPeriodWords is a prime, so that two READs at different
// multiples of a power of two have different bytes unless they are a multiple of
// kPeriodWords READs apart. A verifying run therefore notices
//   - a lost, doubled or displaced block of any size, unless it is off by exactly a multiple
//     of kPeriodBytes (1 MiB less 8 bytes): with READs of 4 KiB at least 512 MiB, of 1 MiB at
//     least 128 GiB, as blocks begin at multiples of their size;
//   - any other changed byte, and a file that is too short or too long.
// It does not notice bytes that another file of this pattern has at the same offset.
#ifndef TESTS_BENCH_PATTERN_H_
#define TESTS_BENCH_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "client/stream/arena.h"

namespace bench {

// Immutable once made, so any thread may use it.
class Pattern {
 public:
  static constexpr uint64_t kPeriodWords = (1 << 17) - 1;
  static constexpr uint64_t kPeriodBytes = kPeriodWords * 8;
  // What At() gives at a time.
  static constexpr size_t kMostBytes = 1 << 20;

  Pattern();

  // The bytes of a file from `offset` on, without a copy. REQUIRES: size <= kMostBytes.
  std::span<const std::byte> At(uint64_t offset, size_t size) const {
    return arena_.memory().subspan(offset % kPeriodBytes, size);
  }

 private:
  nfs::Arena arena_;  // a period, and its beginning again: one huge page, if there is one
};

// Takes a file in order and says where it first was not the pattern. Thread-compatible.
class PatternCheck {
 public:
  // `pattern` must outlive the check. The first byte taken is that at `offset`.
  explicit PatternCheck(const Pattern& pattern, uint64_t offset = 0)
      : pattern_(pattern), position_(offset) {}

  // The next bytes, any number of them. DataLoss names the first offset that is wrong; it
  // stays.
  absl::Status Take(std::span<const std::byte> bytes);
  // There are no more, and there should have been `size` in all.
  absl::Status Finish(uint64_t size) const;

  uint64_t position() const { return position_; }

 private:
  absl::Status TakePart(std::span<const std::byte> bytes);

  const Pattern& pattern_;
  uint64_t position_;
  absl::Status status_;
};

}  // namespace bench

#endif  // TESTS_BENCH_PATTERN_H_
