// That a seed is all there is to a plan.
#include "tests/sim/plan.h"

#include <set>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

std::string Words(const Plan& plan) { return absl::StrJoin(plan.InWords(), "\n"); }

FaultSet Only(FaultKind kind) { return FaultSet().set(static_cast<size_t>(kind)); }

TEST(Faults, AreDescribedInTheirOrderAndFoundByTheirNames) {
  size_t index = 0;
  for (const FaultDescription& fault : DescribeFaults()) {
    EXPECT_EQ(static_cast<size_t>(fault.kind), index++);
    EXPECT_EQ(FindFault(fault.name), fault.kind);
  }
  EXPECT_EQ(FindFault("weather"), std::nullopt);
}

TEST(Plans, OfOneSeedAreTheSame) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(Words(DrawPlan(seed)), Words(DrawPlan(seed)));
  }
}

TEST(Plans, OfDifferentSeedsDiffer) {
  std::set<std::string> all;
  for (uint64_t seed = 0; seed < 200; ++seed) all.insert(Words(DrawPlan(seed)));
  EXPECT_EQ(all.size(), 200u);
}

TEST(Plans, HaveEveryFaultNowAndThenAndOftenNone) {
  std::array<int, kFaultKinds> count{};
  int without = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Plan plan = DrawPlan(seed);
    without += plan.faults.none() ? 1 : 0;
    for (size_t i = 0; i < kFaultKinds; ++i) count[i] += plan.faults[i] ? 1 : 0;
  }
  EXPECT_GT(without, 200);
  for (size_t i = 0; i < kFaultKinds; ++i) EXPECT_GT(count[i], 10) << DescribeFaults()[i].name;
}

TEST(Plans, WithOneFaultAllowedHaveNoOtherAndTheSameClient) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Plan all = DrawPlan(seed);
    const Plan one = DrawPlan(seed, Only(FaultKind::kShortRead));
    EXPECT_EQ(one.faults, all.faults & Only(FaultKind::kShortRead));
    EXPECT_EQ(one.client.rsize, all.client.rsize);
    EXPECT_EQ(one.network.delay, all.network.delay);
    EXPECT_TRUE(one.timed_faults.empty());
  }
}

TEST(Plans, KnowHowManyReadsAFileTakes) {
  Plan plan;
  plan.client.rsize = 100;
  for (const auto& [size, reads] : {std::pair(0, 1), {1, 1}, {100, 1}, {101, 2}, {1000, 10}}) {
    plan.file_size = static_cast<uint64_t>(size);
    EXPECT_EQ(plan.planned_reads(), static_cast<uint64_t>(reads)) << size;
  }
  plan.client.range = {.offset = 950, .length = 60};
  EXPECT_EQ(plan.planned_reads(), 1u);
  plan.client.range = {.offset = 0, .length = 0};
  EXPECT_EQ(plan.planned_reads(), 0u);
}

}  // namespace
}  // namespace sim
