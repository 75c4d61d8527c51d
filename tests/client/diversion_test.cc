// READ data that goes past memory, over a simulated network: whatever happens in the
// middle, every byte comes once and in order.
#include <cstdio>
#include <string>
#include <vector>

#include "client/errors.h"
#include "client/tools/copy.h"
#include "client/tools/output.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kSize = 6 * kMiB + 12345;

// How the pipe and its reader behave.
struct CopyHabits {
  bool is_pipe = true;
  int pipe_error = 0;    // an errno
  int splice_error = 0;  // likewise
  double pipe_bytes_per_second = 400e6;
  size_t pipe_takes = 256 * 1024;  // at a time
  size_t stalls_after = SIZE_MAX;  // bytes, for so long:
  absl::Duration stalls_for = absl::Milliseconds(200);
};

struct CopyOutcome {
  absl::Status status;
  std::vector<std::byte> bytes;
  uint64_t diverted_bytes = 0;
  std::string notes;
  bool reader_gone = false;
  uint64_t reconnects = 0;
};

// The pipe's reader takes nothing, once it has had so many bytes.
void StallWhen(io::SimulatedNetwork& network, io::SimulatedOutput& pipe, const CopyHabits& habits) {
  if (pipe.bytes.size() < habits.stalls_after) {
    return network.After(absl::Milliseconds(1), [&] { StallWhen(network, pipe, habits); });
  }
  pipe.stalled = true;
  network.After(habits.stalls_for, [&] { pipe.stalled = false; });
}

// What nfscat does, to a simulated pipe.
CopyOutcome CopyDiverting(SimulatedWorld& world, absl::string_view path, const CopyHabits& habits) {
  static std::string notes;
  notes.clear();
  world.options().note = [](absl::string_view text) { notes += std::string(text) + "\n"; };
  CopyOutcome outcome;
  auto session = world.Open(path);
  outcome.status = session.status();
  if (!session.ok()) return outcome;
  Output output = Output::StandardOutput();
  auto& transport = static_cast<io::SimulatedTransport&>((*session)->pump().transport());
  io::SimulatedOutput& pipe = transport.output(output.fd());
  pipe.is_pipe = habits.is_pipe;
  pipe.error = habits.pipe_error;
  pipe.bytes_per_second = habits.pipe_bytes_per_second;
  pipe.max_write = habits.pipe_takes;
  if (habits.stalls_after != SIZE_MAX) StallWhen(world.network(), pipe, habits);
  pipe.refuses_splice_with = habits.splice_error;
  outcome.status = CopyFrom(**session, Range(), CopyWishes(), output);
  outcome.bytes = pipe.bytes;
  outcome.notes = notes;
  const size_t spliced = notes.find("spliced ");
  if (spliced != std::string::npos) {
    outcome.diverted_bytes = std::stoull(notes.substr(spliced + 8));
  }
  outcome.reader_gone = output.reader_gone();
  outcome.reconnects = (*session)->connection().counters().reconnects;
  return outcome;
}

class Diversion : public testing::Test {
 protected:
  Diversion() {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    world_.options().readahead = 4 * kMiB;
    world_.options().timeout = absl::Seconds(2);
  }

  void Rules(const std::string& rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()); }

  // The whole file, and that it is.
  CopyOutcome CopyAll(const CopyHabits& habits = {}) {
    const CopyOutcome outcome = CopyDiverting(world_, "/export/file", habits);
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(outcome.bytes == PatternOf(0, kSize)) << outcome.bytes.size() << " bytes";
    return outcome;
  }

  SimulatedWorld world_;
};

TEST_F(Diversion, OfAnUndisturbedStreamIsOfEveryByte) {
  const CopyOutcome outcome = CopyAll();
  EXPECT_EQ(outcome.diverted_bytes, 6 * kMiB) << "all but the last, small READ";
  EXPECT_EQ(world_.server().log().counters().reads, 7u);
}

