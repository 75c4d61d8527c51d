// Some thousand worlds, always the same ones. More of them: bazel run //tests/sim:worlds.
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/sim/jobs.h"

namespace sim {
namespace {

// What the client survives; the others wait for what it will survive.
constexpr FaultKind kAllowed[] = {FaultKind::kSegments,     FaultKind::kSmallReceives,
                                  FaultKind::kFragments,    FaultKind::kSplit,
                                  FaultKind::kDelay,        FaultKind::kReorder,
                                  FaultKind::kShortRead,    FaultKind::kOver,
                                  FaultKind::kNoAttributes, FaultKind::kJunk,
                                  FaultKind::kVerifier,     FaultKind::kGarbage,
                                  FaultKind::kCut,          FaultKind::kError,
                                  FaultKind::kDenied,       FaultKind::kGrow,
                                  FaultKind::kShrink,       FaultKind::kRemove,
                                  FaultKind::kDeadAddress,  FaultKind::kRefusingAddress,
                                  FaultKind::kSlowConsumer, FaultKind::kStopEarly};

FaultSet Allowed() {
  FaultSet set;
  for (FaultKind kind : kAllowed) set.set(static_cast<size_t>(kind));
  return set;
}

// A shard of a sharded test has its own seeds.
uint64_t FirstSeed() {
  const char* shard = std::getenv("TEST_SHARD_INDEX");
  return 1 + 1'000'000 * (shard == nullptr ? 0 : std::strtoull(shard, nullptr, 10));
}

TEST(Worlds, KeepEveryPromise) {
  constexpr uint64_t kWorlds = 3000;
  const FaultSet allowed = Allowed();
  for (uint64_t seed = FirstSeed(); seed < FirstSeed() + kWorlds; ++seed) {
    Timeline timeline;
    const WorldReport report = RunWorld(DrawPlan(seed, allowed), timeline);
    if (report.violation.empty()) continue;
    Replay(seed, allowed);
    FAIL() << "seed " << seed << ": " << report.violation;
  }
}

Work Small() {
  Work work;
  work.worlds = 40;
  work.allowed = FaultSet();
  work.jobs = 3;
  return work;
}

TEST(Jobs, DoEverySeedOnce) {
  const Outcome outcome = RunWorlds(Small(), [](const Totals&) {});
  EXPECT_EQ(outcome.totals.worlds, 40u);
  EXPECT_EQ(outcome.totals.ends[0], 40u);
  EXPECT_EQ(outcome.violating_seed, std::nullopt);
}

TEST(Jobs, EndWhenTheTimeIsUp) {
  Work work = Small();
  work.is_time_up = [asked = 0]() mutable { return ++asked > 5; };
  EXPECT_EQ(RunWorlds(work, [](const Totals&) {}).totals.worlds, 3u * 5u);
}

}  // namespace
}  // namespace sim
