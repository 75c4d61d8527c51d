// The window with a consumer that takes chunks as they come, and gives them back in any
// order.
#include <algorithm>
#include <random>
#include <vector>

#include "client/stream/window.h"
#include "gtest/gtest.h"
#include "tests/client/window_world.h"

namespace nfs {
namespace {

// Plays the world out, at each step choosing by the digits of `choices`.
void Play(const Window::Options& options, uint64_t size, uint64_t choices) {
  World world(options, size);
  const auto choose = [&choices](size_t among) {
    const size_t choice = choices % among;
    choices /= among;
    return choice;
  };
  for (int steps = 0; !world.window().AtEnd(); ++steps) {
    ASSERT_LT(steps, 200) << "does not end: size " << size << " choices " << choices;
    world.Fill(world.held() == 0);
    if (world.held() == 0) world.ConsumeAny(1, 1);  // what it had no hand for before
    ASSERT_GT(world.in_flight() + world.held(), 0u) << "stands still: size " << size;
    if (world.in_flight() != 0) {
      const size_t which = choose(world.in_flight());
      world.Answer(which, choose(2) == 0 ? UINT32_MAX : 1);
    }
    world.ConsumeAny(1, 2 + choose(2));
    if (world.held() != 0 && choose(2) == 0) world.ReleaseAny(choose(world.held()));
    if (world.in_flight() == 0 && world.held() != 0) world.ReleaseAny(0);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(world.taken(), size);
}

TEST(EveryOrder, OfRepliesAndReleasesDeliversEveryByteOnceToItsPlace) {
  for (uint32_t window_chunks : {0u, 1u, 2u, 3u}) {
    for (uint64_t size : {0, 1, 3, 4, 5, 8, 11}) {
      for (uint64_t choices = 0; choices < 6 * 6 * 6 * 6; ++choices) {
        Play(SmallOptions(size, window_chunks), size, choices);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(RandomWorlds, WithConsumersThatTakeWhatComesDeliverTheFile) {
  uint64_t out_of_order = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const uint64_t size = random() % 200;
    Window::Options options =
        SmallOptions(random() % 3 == 0 ? random() % 400 : size, random() % 6, 1 + random() % 16);
    options.lent_chunks = 1 + random() % 3;
    options.begin = random() % 50;
    if (random() % 2 == 0) options.end = options.begin + random() % 100;
    const size_t at_least = 1 + random() % (2 * options.chunk_bytes);
    World world(options, size);
    for (int steps = 0; !world.window().AtEnd(); ++steps) {
      ASSERT_LT(steps, 5000);
      world.ResizeAtTimes(random());
      world.Fill(world.held() == 0, 1 + random() % 4);
      if (world.in_flight() != 0) {
        world.Answer(random() % world.in_flight(), random() % 2 ? UINT32_MAX : 1 + random() % 8,
                     random() % 4 != 0);
      }
      if (random() % 2 == 0) world.ConsumeAny(at_least, 1 + random() % 8);
      out_of_order += world.window().lent_end() > world.window().next_offset();
      while (world.held() != 0 && random() % 3 != 0) world.ReleaseAny(random() % world.held());
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    const uint64_t end = std::max(options.begin, std::min(size, options.end));
    EXPECT_EQ(world.taken(), end - options.begin);
  }
  EXPECT_GT(out_of_order, 1000u);
}

TEST(AnyOrder, LendsAChunkBehindOneThatIsStillToCome) {
  World world(SmallOptions(400, 3), 400);
  world.Fill(true);
  world.Answer(1, UINT32_MAX);
  const auto piece = world.window().LendAny(1);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(piece->offset, 4u);
  EXPECT_EQ(world.window().next_offset(), 0u);
  EXPECT_EQ(world.window().lent_end(), 8u);
  EXPECT_FALSE(world.window().LendAny(1).has_value());
}

TEST(AnyOrder, AChunkThatCameBackIsNotAskedForAgainBeforeThoseInFrontOfIt) {
  World world(SmallOptions(400, 3), 400);
  world.Fill(true);
  for (int i = 0; i < 2; ++i) world.Answer(1, UINT32_MAX);
  world.ConsumeAny(1, 2);
  world.ReleaseAny(1);
  world.ReleaseAny(0);
  world.Fill(true);
  EXPECT_EQ(world.in_flight(), 1u) << "beyond the window";
  world.Answer(0, UINT32_MAX);
  world.ConsumeAny(1, 1);
  world.Fill(true);
  EXPECT_EQ(world.in_flight(), 1u) << "there is memory for one more than the window";
  world.ReleaseAny(0);
  world.Fill(true);
  EXPECT_EQ(world.in_flight(), 3u);
}

TEST(AnyOrder, SmallChunksAreCollectedUntilTheyAreEnoughOrTheMemoryEnds) {
  Window::Options options = SmallOptions(400, 4);
  options.lent_chunks = 3;
  World world(options, 400);
  world.Fill(true);
  world.Answer(0, UINT32_MAX);
  EXPECT_FALSE(world.window().LendAny(8).has_value());
  world.Answer(0, UINT32_MAX);
  EXPECT_EQ(world.window().LendAny(8)->bytes.size(), 8u);
  world.window().ReleaseAny(0);
  for (int i = 0; i < 2; ++i) world.Answer(0, UINT32_MAX);
  world.Fill(true);
  EXPECT_EQ(world.window().LendAny(8)->bytes.size(), 8u);
  world.Fill(true);
  for (int i = 0; i < 3; ++i) world.Answer(1, UINT32_MAX);  // the first is behind the end
  EXPECT_EQ(world.window().LendAny(100)->bytes.size(), 12u) << "the memory has seven places";
}

}  // namespace
}  // namespace nfs
