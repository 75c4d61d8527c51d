// The READ stream over a simulated network: what is sent when, and what comes of it.
#include "client/stream/file_stream.h"

#include <string>
#include <vector>

#include "client/errors.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using Outcome = SimulatedWorld::Outcome;

constexpr uint64_t kMiB = 1 << 20;

void AddPattern(SimulatedWorld& world, uint64_t size) {
  world.tree().AddFile("/export/file", server::PatternContents(size));
}

// --- How fast: exact, in round trips ------------------------------------------

class RoundTrips : public testing::Test {
 protected:
  // Reads 64 MiB at rsize 1 MiB from a server that takes 50 ms for every reply.
  absl::Duration TimeWith(uint64_t readahead, int slots = 64) {
    SimulatedWorld world;
    AddPattern(world, 64 * kMiB);
    EXPECT_TRUE(world.server().AddRules("READ delay=50ms").ok());
    world.options().readahead = readahead;
    world.options().slots = slots;
    const Outcome outcome = world.Stream("/export/file");
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, 64 * kMiB));
    EXPECT_EQ(world.server().log().counters().reads, 64u);
    return outcome.streaming;
  }
};

TEST_F(RoundTrips, AWindowOfSixteenReadsTakesFourForSixtyFour) {
  EXPECT_EQ(TimeWith(16 * kMiB), 4 * absl::Milliseconds(50));
}

TEST_F(RoundTrips, WithoutReadaheadEveryReadTakesOne) {
  EXPECT_EQ(TimeWith(0), 64 * absl::Milliseconds(50));
}

TEST_F(RoundTrips, SlotsDisposeWhatReadaheadProposes) {
  EXPECT_EQ(TimeWith(16 * kMiB, /*slots=*/2), 32 * absl::Milliseconds(50));
}

TEST_F(RoundTrips, AWindowOverTheWholeFileTakesOne) {
  EXPECT_EQ(TimeWith(64 * kMiB), absl::Milliseconds(50));
}

TEST(LongPath, OfFourHundredMillisecondsIsFilledByItsWindow) {
  SimulatedWorld world(absl::Milliseconds(200));
  // Large enough TCP windows, so that only the readahead counts.
  world.SetLink(nfs3::kPort, {.delay = absl::Milliseconds(200), .window_bytes = 1 << 30});
  AddPattern(world, 64 * kMiB);
  world.options().readahead = 16 * kMiB;
  const Outcome outcome = world.Stream("/export/file");
  EXPECT_EQ(outcome.bytes, PatternOf(0, 64 * kMiB));
  EXPECT_EQ(outcome.streaming, 4 * absl::Milliseconds(400));
}

// --- What is asked for -----------------------------------------------------------

TEST(Reads, AreAsManyAsTheSizeNeedsWhateverTheWindow) {
  for (uint64_t size : {0, 1, 4095, 4096, 4097, 65536, 100000}) {
    for (uint64_t readahead : {0, 4096, 20000, 1 << 20}) {
      SimulatedWorld world;
      AddPattern(world, size);
      world.options().rsize = 4096;
      world.options().readahead = readahead;
      const Outcome outcome = world.Stream("/export/file");
      EXPECT_TRUE(outcome.status.ok()) << outcome.status;
      EXPECT_EQ(outcome.bytes, PatternOf(0, size)) << size << " " << readahead;
      const uint64_t expected = std::max<uint64_t>((size + 4095) / 4096, 1);
      EXPECT_EQ(world.server().log().counters().reads, expected) << size << " " << readahead;
    }
  }
}

TEST(Reads, InFlightAreNeverMoreThanTheSlots) {
  SimulatedWorld world(absl::Milliseconds(5));
  AddPattern(world, kMiB);
  world.options().rsize = 4096;
  world.options().slots = 7;
  world.options().readahead = kMiB;
  EXPECT_TRUE(world.Stream("/export/file").status.ok());
  EXPECT_EQ(world.server().log().counters().max_reads_in_flight, 7u);
}

TEST(Range, IsCutOutExactly) {
  for (const Range& range : {Range{0, 1}, Range{1, 1}, Range{4095, 2}, Range{5000, 50000},
                             Range{99999, 100}, Range{100000, 1}, Range{200000, 5}, Range{7, 0}}) {
    SimulatedWorld world;
    AddPattern(world, 100000);
    world.options().rsize = 4096;
    const Outcome outcome = world.Stream("/export/file", range);
    const uint64_t end = std::min<uint64_t>(100000, range.offset + range.length);
    const uint64_t size = end > range.offset ? end - range.offset : 0;
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(range.offset, size)) << range.offset;
  }
}

