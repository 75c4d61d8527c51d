// The window that finds itself against the best of all fixed ones, on paths of 0.05 to 600 ms and 1
// Mbit/s to 100 Gbit/s, each in several situations. In virtual time; every outcome is printed
// with GRID_VERBOSE=1, and SEED=n draws another chance.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "client/stream/readahead.h"
#include "gtest/gtest.h"
#include "tests/client/path_model.h"

namespace nfs {
namespace {

constexpr double kMiB = 1 << 20;
constexpr uint64_t kLeast = 4 << 20;
constexpr uint64_t kMost = 255 << 20;

struct Situation {
  const char* name;
  void (*apply)(PathModel& path);
};

// What a READ takes alone, at the most.
double RoundTrip(const PathModel& path) {
  double took = path.rtt * (1 + path.jitter) + kMiB / path.rate;
  took += path.think + path.think_more + path.stall;
  return path.consumer == 0 ? took : took + kMiB / path.consumer;
}

// 25 round trips or 2 s.
double TimeToOpen(const PathModel& path) { return std::max(2.0, 25 * RoundTrip(path)); }

// Between trials on a fast path a second goes by.
constexpr double kLeastTime = 3;

// Several times as long as it may take to open.
uint64_t ReadsFor(const PathModel& path) {
  const double fastest = std::min(path.rate, static_cast<double>(kMost) / path.rtt);
  const double reads = 4 * TimeToOpen(path) * fastest / kMiB;
  const double seconds = kLeastTime * fastest / kMiB;
  return static_cast<uint64_t>(std::clamp(reads, 3000.0, std::max(8000.0, seconds)));
}

uint32_t Seed() {
  const char* seed = std::getenv("SEED");
  return seed == nullptr ? 1 : static_cast<uint32_t>(std::atoi(seed));
}

struct Fixed {
  uint64_t window = 0;
  double rate = 0;
};

// Doubled until it brings no more, and the largest.
Fixed FindBest(const PathModel& path, uint64_t reads) {
  Fixed best;
  for (uint64_t window = kLeast / 2; window != 0;) {
    const double rate = PathRun(path, Seed()).Run(reads, window).second_half_rate;
    if (rate > 1.01 * best.rate) best.window = window;
    best.rate = std::max(best.rate, rate);
    const bool is_over = window >= 8 * best.window && window != kMost;
    window = window == kMost ? 0 : is_over ? kMost : std::min(2 * window, kMost);
  }
  return best;
}

class Grid : public testing::TestWithParam<Situation> {
 protected:
  void Compare(const PathModel& path) {
    const uint64_t reads = ReadsFor(path);
    const Fixed best = FindBest(path, reads);
    Readahead readahead({PathRun::kChunk, kLeast, kMost});
    const PathOutcome outcome = PathRun(path, Seed()).Run(reads, readahead, 0.95 * best.rate);
    const double part = outcome.second_half_rate / best.rate;
    worst_ = std::min(worst_, part);
    Print(path, best, outcome);
    EXPECT_GE(part, 0.95) << path.Describe() << ", seed " << Seed();
    EXPECT_LE(outcome.reached_after, TimeToOpen(path)) << path.Describe() << ", seed " << Seed();
    EXPECT_LE(outcome.largest_window, kMost);
    // More than the head room, for a while: what the opening and the trials take.
    const double held = std::max(static_cast<double>(kLeast), best.rate * RoundTrip(path));
    EXPECT_LE(outcome.mean_window, 8 * held) << path.Describe() << ", seed " << Seed();
  }

  void TearDown() override { std::printf("worst: %.1f %% of the best\n", 100 * worst_); }

 private:
  static void Print(const PathModel& path, const Fixed& best, const PathOutcome& outcome) {
    if (std::getenv("GRID_VERBOSE") == nullptr) return;
    std::printf("%s: best %.4g MB/s with %.0f MiB; %.1f %% of it with %.1f MiB, after %.3f s\n",
                path.Describe().c_str(), best.rate / 1e6, static_cast<double>(best.window) / kMiB,
                100 * outcome.second_half_rate / best.rate, outcome.mean_window / kMiB,
                outcome.reached_after);
  }

  double worst_ = 10;
};

TEST_P(Grid, ReachesTheBestFixedWindowSoonAndStaysThere) {
  for (const double rtt : {0.00005, 0.0003, 0.01, 0.05, 0.2, 0.4, 0.6}) {
    for (const double megabits : {1e0, 1e2, 1e3, 1e4, 1e5}) {
      PathModel path;
      path.rtt = rtt;
      path.rate = megabits * 1e6 / 8;
      GetParam().apply(path);
      Compare(path);
    }
  }
}

const Situation kSituations[] = {
    {"NothingElse", [](PathModel&) {}},
    {"TcpInSlowStart", [](PathModel& path) { path.slow_start = true; }},
    {"AReceiveWindowOf3MB",
     [](PathModel& path) {
       path.slow_start = true;
       path.receive_window = 3e6;
     }},
    {"JitterOfARoundTrip", [](PathModel& path) { path.jitter = 1; }},
    {"StallsByLoss",
     [](PathModel& path) {
       path.stall = 0.2 + path.rtt;
       path.stall_every = 100;
     }},
    {"AServerThatThinks", [](PathModel& path) { path.think = 0.005; }},
    {"AServerThatThinksByChance", [](PathModel& path) { path.think_more = 0.02; }},
    {"AServerThatCapsCallsInFlight",
     [](PathModel& path) {
       path.think = 0.002;
       path.server_threads = 8;
     }},
    {"AnotherStreamThatComesAndGoes",
     [](PathModel& path) { path.share_period = std::max(40 * path.rtt, 700 * kMiB / path.rate); }},
    {"AConsumerFiveTimesSlower", [](PathModel& path) { path.consumer = path.rate / 5; }},
    {"AClientThatIsScheduledLate", [](PathModel& path) { path.tick = 0.0002; }},
};

INSTANTIATE_TEST_SUITE_P(With, Grid, testing::ValuesIn(kSituations),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace nfs
