// The window of a whole stream that nobody has chosen, over paths of many kinds. What the
// controller itself does is in readahead.h.
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "client/stream/file_stream.h"
#include "gtest/gtest.h"
#include "io/simulated_network.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

constexpr uint64_t kMiB = 1 << 20;

struct Path {
  absl::Duration round_trip;
  double bytes_per_second = 0;
  size_t tcp_window = 256 * kMiB;
  std::optional<int> nconnect;
};

struct Outcome {
  absl::Duration took;
  uint64_t window = 0;   // in the end
  uint64_t largest = 0;  // at any time
};

// Reads a file of so many bytes; the consumer takes `pause` for each piece.
Outcome Read(const Path& path, uint64_t bytes, std::optional<uint64_t> readahead,
             absl::Duration pause = absl::ZeroDuration(), uint64_t max_memory = 256 * kMiB) {
  SimulatedWorld world;
  world.tree().AddFile("/export/file", server::PatternContents(bytes));
  world.SetLinks({.delay = path.round_trip / 2,
                  .bytes_per_second = path.bytes_per_second,
                  .window_bytes = path.tcp_window});
  world.options().nconnect = path.nconnect;
  world.options().readahead = readahead;
  world.options().max_memory = max_memory;
  auto session = world.Open("/export/file");
  EXPECT_TRUE(session.ok()) << session.status();
  auto stream = FileStream::Make(**session, Range(), 0);
  EXPECT_TRUE(stream.ok()) << stream.status();
  const absl::Time begin = (*session)->pump().transport().Now();
  Outcome run;
  absl::Time busy_until = begin;
  while (!(*stream)->AtEnd() && (*stream)->status().ok()) {
    const absl::Time now = (*session)->pump().transport().Now();
    const bool takes = now >= busy_until;
    if (takes && (*stream)->Lend()) {
      (*stream)->Release();
      busy_until = now + pause;
      continue;
    }
    (*stream)->Turn(takes, takes ? absl::InfiniteFuture() : busy_until);
    run.largest = std::max(run.largest, (*stream)->window_bytes());
  }
  EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
  run.took = (*session)->pump().transport().Now() - begin;
  run.window = (*stream)->window_bytes();
  return run;
}

TEST(AnAutomaticWindow, FillsALongPathAsALargeFixedOneDoes) {
  const Path path = {absl::Milliseconds(200), 50e6};
  const Outcome fixed = Read(path, 400 * kMiB, 64 * kMiB);
  const Outcome automatic = Read(path, 400 * kMiB, std::nullopt);
  EXPECT_LE(automatic.took, 1.05 * fixed.took + 25 * path.round_trip / 5);
  EXPECT_GE(automatic.window, 10'000'000u) << "rate x round trip";
  EXPECT_GT(Read(path, 400 * kMiB, 4 * kMiB).took, 2 * automatic.took);
}

TEST(AnAutomaticWindow, StaysSmallWhereThatFillsThePath) {
  const Outcome run = Read({absl::Microseconds(200), 1.25e9}, 400 * kMiB, std::nullopt);
  EXPECT_LE(run.window, 8 * kMiB);
}

// Only a number of connections that has found itself has paces, which bound what is in flight.
TEST(AnAutomaticWindow, StaysSmallOverConnectionsThatTheUserAskedFor) {
  const Path path = {
      .round_trip = absl::Microseconds(200), .bytes_per_second = 1.25e9, .nconnect = 4};
  const Outcome run = Read(path, 400 * kMiB, std::nullopt);
  EXPECT_LE(run.window, 16 * kMiB) << "as over one: twice the least, here two READs for each";
}

TEST(AnAutomaticWindow, DoesNotGrowForAConsumerThatIsSlowerThanThePath) {
  const Path path = {absl::Milliseconds(20), 500e6};
  // 50 MB/s, of which a round trip holds 1 MB.
  const Outcome run = Read(path, 100 * kMiB, std::nullopt, absl::Milliseconds(20));
  EXPECT_LE(run.window, 8 * kMiB);
}

TEST(AnAutomaticWindow, NeverExceedsTheMemoryThatItMayHave) {
  const Outcome run = Read({absl::Milliseconds(400), 100e6}, 200 * kMiB, std::nullopt,
                           absl::ZeroDuration(), 16 * kMiB);
  EXPECT_LE(run.largest, 16 * kMiB);
  EXPECT_GE(run.largest, 14 * kMiB) << "but is as large as it may be";
}

}  // namespace
}  // namespace nfs
