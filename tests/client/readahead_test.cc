// The window that finds itself: what it does on single paths, and with servers that make no sense.
#include "client/stream/readahead.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/client/path_model.h"

namespace nfs {
namespace {

constexpr double kMiB = 1 << 20;
constexpr uint64_t kLeast = 4 << 20;
constexpr uint64_t kMost = 255 << 20;

class OnAPath : public testing::Test {
 protected:
  PathOutcome Stream(const PathModel& path, uint64_t reads, double goal = 0) {
    return PathRun(path, /*seed=*/1).Run(reads, readahead_, goal);
  }

  Readahead readahead_{{PathRun::kChunk, kLeast, kMost}};
};

TEST_F(OnAPath, OfALocalNetworkItStaysInTheCache) {
  const PathOutcome outcome = Stream({.rtt = 0.0002, .rate = 1.25e9}, 20000);
  EXPECT_GE(outcome.second_half_rate, 0.99 * 1.25e9);
  EXPECT_LE(outcome.mean_window, 1.1 * kLeast);
  EXPECT_LE(outcome.largest_window, 2 * kLeast) << "a trial now and then";
}

// A server on the same machine: one READ at a time is all that it has a use for.
TEST_F(OnAPath, ThatIsFasterThanMemoryIsCheapItTriesLessThanTheLeast) {
  const PathOutcome outcome = Stream({.rtt = 1e-6, .rate = 5e9, .server_threads = 1}, 50000);
  EXPECT_GE(outcome.second_half_rate, 0.97 * 5e9);
  EXPECT_LE(outcome.mean_window, kLeast / 2);
}

// ... and where one READ at a time leaves it idle, it does not.
TEST_F(OnAPath, ThatIsFastItHoldsWhatTheRoundTripNeeds) {
  const PathModel path = {.rtt = 0.0002, .rate = 1e10};
  EXPECT_GE(Stream(path, 50000).second_half_rate, 0.97 * path.rate);
}

TEST_F(OnAPath, OfFourHundredMillisecondsItOpensWithTcp) {
  const PathModel path = {.rtt = 0.4, .rate = 1.25e8, .slow_start = true};
  EXPECT_LE(Stream(path, 5000, 0.95 * path.rate).reached_after, 12 * path.rtt);
}

TEST_F(OnAPath, ItKnowsTheRateAndTheRoundTrip) {
  Stream({.rtt = 0.05, .rate = 1.25e8, .think = 0.01}, 2000);
  EXPECT_NEAR(readahead_.rate(), 1.25e8, 1e6);
  EXPECT_NEAR(absl::ToDoubleSeconds(readahead_.round_trip()), 0.05 + 0.01 + kMiB / 1.25e8, 0.001);
}

TEST_F(OnAPath, ASlowConsumerNeedsNoMoreThanItTakes) {
  const PathModel path = {.rtt = 0.05, .rate = 1.25e9, .consumer = 1e8};
  const PathOutcome outcome = Stream(path, 8000);
  EXPECT_GE(outcome.second_half_rate, 0.99 * path.consumer);
  const double holds = path.consumer * (path.rtt + kMiB / path.rate);
  EXPECT_LE(outcome.mean_window, 4 * holds);
}

TEST_F(OnAPath, ThatBecomesTenTimesSlowerItShrinks) {
  const PathModel path = {
      .rtt = 0.1, .rate = 1.25e8, .changes_at = 10, .rtt_later = 0.1, .rate_later = 1.25e7};
  const PathOutcome outcome = Stream(path, 6000);
  EXPECT_GE(outcome.last_quarter_rate, 0.97 * path.rate_later);
  EXPECT_LE(outcome.mean_window, 2 * kLeast);
}

TEST_F(OnAPath, ThatBecomesTenTimesFasterItOpensAgain) {
  const PathModel path = {
      .rtt = 0.1, .rate = 1.25e7, .changes_at = 20, .rtt_later = 0.1, .rate_later = 1.25e8};
  const double round_trip = path.rtt + kMiB / path.rate_later;
  EXPECT_LE(Stream(path, 6000, 0.95 * path.rate_later).reached_after, 20 + 25 * round_trip);
}

TEST_F(OnAPath, ThatBecomesTenTimesLongerItOpensAgain) {
  const PathModel path = {
      .rtt = 0.02, .rate = 1.25e8, .changes_at = 20, .rtt_later = 0.2, .rate_later = 1.25e8};
  EXPECT_GE(Stream(path, 12000).last_quarter_rate, 0.95 * path.rate_later);
}

TEST_F(OnAPath, ThatBecomesTenTimesShorterItShrinks) {
  const PathModel path = {
      .rtt = 0.2, .rate = 1.25e8, .changes_at = 5, .rtt_later = 0.02, .rate_later = 1.25e8};
  const PathOutcome outcome = Stream(path, 20000);
  EXPECT_GE(outcome.last_quarter_rate, 0.97 * path.rate_later);
  EXPECT_LE(outcome.mean_window, 4 * kLeast);
}

// 20 minutes of it: what is measured now and then must not drift.
TEST_F(OnAPath, TheRoundTripDoesNotCreepUpwards) {
  Stream({.rtt = 0.01, .rate = 1.25e7, .jitter = 0.2, .tick = 0.001}, 15000);
  EXPECT_LE(absl::ToDoubleSeconds(readahead_.round_trip()), 1.1 * (0.012 + kMiB / 1.25e7));
}

TEST(Readahead, WithoutRoomToChangeIsTheLeastAndLooksAtNothing) {
  Readahead readahead({PathRun::kChunk, kLeast, kLeast});
  PathRun({.rtt = 0.4, .rate = 1.25e8}, 1).Run(200, readahead);
  EXPECT_EQ(readahead.window(), kLeast);
  EXPECT_EQ(readahead.rate(), 0);
  EXPECT_EQ(readahead.round_trip(), absl::ZeroDuration());
}

TEST(Readahead, AsksForNoMoreOfAServerThatDoesNotAnswer) {
  Readahead readahead({PathRun::kChunk, kLeast, kMost});
  for (int i = 0; i < 4; ++i) readahead.OnAsk(PathRun::kChunk, absl::UnixEpoch());
  readahead.OnStopped(Readahead::Limit::kWindow);
  EXPECT_EQ(readahead.window(), kLeast);
}

// As in a simulation where nothing takes time.
TEST(Readahead, AnswersThatTakeNoTimeSayNothing) {
  Readahead readahead({PathRun::kChunk, kLeast, kMost});
  for (int i = 0; i < 1000; ++i) {
    const auto flight = readahead.OnAsk(PathRun::kChunk, absl::UnixEpoch());
    readahead.OnStopped(Readahead::Limit::kWindow);
    readahead.OnAnswer(flight, PathRun::kChunk, absl::UnixEpoch());
    ASSERT_LE(readahead.window(), 2 * kLeast);
    ASSERT_GE(readahead.window(), uint64_t{PathRun::kChunk});
  }
}

// Answers in any order, of any size, at any time, with any reason to stop.
TEST(Readahead, StaysWithinItsBoundsWhateverComes) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const uint32_t chunk = 1 << (random() % 21);
    const uint64_t least = uint64_t{chunk} * (1 + random() % 8);
    const uint64_t most = least * (1 + random() % 100);
    Readahead readahead({chunk, least, most});
    std::vector<Readahead::Flight> flights;
    absl::Time now = absl::UnixEpoch();
    for (int i = 0; i < 2000; ++i) {
      if (random() % 3 == 0) now += absl::Nanoseconds(int64_t{1} << (random() % 35));
      if (flights.empty() || random() % 2 == 0) {
        flights.push_back(readahead.OnAsk(1 + random() % chunk, now));
        if (random() % 2 == 0) readahead.OnStopped(static_cast<Readahead::Limit>(random() % 3));
        continue;
      }
      std::swap(flights[random() % flights.size()], flights.back());
      const uint32_t bytes = flights.back().bytes;
      readahead.OnAnswer(flights.back(), random() % 2 ? bytes : random() % (bytes + 1), now);
      flights.pop_back();
      ASSERT_GE(readahead.window(), uint64_t{chunk});
      ASSERT_LE(readahead.window(), most);
    }
  }
}

}  // namespace
}  // namespace nfs
