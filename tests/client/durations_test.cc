// What a histogram remembers of many durations, beside what sorting all of them says.
#include "client/stream/durations.h"

#include <algorithm>
#include <random>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

TEST(DurationsTest, OfNoneAreZero) {
  const Durations none;
  EXPECT_EQ(none.count(), 0u);
  EXPECT_EQ(none.least(), absl::ZeroDuration());
  EXPECT_EQ(none.most(), absl::ZeroDuration());
  EXPECT_EQ(none.Quantile(0.5), absl::ZeroDuration());
}

TEST(DurationsTest, OfOneAreThatOne) {
  Durations one;
  one.Add(absl::Milliseconds(7));
  for (double share : {0.0, 0.5, 0.99, 1.0}) {
    EXPECT_EQ(one.Quantile(share), absl::Milliseconds(7)) << share;
  }
}

TEST(DurationsTest, ThatAreNegativeCountAsZero) {
  Durations durations;
  durations.Add(-absl::Seconds(1));
  EXPECT_EQ(durations.least(), absl::ZeroDuration());
  EXPECT_EQ(durations.most(), absl::ZeroDuration());
}

TEST(DurationsTest, OfAnySizeFindTheirPlace) {
  for (int power = 0; power < 63; ++power) {
    for (int64_t more : {-1, 0, 1}) {
      const absl::Duration duration = absl::Nanoseconds((int64_t{1} << power) + more);
      Durations durations;
      durations.Add(duration);
      durations.Add(absl::Nanoseconds(INT64_MAX));
      EXPECT_GE(durations.Quantile(0.5), duration) << duration;
      EXPECT_LE(durations.Quantile(0.5), 1.125 * duration + absl::Nanoseconds(1)) << duration;
    }
  }
}

TEST(DurationsTest, AreAsSortingSaysToAnEighth) {
  constexpr uint32_t kSeed = 20101;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::lognormal_distribution<double> spread(10, 2);
  Durations durations;
  std::vector<absl::Duration> sorted;
  for (int i = 0; i < 10000; ++i) {
    sorted.push_back(absl::Nanoseconds(static_cast<int64_t>(spread(random))));
    durations.Add(sorted.back());
  }
  std::ranges::sort(sorted);
  EXPECT_EQ(durations.least(), sorted.front());
  EXPECT_EQ(durations.most(), sorted.back());
  for (double share : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999}) {
    const absl::Duration exact = sorted[static_cast<size_t>(share * 10000) - 1];
    EXPECT_GE(durations.Quantile(share), exact) << share;
    EXPECT_LE(durations.Quantile(share), 1.126 * exact) << share;
  }
}

}  // namespace
}  // namespace nfs
