// The readahead window: the small worlds exhaustively, larger ones by seed.
#include "client/stream/window.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "client/stream/arena.h"
#include "gtest/gtest.h"
#include "tests/client/window_world.h"

namespace nfs {
namespace {

// --- Every order of replies x short answers, for small files ------------------

// Plays the world out, at each step choosing by the digits of `choices`; returns
// whether there was a choice left to make beyond them.
void Play(const Window::Options& options, uint64_t size, uint64_t choices) {
  World world(options, size);
  for (int steps = 0; !world.window().AtEnd(); ++steps) {
    ASSERT_LT(steps, 200) << "does not end: size " << size << " choices " << choices;
    world.Fill(true);
    ASSERT_GT(world.in_flight(), 0u) << "stands still: size " << size << " choices " << choices;
    const size_t which = choices % world.in_flight();
    choices /= world.in_flight();
    const uint32_t most = choices % 2 == 0 ? UINT32_MAX : 1;
    choices /= 2;
    world.Answer(which, most);
    world.Consume();
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(world.delivered(), size);
}

TEST(EveryOrder, OfRepliesAndShortReadsDeliversTheFileOnceAndInOrder) {
  for (uint32_t window_chunks : {0u, 1u, 2u, 3u}) {
    for (uint64_t size : {0, 1, 3, 4, 5, 8, 11}) {
      for (uint64_t choices = 0; choices < 6 * 6 * 6 * 6; ++choices) {
        Play(SmallOptions(size, window_chunks), size, choices);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(RandomWorlds, WithWrongHintsAndSlowConsumersDeliverTheFile) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const uint64_t size = random() % 200;
    Window::Options options =
        SmallOptions(random() % 3 == 0 ? random() % 400 : size, random() % 6, 1 + random() % 16);
    options.lent_chunks = 1 + random() % 3;
    options.begin = random() % 50;
    if (random() % 2 == 0) options.end = options.begin + random() % 100;
    World world(options, size);
    for (int steps = 0; !world.window().AtEnd(); ++steps) {
      ASSERT_LT(steps, 5000);
      world.ResizeAtTimes(random());
      const bool waits = random() % 3 != 0;
      world.Fill(waits, 1 + random() % 4);
      if (world.in_flight() != 0) {
        world.Answer(random() % world.in_flight(), random() % 2 ? UINT32_MAX : 1 + random() % 8,
                     random() % 4 != 0);
      }
      if (random() % 2 == 0) world.Consume(false);
      while (world.window().lent() != 0 && random() % 4 != 0) world.window().Release();
      ASSERT_FALSE(HasFatalFailure());
    }
    const uint64_t end = std::max(options.begin, std::min(size, options.end));
    EXPECT_EQ(world.delivered(), end - options.begin);
  }
}

// With bytes that go past memory: all of an answer, some of one that comes to its end
// afterwards, or some of one that never comes, so that another one brings them again, or
// only some of them.
TEST(RandomWorlds, WithBytesThatGoPastMemoryDeliverTheFile) {
  uint64_t handed_out = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const uint64_t size = random() % 200;
    Window::Options options = SmallOptions(size, random() % 6, 1 + random() % 16);
    options.lent_chunks = 1 + random() % 3;
    options.begin = random() % 50;
    if (random() % 2 == 0) options.end = options.begin + random() % 100;
    World world(options, size);
    for (int steps = 0; !world.window().AtEnd(); ++steps) {
      ASSERT_LT(steps, 5000);
      world.ResizeAtTimes(random());
      world.Fill(random() % 3 != 0, 1 + random() % 4);
      if (world.in_flight() != 0) {
        const size_t which = random() % world.in_flight();
        const uint32_t most = random() % 2 ? UINT32_MAX : 1 + random() % 8;
        const uint32_t part = random() % 2 ? most : 1 + random() % most;
        if (random() % 2 == 0) handed_out += world.HandOut(which, part);
        if (random() % 3 != 0) world.Answer(which, random() % 4 ? most : 1 + random() % 8);
      }
      if (random() % 2 == 0) world.Consume(false);
      while (world.window().lent() != 0 && random() % 4 != 0) world.window().Release();
      ASSERT_FALSE(HasFailure());
    }
    const uint64_t end = std::max(options.begin, std::min(size, options.end));
    EXPECT_EQ(world.delivered(), end - options.begin);
  }
  EXPECT_GT(handed_out, 30'000u);
}

TEST(Window, HandsOutTheNextChunkOnlyAndOnlyWhenNothingIsLent) {
  World world(SmallOptions(400, 3), 400);
  world.Fill(true);
  EXPECT_EQ(world.window().PlaceOf(0), Window::Place::kNext);
  EXPECT_EQ(world.window().PlaceOf(1), Window::Place::kLater);
  world.Answer(0, UINT32_MAX);
  EXPECT_EQ(world.window().PlaceOf(1), Window::Place::kBehind) << "behind what is ready";
  world.Consume(/*release=*/false);
  EXPECT_EQ(world.window().PlaceOf(1), Window::Place::kBehind) << "behind what is lent";
  world.window().Release();
  EXPECT_EQ(world.window().PlaceOf(1), Window::Place::kNext);
}

TEST(Window, LendsWhatIsLeftOfAChunkWhoseBeginningWasHandedOut) {
  World world(SmallOptions(8, 2), 8);
  world.Fill(true);
  EXPECT_EQ(world.HandOut(0, 3), 3u);
  world.Answer(0, UINT32_MAX);
  const auto bytes = world.window().Lend();
  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->size(), 1u);
}

TEST(Window, AsksForTheNextChunkWhenOneWasHandedOutWhole) {
  World world(SmallOptions(400, 1), 400);
  world.Fill(false);
  EXPECT_EQ(world.HandOut(0, 4), 4u);
  world.Fill(false);
  EXPECT_EQ(world.in_flight(), 1u) << "its READ is not answered yet";
  world.Answer(0, UINT32_MAX);
  EXPECT_FALSE(world.window().Lend().has_value());
  EXPECT_EQ(world.window().lent(), 0u);
  world.Fill(false);
  EXPECT_EQ(world.in_flight(), 1u);
}

TEST(Window, BytesOfAnAnswerThatComesAgainAreNotHandedOutTwice) {
  World world(SmallOptions(8, 2), 8);
  world.Fill(true);
  EXPECT_EQ(world.HandOut(0, 3), 3u);
  EXPECT_EQ(world.window().PlaceOf(0), Window::Place::kLater) << "the next answer begins before";
}

// --- Single rules ------------------------------------------------------------

TEST(Window, AsksForItsChunksAheadAndNoMore) {
  World world(SmallOptions(400, 3), 400);
  world.Fill(false);
  EXPECT_EQ(world.in_flight(), 3u);
}

TEST(Window, OfNothingAsksForOneChunkAndOnlyWhenTheConsumerWaits) {
  World world(SmallOptions(400, 0), 400);
  world.Fill(false);
  EXPECT_EQ(world.in_flight(), 0u);
  world.Fill(true);
  EXPECT_EQ(world.in_flight(), 1u);
}

TEST(Window, SendsExactlyTheReadsThatTheSizeNeeds) {
  for (uint64_t size : {1, 4, 5, 8, 399, 400}) {
    World world(SmallOptions(size, 3), size);
    while (!world.window().AtEnd()) {
      world.Fill(true);
      world.Answer(0, UINT32_MAX);
      world.Consume();
    }
    EXPECT_EQ(world.reads(), static_cast<int>((size + 3) / 4)) << size;
  }
}

TEST(Window, AsksForAnEmptyFileOnce) {
  World world(SmallOptions(0, 3), 0);
  world.Fill(true);
  EXPECT_EQ(world.in_flight(), 1u);
  world.Answer(0, UINT32_MAX);
  EXPECT_TRUE(world.window().AtEnd());
  EXPECT_EQ(world.reads(), 1);
}

TEST(Window, ReadsOnPastTheHintWhenTheFileGrew) {
  World world(SmallOptions(8, 2), 21);
  while (!world.window().AtEnd()) {
    world.Fill(true);
    world.Answer(0, UINT32_MAX);
    world.Consume();
  }
  EXPECT_EQ(world.delivered(), 21u);
}

TEST(Window, StopsAtTheServersEofWhateverTheHintWas) {
  World world(SmallOptions(uint64_t{1} << 63, 3), 37);
  while (!world.window().AtEnd()) {
    world.Fill(true);
    world.Answer(world.in_flight() - 1, UINT32_MAX);
    world.Consume();
  }
  EXPECT_EQ(world.delivered(), 37u);
  EXPECT_EQ(world.window().eof(), 37u);
}

TEST(Window, LendsNoMoreThanTheConsumerMayHold) {
  Window::Options options = SmallOptions(400, 3);
  options.lent_chunks = 2;
  World world(options, 400);
  world.Fill(true);
  for (int i = 0; i < 3; ++i) world.Answer(0, UINT32_MAX);
  world.Consume(false);
  EXPECT_EQ(world.window().lent(), 2u);
  EXPECT_FALSE(world.window().Lend().has_value());
  world.window().Release();
  EXPECT_TRUE(world.window().Lend().has_value());
}

TEST(Window, LendsWhatLiesSideBySideAsOnePiece) {
  Window::Options options = SmallOptions(400, 3);
  options.lent_chunks = 2;
  World world(options, 400);
  world.Fill(true);
  world.Answer(0, UINT32_MAX);
  world.Answer(1, UINT32_MAX);  // the third: its place is not the next
  EXPECT_EQ(world.window().Lend()->size(), options.chunk_bytes);
  world.Answer(0, UINT32_MAX);
  EXPECT_EQ(world.window().Lend()->size(), options.chunk_bytes) << "more than may be lent";
  world.window().Release();
  world.window().Release();
  EXPECT_EQ(world.window().lent(), 0u);
}

// The ring has five places: the piece ends with the last of them.
TEST(Window, LendsNoPieceAroundTheEndOfItsMemory) {
  Window::Options options = SmallOptions(400, 3);
  options.lent_chunks = 2;
  World world(options, 400);
  std::vector<size_t> sizes;
  for (int round = 0; round < 4; ++round) {
    world.Fill(true);
    while (world.in_flight() != 0) world.Answer(0, UINT32_MAX);
    sizes.push_back(world.window().Lend()->size() / options.chunk_bytes);
    world.window().Release();
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{2, 2, 1, 2}));
}

// Where the memory of the next `chunks` chunks is, each different place once.
std::set<const std::byte*> MemoryOfTheNext(int chunks, Window& window) {
  std::set<const std::byte*> places;
  std::deque<ChunkId> in_flight;
  for (int i = 0; i < chunks;) {
    while (const auto ask = window.NextAsk(true)) {
      places.insert(ask->memory.data());
      in_flight.push_back(ask->chunk);
    }
    window.OnAnswer(in_flight.front(), 4, false);
    in_flight.pop_front();
    for (; window.Lend().has_value(); ++i) window.Release();
  }
  while (!in_flight.empty()) {
    window.OnAnswer(in_flight.front(), 4, false);
    in_flight.pop_front();
  }
  while (window.Lend().has_value()) window.Release();
  return places;
}

TEST(AWindow, UsesNoMoreMemoryThanItsSizeNeedsWhateverItMayHave) {
  const Window::Options options = SmallOptions(1 << 30, 64);
  std::vector<std::byte> memory(Window::ChunkCount(options) * options.chunk_bytes);
  Window window(options, memory);
  for (const uint32_t chunks : {4u, 64u, 7u, 20u, 1u}) {
    window.Resize(chunks);
    const auto places = MemoryOfTheNext(1000, window);
    EXPECT_LE(places.size(), chunks + options.lent_chunks);
    EXPECT_GE(places.size(), chunks);
    EXPECT_LT(*places.rbegin() - memory.data(), (chunks + options.lent_chunks) * 4);
  }
}

TEST(AWindow, GrowsAndShrinksWhileReadsAreInFlight) {
  const Window::Options options = SmallOptions(1 << 30, 16);
  std::vector<std::byte> memory(Window::ChunkCount(options) * options.chunk_bytes);
  Window window(options, memory);
  const auto ask = [&window] {
    int asks = 0;
    while (window.NextAsk(false)) ++asks;
    return asks;
  };
  window.Resize(2);
  EXPECT_EQ(ask(), 2);
  window.Resize(16);
  EXPECT_EQ(ask(), 14);
  window.Resize(3);
  for (ChunkId chunk = 0; chunk < 13; ++chunk) {
    window.OnAnswer(chunk, 4, false);
    if (window.Lend()) window.Release();
    EXPECT_EQ(ask(), 0) << chunk;
  }
  window.OnAnswer(13, 4, false);
  ASSERT_TRUE(window.Lend());
  EXPECT_EQ(ask(), 1);
}

TEST(Window, ReadsAtOffsetsBeyondFourGigabytes) {
  Window::Options options = SmallOptions(uint64_t{5} << 30, 1, 8);
  options.begin = (uint64_t{1} << 32) + 3;
  options.end = options.begin + 20;
  World world(options, uint64_t{5} << 30);
  while (!world.window().AtEnd()) {
    world.Fill(true);
    world.Answer(0, UINT32_MAX);
    world.Consume();
  }
  EXPECT_EQ(world.delivered(), 20u);
}

TEST(Window, AtTheVeryEndOfTheNumbersDoesNotWrapAround) {
  Window::Options options = SmallOptions(UINT64_MAX, 2, 16);
  options.begin = UINT64_MAX - 5;
  World world(options, UINT64_MAX);
  for (int i = 0; i < 4 && !world.window().AtEnd(); ++i) {
    world.Fill(true);
    if (world.in_flight() != 0) world.Answer(0, UINT32_MAX);
    world.Consume();
  }
  EXPECT_TRUE(world.window().AtEnd());
  EXPECT_EQ(world.delivered(), 5u);
}

TEST(WindowDeathTest, ACountBeyondWhatWasAskedForIsTheCallersMistake) {
#ifdef NDEBUG
  GTEST_SKIP() << "assertions are compiled out";
#endif
  const Window::Options options = SmallOptions(400, 1);
  std::vector<std::byte> memory(8);
  Window window(options, memory);
  const auto ask = window.NextAsk(true);
  EXPECT_DEATH(window.OnAnswer(ask->chunk, 5, false), "");
}

TEST(Arena, IsWritableAndSurvivesMoving) {
  for (const size_t bytes : {size_t{100'000}, size_t{5'000'000}}) {
    for (const uint64_t used : {uint64_t{1}, UINT64_MAX}) {
      auto arena = Arena::Make(bytes, used);
      ASSERT_TRUE(arena.ok());
      Arena moved = *std::move(arena);
      std::memset(moved.memory().data(), 1, moved.memory().size());
      EXPECT_EQ(moved.memory().size(), bytes);
    }
  }
}

}  // namespace
}  // namespace nfs