TEST(Range, BeyondFourGigabytesIsAskedForAtItsOffset) {
  SimulatedWorld world;
  AddPattern(world, uint64_t{5} << 30);
  const uint64_t offset = (uint64_t{1} << 32) + 12345;
  const Outcome outcome = world.Stream("/export/file", {offset, 3 * kMiB});
  EXPECT_EQ(outcome.bytes, PatternOf(offset, 3 * kMiB));
  EXPECT_EQ(world.server().log().calls(nfs3::kRead).front().arguments.offset, offset);
}

// --- Servers that answer in their own way ------------------------------------------

struct Oddity {
  const char* situation;
  const char* rules;
};

class OddAnswers : public testing::TestWithParam<Oddity> {};

TEST_P(OddAnswers, StillGiveTheWholeFileInOrder) {
  SimulatedWorld world(absl::Milliseconds(1));
  AddPattern(world, 300001);
  ASSERT_TRUE(world.server().AddRules(GetParam().rules).ok());
  world.options().rsize = 8192;
  world.options().readahead = 65536;
  const Outcome outcome = world.Stream("/export/file");
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes, PatternOf(0, 300001));
}

INSTANTIATE_TEST_SUITE_P(
    Servers, OddAnswers,
    testing::Values(
        Oddity{"Reordered", "READ hold=4 order=3,2,1,0"}, Oddity{"AllShort", "READ short=1000"},
        Oddity{"SomeShort", "READ every=3 short=1"}, Oddity{"NoAttributes", "READ noattr"},
        Oddity{"NoAttributesAnywhere", "* noattr"}, Oddity{"Fragmented", "* frag=1,2,3,100"},
        Oddity{"OneByteFragments", "READ nth=1..3 frag=1"}, Oddity{"Verifier", "* verifier=6:399"},
        Oddity{"Surplus", "* junk=12"}, Oddity{"MoreThanAsked", "READ nth=5 over=4096"},
        Oddity{"Twice", "READ every=2 dup=1ms"}, Oddity{"Jitter", "READ every=3 delay=7ms"},
        Oddity{"NoFsinfo", "FSINFO accept=PROC_UNAVAIL"},
        Oddity{"FsinfoRefused", "FSINFO status=NOTSUPP"},
        Oddity{"NoAccess", "ACCESS status=NOTSUPP"},
        Oddity{"NeverEofWithData", "READ every=1 offset=..299999 eof=false"},
        Oddity{"InvalAtTheEnd", "READ eof=false\nREAD offset=300001.. status=INVAL"}),
    [](const auto& test) { return std::string(test.param.situation); });

TEST(Segments, OfAnySizeMakeNoDifference) {
  for (size_t segment : {1, 3, 131, 4096}) {
    SimulatedWorld world;
    world.SetLinks({.delay = absl::Microseconds(10), .segment_bytes = segment});
    AddPattern(world, 20000);
    world.options().rsize = 4096;
    const Outcome outcome = world.Stream("/export/file");
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, 20000)) << segment;
  }
}

// --- Servers that fail ----------------------------------------------------------------

struct Failure {
  const char* situation;
  const char* rules;
  ErrorKind kind;
  const char* words;
};

class Failures : public testing::TestWithParam<Failure> {};

TEST_P(Failures, EndTheStreamWithTheirReasonAndNoWrongByte) {
  SimulatedWorld world;
  AddPattern(world, 100000);
  ASSERT_TRUE(world.server().AddRules(GetParam().rules).ok());
  world.options().rsize = 8192;
  world.options().timeout = absl::Seconds(1);
  const Outcome outcome = world.Stream("/export/file");
  EXPECT_EQ(KindOf(outcome.status), GetParam().kind) << outcome.status;
  EXPECT_THAT(std::string(outcome.status.message()), HasSubstr(GetParam().words));
  EXPECT_THAT(std::string(outcome.status.message()), HasSubstr("[127.0.0.1:2049]"));
  EXPECT_LT(outcome.bytes.size(), 100000u);
  EXPECT_EQ(outcome.bytes, PatternOf(0, outcome.bytes.size())) << "not a prefix of the file";
}

