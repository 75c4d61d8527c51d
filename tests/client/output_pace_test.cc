// Whether data in the socket waits for the output.
#include "client/tools/output_pace.h"

#include "gtest/gtest.h"

namespace nfs {
namespace {

constexpr absl::Duration kMoment = absl::Milliseconds(1);

class OutputPaceTest : public testing::Test {
 protected:
  void SetUp() override { pace_.OnArrival(now_); }

  OutputPace pace_;
  absl::Time now_ = absl::FromUnixSeconds(1000);
};

TEST_F(OutputPaceTest, APipeThatMovesIsWaitedFor) {
  pace_.OnStarted(now_);
  for (int i = 0; i < 50; ++i) {
    now_ += OutputPace::kPatience - kMoment;
    EXPECT_TRUE(pace_.MayWait(now_));
    pace_.OnMoved(now_);
  }
}

TEST_F(OutputPaceTest, APipeThatStandsStillIsNot) {
  pace_.OnStarted(now_);
  EXPECT_EQ(pace_.GivesUpAt(), now_ + OutputPace::kPatience);
  EXPECT_FALSE(pace_.MayWait(now_ + OutputPace::kPatience));
}

TEST_F(OutputPaceTest, APipeThatWasAtRestHasNotStoodStill) {
  pace_.OnStarted(now_);
  pace_.OnMoved(now_);
  now_ += absl::Minutes(1);
  pace_.OnStarted(now_);
  pace_.OnArrival(now_);
  EXPECT_TRUE(pace_.MayWait(now_));
}

TEST_F(OutputPaceTest, AfterItHasStoodStillItIsNotWaitedForUntilItIsCalm) {
  pace_.OnStarted(now_);
  now_ += OutputPace::kPatience;
  pace_.OnGivenUp(now_);
  pace_.OnMoved(now_);
  const absl::Time calm = now_ + OutputPace::kCalm;
  for (; now_ < calm; now_ += absl::Milliseconds(10)) {
    pace_.OnMoved(now_);
    pace_.OnArrival(now_);
    EXPECT_FALSE(pace_.MayWait(now_));
    pace_.OnGivenUp(now_);  // which does not count, as it moves
  }
  EXPECT_TRUE(pace_.MayWait(now_));
}

TEST_F(OutputPaceTest, ItIsNotCalmEvenIfNothingWaitedWhenItStoodStill) {
  pace_.OnStarted(now_);
  now_ += OutputPace::kPatience;
  pace_.OnMoved(now_);
  pace_.OnArrival(now_);
  EXPECT_FALSE(pace_.MayWait(now_));
}

TEST_F(OutputPaceTest, NoReplyWaitsForLong) {
  pace_.OnStarted(now_);
  const absl::Time arrived = now_;
  for (; now_ < arrived + OutputPace::kLongest; now_ += absl::Milliseconds(10)) {
    pace_.OnMoved(now_);
    EXPECT_TRUE(pace_.MayWait(now_));
  }
  EXPECT_FALSE(pace_.MayWait(now_));
}

TEST(OutputPace, WaitsAsShortAsItsOwnerSays) {
  OutputPace pace(absl::Milliseconds(5));
  const absl::Time now = absl::FromUnixSeconds(1000);
  pace.OnArrival(now);
  pace.OnStarted(now);
  EXPECT_EQ(pace.GivesUpAt(), now + absl::Milliseconds(5));
}

}  // namespace
}  // namespace nfs
