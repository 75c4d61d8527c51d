#include "tests/bench/medians.h"

#include "gtest/gtest.h"

namespace bench {
namespace {

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(Median({5}), 5);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
}

TEST(MedianRatio, IsTakenRoundByRound) {
  // The machine was ten times slower in the second round, for both.
  EXPECT_EQ(MedianRatio({1, 10, 1}, {2, 20, 2}), 0.5);
}

}  // namespace
}  // namespace bench
