#include "client/stream/paired_trial.h"

#include "gtest/gtest.h"

namespace nfs {
namespace {

constexpr absl::Duration kSlice = PairedTrial::kTime;

// As long as it goes on, with what each window brings in a slice; how many slices there were.
int Play(PairedTrial& trial, uint64_t on_trial, uint64_t other) {
  trial.Begin();
  int slices = 0;
  for (; !trial.IsOver(); ++slices) trial.OnSlice(trial.is_of_trial() ? on_trial : other, kSlice);
  return slices;
}

TEST(PairedTrial, ComparesWhatBothWindowsBring) {
  PairedTrial trial;
  EXPECT_EQ(Play(trial, 110, 100), 14);
  EXPECT_DOUBLE_EQ(trial.gain(), 1.1);
}

TEST(PairedTrial, IsNotMisledByAPathThatBecomesFasterMeanwhile) {
  PairedTrial trial;
  trial.Begin();
  for (uint64_t rate = 100; !trial.IsOver(); rate += 10) trial.OnSlice(rate, kSlice);
  EXPECT_NEAR(trial.gain(), 1, 0.08);
}

TEST(PairedTrial, IsNotMisledByAStallOrTwo) {
  PairedTrial trial;
  trial.Begin();
  for (int slice = 0; !trial.IsOver(); ++slice) {
    const bool stalls = slice == 3 || slice == 5;
    trial.OnSlice(100, stalls ? 20 * kSlice : kSlice);
  }
  EXPECT_DOUBLE_EQ(trial.gain(), 1);
}

TEST(PairedTrial, EndsSoonWhenItDoesHarm) {
  PairedTrial trial;
  EXPECT_EQ(Play(trial, 50, 100), 4);
  EXPECT_DOUBLE_EQ(trial.gain(), 0.5);
}

TEST(PairedTrial, KnowsNothingBeforeBothHaveHadATurn) {
  PairedTrial trial;
  trial.Begin();
  trial.OnSlice(100, kSlice);
  EXPECT_EQ(trial.gain(), 0);
  EXPECT_FALSE(trial.IsOver());
  EXPECT_FALSE(trial.is_of_trial());
}

TEST(PairedTrial, IsFollowedByLongerAndLongerRestsAsLongAsItFails) {
  PairedTrial trial;
  absl::Duration before;
  for (int failed = 0; failed < 4; ++failed) {
    const absl::Duration rest = trial.RestAfter(/*holds=*/false);
    EXPECT_GT(rest, before);
    before = rest;
  }
  trial.Begin();
  EXPECT_GT(trial.RestAfter(false), before) << "another one changes nothing";
  for (int failed = 0; failed < 100; ++failed) before = trial.RestAfter(false);
  EXPECT_EQ(before, absl::Seconds(5));
  EXPECT_EQ(trial.RestAfter(/*holds=*/true), absl::ZeroDuration());
  EXPECT_LE(trial.RestAfter(false), absl::Seconds(1));
}

}  // namespace
}  // namespace nfs
