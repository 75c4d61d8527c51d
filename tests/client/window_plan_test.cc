#include "client/stream/window_plan.h"

#include "gtest/gtest.h"

namespace nfs {
namespace {

constexpr uint32_t kMiB = 1 << 20;

WindowPlan Plan(std::optional<uint64_t> readahead, uint32_t rsize, uint64_t memory = 256 * kMiB) {
  Options options;
  options.readahead = readahead;
  options.max_memory = memory;
  return PlanWindow(options, rsize, 2 * kMiB);
}

TEST(Plan, HasTheReadaheadInChunksOfRsize) {
  const WindowPlan plan = Plan(16 * kMiB, kMiB);
  EXPECT_EQ(plan.chunk_bytes, kMiB);
  EXPECT_EQ(plan.window_chunks, 16u);
  EXPECT_EQ(plan.lent_chunks, 2u);
}

TEST(Plan, WithNoReadaheadAsksForOneRsizeAtATime) {
  const WindowPlan plan = Plan(0, kMiB);
  EXPECT_EQ(plan.chunk_bytes, kMiB);
  EXPECT_EQ(plan.window_chunks, 0u);
}

TEST(Plan, WithReadaheadBelowRsizeReadsAsLittle) {
  const WindowPlan plan = Plan(65536, kMiB);
  EXPECT_EQ(plan.chunk_bytes, 65536u);
  EXPECT_EQ(plan.window_chunks, 1u);
}

TEST(Plan, LetsTheReaderHoldManySmallReadsOrOneLargeOne) {
  EXPECT_EQ(Plan(16 * kMiB, 4096).lent_chunks, 512u);
  EXPECT_EQ(Plan(16 * kMiB, 16 * kMiB).lent_chunks, 1u);
}

TEST(Plan, GivesTheReaderNoMoreThanHalfTheMemory) {
  const WindowPlan plan = Plan(16 * kMiB, kMiB, 3 * kMiB);
  EXPECT_EQ(plan.lent_chunks, 1u);
  EXPECT_EQ(plan.window_chunks, 2u);
}

TEST(Plan, NeverExceedsTheMemory) {
  for (uint64_t memory : {uint64_t{1}, uint64_t{100}, uint64_t{4096}, uint64_t{3 * kMiB},
                          uint64_t{10 * kMiB}, uint64_t{1} << 40}) {
    for (uint64_t readahead :
         {uint64_t{0}, uint64_t{1}, uint64_t{4096}, uint64_t{16 * kMiB}, uint64_t{1} << 40}) {
      for (uint32_t rsize : {1u, 512u, 4096u, kMiB, 16 * kMiB}) {
        const WindowPlan plan = Plan(readahead, rsize, memory);
        ASSERT_GE(plan.chunk_bytes, 1u);
        ASSERT_LE(plan.chunk_bytes, rsize);
        const uint64_t chunks = std::max(plan.window_chunks, 1u) + uint64_t{plan.lent_chunks};
        ASSERT_LE(chunks * plan.chunk_bytes, std::max<uint64_t>(memory, 3))
            << memory << " " << readahead << " " << rsize;
        ASSERT_LE(uint64_t{plan.window_chunks} * plan.chunk_bytes,
                  std::max<uint64_t>(readahead, plan.chunk_bytes));
      }
    }
  }
}

}  // namespace
}  // namespace nfs