TEST_F(Diversion, OfSegmentsOfAnySize) {
  for (size_t segment : {100, 131, 132, 133, 1448, 60'000}) {
    world_.SetLinks({.delay = absl::Microseconds(10), .segment_bytes = segment});
    EXPECT_GE(CopyAll().diverted_bytes, kMiB) << segment;
  }
}

TEST_F(Diversion, SendsNoReadTwiceWhenThePipeIsSlow) {
  const CopyOutcome outcome = CopyAll({.pipe_bytes_per_second = 50e6, .pipe_takes = 65536});
  EXPECT_EQ(world_.server().log().counters().reads, 7u);
  EXPECT_GE(outcome.diverted_bytes, 5 * kMiB);
}

TEST_F(Diversion, GivesWayToMemoryWhenThePipeStandsStill) {
  const CopyOutcome outcome = CopyAll({.stalls_after = 2 * kMiB + 777});
  EXPECT_LT(outcome.diverted_bytes, 6 * kMiB);
}

TEST_F(Diversion, OfRepliesOutOfOrderIsOfThoseThatAreNextOnly) {
  Rules("READ hold=3 order=2,1,0");
  const CopyOutcome outcome = CopyAll();
  EXPECT_LT(outcome.diverted_bytes, 4 * kMiB);
}

TEST_F(Diversion, OfShortReadsGoesOnBehindThem) {
  Rules("READ every=2 short=300000");
  EXPECT_GT(CopyAll().diverted_bytes, kMiB);
}

TEST_F(Diversion, IsNotOfRepliesWithoutRoomForDoubt) {
  Rules("READ frag=1000");
  EXPECT_EQ(CopyAll().diverted_bytes, 0u);
}

TEST_F(Diversion, OfAFileWithoutASizeIsNot) {
  Rules("* poke=size:0");
  EXPECT_EQ(CopyAll().diverted_bytes, 0u);
}

TEST_F(Diversion, IsFollowedByTheRestWhenTheConnectionIsLostInTheMiddle) {
  for (const int cut : {1, 131, 132, 133, 200'000, 1'048'707, 1'048'708}) {
    SimulatedWorld world;
    world.tree().AddFile("/export/file", server::PatternContents(kSize));
    world.SetLinks({.delay = absl::Milliseconds(1), .segment_bytes = 30'000});
    ASSERT_TRUE(world.server().AddRules("READ nth=2 rst=" + std::to_string(cut)).ok());
    ASSERT_TRUE(world.server().AddRules("READ nth=5 fin=" + std::to_string(cut)).ok());
    const CopyOutcome outcome = CopyDiverting(world, "/export/file", {});
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(outcome.bytes == PatternOf(0, kSize)) << cut;
    EXPECT_GE(outcome.diverted_bytes, kMiB) << cut;
  }
}

TEST_F(Diversion, EndsWithoutAByteOfAFileThatHasChanged) {
  Rules("READ nth=4 truncate=1000000");
  const CopyOutcome outcome = CopyDiverting(world_, "/export/file", {});
  EXPECT_EQ(KindOf(outcome.status), ErrorKind::kFileChanged) << outcome.status;
  EXPECT_LE(outcome.bytes.size(), 4 * kMiB);
  EXPECT_TRUE(outcome.bytes == PatternOf(0, outcome.bytes.size())) << "not a prefix";
}

// The READ is sent again, and answered by a server that has forgotten what was written last.
TEST_F(Diversion, OfBytesThatTheServerThenDeniesEndsTheStream) {
  world_.SetLinks({.delay = absl::Milliseconds(1), .segment_bytes = 30'000});
  Rules("READ nth=1 rst=500000");
  Rules("READ nth=2.. short=0 eof=true poke=size:0");
  const CopyOutcome outcome = CopyDiverting(world_, "/export/file", {});
  EXPECT_FALSE(outcome.status.ok());
  EXPECT_TRUE(outcome.bytes == PatternOf(0, outcome.bytes.size())) << "not a prefix";
}

TEST_F(Diversion, WhereTheKernelHasNoSpliceIsTriedOnceAndSaid) {
  const CopyOutcome outcome = CopyAll({.splice_error = 38});
  EXPECT_EQ(outcome.diverted_bytes, 0u);
  EXPECT_THAT(outcome.notes, HasSubstr("copying to the pipe: splice: ENOSYS (38)"));
}

TEST_F(Diversion, IsToldInANote) {
  EXPECT_THAT(CopyAll().notes, HasSubstr("spliced 6291456 of 6303801 bytes to the pipe"));
}

TEST_F(Diversion, ToWhatIsNoPipeIsNotTriedNorTold) {
  const CopyOutcome outcome = CopyAll({.is_pipe = false});
  EXPECT_EQ(outcome.diverted_bytes, 0u);
  EXPECT_EQ(outcome.notes, "");
}

TEST_F(Diversion, OfAPipeWhoseReaderIsGoneIsAnErrorOfTheOutput) {
  const CopyOutcome outcome = CopyDiverting(world_, "/export/file", {.pipe_error = 32});
  EXPECT_EQ(KindOf(outcome.status), ErrorKind::kLocal) << outcome.status;
  EXPECT_TRUE(outcome.reader_gone);
}

// A long silence of the pipe must not be taken for one of the server.
TEST_F(Diversion, OfAPipeThatStopsForMinutesCostsNoConnection) {
  const CopyOutcome outcome =
      CopyAll({.stalls_after = 2 * kMiB + 777, .stalls_for = absl::Minutes(5)});
  EXPECT_EQ(outcome.reconnects, 0u);
}

}  // namespace
}  // namespace nfs
