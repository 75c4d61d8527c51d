// Some thousand worlds, always the same ones. More of them: bazel run //tests/sim:worlds.
#include <cstdlib>

#include "gtest/gtest.h"
#include "tests/sim/jobs.h"

namespace sim {
namespace {

FaultSet AllFaults() { return FaultSet().set(); }

// A shard of a sharded test has its own seeds.
uint64_t FirstSeed() {
  const char* shard = std::getenv("TEST_SHARD_INDEX");
  return 1 + 1'000'000 * (shard == nullptr ? 0 : std::strtoull(shard, nullptr, 10));
}

// A world takes many times as long with a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kWorlds = 1000;
#else
constexpr uint64_t kWorlds = 2000;
#endif

TEST(Worlds, KeepEveryPromise) {
  FaultCounts faults{};
  for (uint64_t seed = FirstSeed(); seed < FirstSeed() + kWorlds; ++seed) {
    Timeline timeline;
    const WorldReport report = RunWorld(DrawPlan(seed, AllFaults()), timeline);
    for (size_t kind = 0; kind < faults.size(); ++kind) faults[kind] += report.faults[kind];
    if (report.violation.empty()) continue;
    Replay(seed, AllFaults());
    FAIL() << "seed " << seed << ": " << report.violation;
  }
  for (const FaultDescription& fault : DescribeFaults()) {
    EXPECT_NE(faults[static_cast<size_t>(fault.kind)], 0u) << fault.name << " never happened";
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