INSTANTIATE_TEST_SUITE_P(
    Servers, Failures,
    testing::Values(Failure{"Stale", "READ nth=4.. status=STALE", ErrorKind::kNfs,
                            "READ: NFS3ERR_STALE (70)"},
                    Failure{"Io", "READ nth=4 status=IO", ErrorKind::kNfs, "READ: NFS3ERR_IO (5)"},
                    Failure{"NoAnswer", "READ nth=4 drop\nREAD nth=5.. drop", ErrorKind::kTimedOut,
                            "READ: RPC: no reply within 3s"},
                    Failure{"AlwaysClosed", "READ nth=4.. fin=20", ErrorKind::kTimedOut,
                            "READ: RPC: no reply within 3s"},
                    Failure{"Http", "READ nth=4 raw=HTTP/1.1%20400%0d%0a", ErrorKind::kProtocol,
                            "does not speak ONC RPC"},
                    Failure{"AbsurdRecord", "READ nth=4 raw=%ff%ff%ff%ff", ErrorKind::kProtocol,
                            "READ: RPC: a record of 2147483647 bytes"},
                    Failure{"CutInTheData", "READ nth=4 cut=5000", ErrorKind::kProtocol,
                            "ends before the data"},
                    Failure{"CutInTheHead", "READ nth=4 cut=40", ErrorKind::kProtocol, "XDR: "},
                    Failure{"Denied", "READ nth=4 deny=AUTH_TOOWEAK", ErrorKind::kMountRefused,
                            "AUTH_TOOWEAK (5)"},
                    Failure{"NoSuchProcedure", "READ nth=4 accept=PROC_UNAVAIL",
                            ErrorKind::kUnreachable, "PROC_UNAVAIL (3)"},
                    Failure{"StandsStill", "READ offset=40960..49151 short=0 eof=false",
                            ErrorKind::kProtocol, "neither data nor end of file at byte 40960"},
                    Failure{"Shrunk", "READ nth=4 truncate=50000", ErrorKind::kFileChanged,
                            "the file shrank while it was read, from 100000 to 50000 bytes"}),
    [](const auto& test) { return std::string(test.param.situation); });

TEST(FileThatGrows, IsReadToTheServersEnd) {
  SimulatedWorld world(absl::Milliseconds(1));
  AddPattern(world, 100000);
  ASSERT_TRUE(world.server().AddRules("READ nth=3 append=50000").ok());
  world.options().rsize = 8192;
  world.options().readahead = 16384;
  const Outcome outcome = world.Stream("/export/file");
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes.size(), 150000u);
}

TEST(FileWithoutASize, IsReadAsLongAsThereIsData) {
  SimulatedWorld world;
  AddPattern(world, 37);
  ASSERT_TRUE(world.server().AddRules("* poke=size:0").ok());
  const Outcome outcome = world.Stream("/export/file");
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes, PatternOf(0, 37));
}

TEST(Streams, ThatAreGivenUpInTheMiddleLeaveNoMemoryWithTheNetwork) {
  // AddressSanitizer and the simulated transport see to it that nothing is touched.
  for (int turns = 0; turns < 40; ++turns) {
    SimulatedWorld world(absl::Milliseconds(1));
    world.SetLinks({.delay = absl::Milliseconds(1), .segment_bytes = 1000});
    AddPattern(world, 100000);
    world.options().rsize = 8192;
    auto session = world.Open("/export/file");
    ASSERT_TRUE(session.ok());
    auto stream = FileStream::Make(**session, Range(), 2 * 8192);
    ASSERT_TRUE(stream.ok());
    for (int turn = 0; turn < turns && !(*stream)->AtEnd(); ++turn) {
      if ((*stream)->Lend()) {
        (*stream)->Release();
      } else {
        (*stream)->Turn(true, absl::InfiniteFuture());
      }
    }
  }
}

// Calls that are made after a pause are not overdue because the last turn is.
TEST(Streams, WhoseConsumerStopsForLongerThanTimeoLoseNoConnection) {
  SimulatedWorld world(absl::Milliseconds(1));
  AddPattern(world, 300000);
  world.options().rsize = 8192;
  world.options().readahead = 65536;
  world.options().timeout = absl::Seconds(3);
  auto session = world.Open("/export/file");
  ASSERT_TRUE(session.ok());
  auto stream = FileStream::Make(**session, Range(), 8192);
  ASSERT_TRUE(stream.ok());
  do (*stream)->Turn(true, absl::InfiniteFuture());
  while ((*session)->trunk().calls_in_flight() != 0);
  const absl::Time later = world.network().now() + absl::Seconds(10);
  while (world.network().RunNext(later)) {
  }
  world.network().AdvanceTo(later);
  while (!(*stream)->AtEnd() && (*stream)->status().ok()) {
    if ((*stream)->Lend()) {
      (*stream)->Release();
    } else {
      (*stream)->Turn(true, absl::InfiniteFuture());
    }
  }
  EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
  EXPECT_EQ((*session)->trunk().counters().reconnects, 0u);
}

}  // namespace
}  // namespace nfs
