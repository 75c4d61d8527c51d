// How many connections a whole stream comes to have when nobody has said, in virtual time. The
// rules themselves are tested in widening_test.cc.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/stream/file_stream.h"
#include "gtest/gtest.h"
#include "io/simulated_network.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr absl::Duration kRoundTrip = absl::Milliseconds(200);

// A long path at 100 MB/s, on which one connection carries 3 MiB in a round trip: 15.7 MB/s.
io::LinkPolicy LongPath() {
  return {.delay = kRoundTrip / 2,
          .bytes_per_second = 100e6,
          .window_bytes = kMiB,
          .receive_window_bytes = 3 * kMiB};
}

struct Outcome {
  absl::Duration took;
  int connections = 0;  // at most, at any time
  int in_the_end = 0;
  uint64_t window_in_the_end = 0;
};

class AutomaticConnections : public testing::Test {
 protected:
  AutomaticConnections() {
    world_.network().set_privileged(false);
    world_.options().rsize = 512 * 1024;
  }

  Outcome Read(uint64_t bytes, const io::LinkPolicy& link,
               std::optional<int> nconnect = std::nullopt) {
    const std::string path = absl::StrCat("/export/file", ++files_);
    world_.tree().AddFile(path, server::PatternContents(bytes));
    world_.SetLinks(link);
    world_.options().nconnect = nconnect;
    auto session = world_.Open(path);
    EXPECT_TRUE(session.ok()) << session.status();
    auto stream = FileStream::Make(**session, Range(), 0);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return Read(**session, **stream);
  }

  SimulatedWorld world_;

 private:
  static Outcome Read(Session& session, FileStream& stream) {
    const absl::Time begin = session.pump().transport().Now();
    Outcome outcome;
    while (!stream.AtEnd() && stream.status().ok()) {
      if (const auto bytes = stream.Lend()) {
        const uint64_t begins = stream.position() - bytes->size();
        EXPECT_EQ(bytes->front(), PatternOf(begins, 1).front()) << "at " << begins;
        stream.Release();
        continue;
      }
      stream.Turn(true, absl::InfiniteFuture());
      outcome.connections = std::max(outcome.connections, session.trunk().connected());
    }
    EXPECT_TRUE(stream.status().ok()) << stream.status();
    outcome.took = session.pump().transport().Now() - begin;
    outcome.in_the_end = session.trunk().connected();
    outcome.window_in_the_end = stream.window_bytes();
    return outcome;
  }

  int files_ = 0;
};

TEST_F(AutomaticConnections, FillAPathThatOneReceiveWindowDoesNot) {
  const Outcome one = Read(400 * kMiB, LongPath(), 1);
  const Outcome automatic = Read(400 * kMiB, LongPath());
  EXPECT_EQ(one.connections, 1);
  EXPECT_GE(automatic.connections, 8);
  EXPECT_LE(automatic.took, one.took / 3);
}

TEST_F(AutomaticConnections, AreOneForASmallFile) {
  EXPECT_EQ(Read(4 * kMiB, LongPath()).connections, 1);
}

TEST_F(AutomaticConnections, AreOneOnALocalNetwork) {
  const io::LinkPolicy local = {.delay = absl::Microseconds(100),
                                .bytes_per_second = 1.25e9,
                                .receive_window_bytes = 3 * kMiB};
  EXPECT_EQ(Read(500 * kMiB, local).connections, 1);
}

// Others bring no more there, and have gone by the end.
TEST_F(AutomaticConnections, AreOneAgainWhereThePathIsFull) {
  io::LinkPolicy link = LongPath();
  link.bytes_per_second = 8e6;
  const Outcome outcome = Read(200 * kMiB, link);
  EXPECT_GT(outcome.connections, 1);
  EXPECT_EQ(outcome.in_the_end, 1);
}

// When sixteen do not fill the path either.
TEST_F(AutomaticConnections, HaveLargerReceiveBuffersWhereTheProcessMay) {
  world_.options().max_memory = 1024 * kMiB;
  io::LinkPolicy link = LongPath();
  link.receive_window_bytes = kMiB;
  const Outcome without = Read(600 * kMiB, link);
  world_.network().set_privileged(true);
  const Outcome with = Read(600 * kMiB, link);
  EXPECT_EQ(without.connections, kMostConnections);
  EXPECT_EQ(with.connections, kMostConnections);
  EXPECT_LE(with.took, 0.95 * without.took);
}

TEST_F(AutomaticConnections, CountReceiveBuffersAsMemoryOfTheStream) {
  world_.network().set_privileged(true);
  world_.options().max_memory = 512 * kMiB;
  io::LinkPolicy link = LongPath();
  link.receive_window_bytes = kMiB;
  const Outcome outcome = Read(600 * kMiB, link);
  EXPECT_EQ(outcome.connections, kMostConnections);
  EXPECT_LE(outcome.window_in_the_end, 384 * kMiB);
}

}  // namespace
}  // namespace nfs
