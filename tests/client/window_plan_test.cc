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

TEST(Plan, WithSeveralConnectionsHasTwoReadsForEach) {
  Options options;
  for (const auto& [nconnect, chunks] : {std::pair(1, 4u), {2, 4u}, {4, 8u}, {16, 32u}}) {
    options.nconnect = nconnect;
    EXPECT_EQ(PlanWindow(options, kMiB, 1).least_chunks, chunks) << nconnect;
  }
  options.max_memory = 8 * kMiB;
  EXPECT_EQ(PlanWindow(options, kMiB, 1).least_chunks, 7u);
}

TEST(Plan, OfAnAutomaticWindowReachesAsFarAsTheSlots) {
  Options options;
  const WindowPlan plan = PlanWindow(options, kMiB, 1);
  EXPECT_EQ(plan.least_chunks, 4u);
  EXPECT_EQ(plan.window_chunks, 255u) << "of all the connections that may come to be";
  options.nconnect = 1;
  EXPECT_EQ(PlanWindow(options, kMiB, 1).window_chunks, 64u);
  options.slots = 8;
  options.nconnect = 3;
  EXPECT_EQ(PlanWindow(options, kMiB, 1).window_chunks, 24u);
  options.max_memory = 10 * kMiB;
  EXPECT_EQ(PlanWindow(options, kMiB, 1).window_chunks, 9u);
  options.slots = 1;
  EXPECT_EQ(PlanWindow(options, 65536, 1).window_chunks, 64u) << "never less than the least";
}

TEST(Plan, OfAFixedWindowIsOfOneSize) {
  const WindowPlan plan = Plan(16 * kMiB, kMiB);
  EXPECT_EQ(plan.least_chunks, plan.window_chunks);
}

// --- What the user is told -------------------------------------------------------------

std::string Told(std::optional<uint64_t> readahead, int slots = 64, uint64_t memory = 256 * kMiB) {
  Options options;
  options.rsize = kMiB;
  options.readahead = readahead;
  options.slots = slots;
  options.max_memory = memory;
  const WindowPlan plan = PlanWindow(options, kMiB, 1);
  return Contradiction(options, kMiB, plan).value_or("nothing");
}

TEST(ReadaheadThatCannotBeHad, IsSaidWithWhatIsDoneInstead) {
  EXPECT_EQ(Told(65536),
            "readahead (65536) is smaller than rsize (1048576): READs have 65536 bytes");
  EXPECT_EQ(Told(64 * kMiB, 64, 16 * kMiB),
            "readahead (67108864) does not fit into max-memory (16777216): it is 15728640");
  EXPECT_EQ(Told(64 * kMiB, 16), "readahead (67108864) needs 64 slots: with 16 it is 16777216");
}

TEST(ReadaheadThatCanBeHad, IsNoReasonForAWarning) {
  EXPECT_EQ(Told(std::nullopt, 1), "nothing");
  EXPECT_EQ(Told(0), "nothing");
  EXPECT_EQ(Told(kMiB), "nothing");
  EXPECT_EQ(Told(5 * kMiB / 2), "nothing");
  EXPECT_EQ(Told(64 * kMiB), "nothing");
}

// --- Connections ---------------------------------------------------------------------

int Connections(int nconnect, uint32_t window_chunks, uint64_t size, const Range& range = {}) {
  Options options;
  options.nconnect = nconnect;
  return PlanConnections(options, {kMiB, window_chunks, 1}, range.BytesOf(size));
}

TEST(Connections, AreAsManyAsAreAskedFor) {
  EXPECT_EQ(Connections(1, 64, 1 << 30), 1);
  EXPECT_EQ(Connections(4, 64, 1 << 30), 4);
  EXPECT_EQ(Connections(16, 64, UINT64_MAX), 16);
}

TEST(Connections, EachHaveAReadOfTheWindow) {
  EXPECT_EQ(Connections(16, 3, 1 << 30), 3);
  EXPECT_EQ(Connections(16, 0, 1 << 30), 1);
}

TEST(Connections, EachHaveAReadOfTheRange) {
  EXPECT_EQ(Connections(16, 64, 0), 1);
  EXPECT_EQ(Connections(16, 64, kMiB), 1);
  EXPECT_EQ(Connections(16, 64, kMiB + 1), 2);
  EXPECT_EQ(Connections(16, 64, 1 << 30, {.offset = 0, .length = 3 * kMiB}), 3);
  EXPECT_EQ(Connections(16, 64, 1 << 30, {.offset = (1 << 30) - 1, .length = UINT64_MAX}), 1);
  EXPECT_EQ(Connections(16, 64, 1, {.offset = 1 << 30, .length = UINT64_MAX}), 1);
}

TEST(Connections, AreOneUnlessMoreAreAskedFor) {
  EXPECT_EQ(PlanConnections(Options(), {kMiB, 64, 1}, 1 << 30), 1);
}

}  // namespace
}  // namespace nfs
