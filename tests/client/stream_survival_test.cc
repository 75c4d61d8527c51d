// A READ stream while the server, the network and the file misbehave, in virtual time.
#include <string>
#include <vector>

#include "client/errors.h"
#include "client/protocol/nfs3.h"
#include "client/stream/file_stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using Outcome = SimulatedWorld::Outcome;

constexpr uint64_t kSize = 300001;
constexpr absl::Duration kDelay = absl::Milliseconds(1);

class StreamSurvival : public testing::Test {
 protected:
  StreamSurvival() : world_(kDelay) {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    world_.options().rsize = 8192;
    world_.options().readahead = 65536;
    world_.options().announce = [this](absl::string_view text) { announced_.emplace_back(text); };
  }

  void Rules(const std::string& rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()); }

  void After(absl::Duration delay, std::function<void()> action) {
    world_.network().After(delay, std::move(action));
  }

  // When the nth READ comes.
  void AtRead(int nth, std::function<void()> action) {
    world_.server().log().SetListener([this, nth, action,
                                       reads = 0](const server::Call& call) mutable {
      const bool is_read = call.program == nfs3::kProgram && call.procedure == nfs3::kRead.number;
      if (is_read && ++reads == nth) world_.network().After(absl::ZeroDuration(), action);
    });
  }

  Outcome Stream() { return world_.Stream("/export/file"); }

  // All bytes, at last.
  Outcome ExpectWhole() {
    const Outcome outcome = Stream();
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, kSize));
    return outcome;
  }

  // An error of this kind, and before it nothing but bytes of the file in their order.
  Outcome ExpectError(ErrorKind kind, const std::string& words) {
    Outcome outcome = Stream();
    EXPECT_EQ(KindOf(outcome.status), kind) << outcome.status;
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr(words));
    EXPECT_EQ(outcome.bytes, PatternOf(0, outcome.bytes.size())) << "not a prefix";
    return outcome;
  }

  uint64_t Reads() { return world_.server().log().counters().reads; }

  SimulatedWorld world_;
  std::vector<std::string> announced_;
};

// --- Connections -------------------------------------------------------------------

class BrokenConnections : public StreamSurvival,
                          public testing::WithParamInterface<std::pair<const char*, const char*>> {
};

TEST_P(BrokenConnections, AreMadeAgainAndNoByteIsLostOrDoubled) {
  Rules(GetParam().second);
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.connection.reconnects, 1u);
  EXPECT_LT(outcome.streaming, absl::Seconds(3));
}

INSTANTIATE_TEST_SUITE_P(Ways, BrokenConnections,
                         testing::Values(std::pair("ResetBeforeTheReply", "READ nth=4 rst=0"),
                                         std::pair("ResetInTheMark", "READ nth=4 rst=2"),
                                         std::pair("ResetInTheHeader", "READ nth=4 rst=50"),
                                         std::pair("ResetInTheData", "READ nth=4 rst=5000"),
                                         std::pair("ResetAfterTheReply", "READ nth=4 rst"),
                                         std::pair("ClosedInTheData", "READ nth=4 fin=5000"),
                                         std::pair("ClosedAfterTheFirst", "READ nth=1 fin"),
                                         std::pair("ResetAgainAndAgain", "READ every=7 rst=3000"),
                                         std::pair("RefusedForASecond",
                                                   "READ nth=4 rst=3000 refuse=1s")),
                         [](const auto& test) { return std::string(test.param.first); });

TEST_F(StreamSurvival, AResetAtAnyByteOfAReplyCostsNothingButTime) {
  for (size_t byte = 0; byte < 8192 + 140; byte += byte < 200 ? 1 : 97) {
    SimulatedWorld world(kDelay);
    world.tree().AddFile("/export/file", server::PatternContents(50000));
    world.options().rsize = 8192;
    ASSERT_TRUE(world.server().AddRules("READ nth=3 rst=" + std::to_string(byte)).ok());
    const Outcome outcome = world.Stream("/export/file");
    EXPECT_TRUE(outcome.status.ok()) << byte << ": " << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, 50000)) << byte;
  }
}

// RST is no timeout: no timer of a call is waited for.
TEST_F(StreamSurvival, ThreeResetsInARowCostTheirDelaysOnly) {
  Rules("READ nth=1..3 rst=0");
  world_.options().readahead = 0;
  EXPECT_LT(ExpectWhole().streaming, absl::Seconds(1));
}

TEST_F(StreamSurvival, AServerThatIsAwayForAMinuteIsFoundWithinTwoSecondsOfItsReturn) {
  absl::Time first_read = absl::InfiniteFuture();
  absl::Time back = absl::InfiniteFuture();
  world_.server().log().SetListener([&](const server::Call& call) {
    if (call.procedure != nfs3::kRead.number || world_.network().now() < back) return;
    first_read = std::min(first_read, world_.network().now());
  });
  After(absl::Milliseconds(20), [&] { world_.simulated().Stop(); });
  After(absl::Seconds(60), [&] {
    back = world_.network().now();
    world_.simulated().Start();
  });
  const Outcome outcome = ExpectWhole();
  EXPECT_LE(first_read - back, absl::Seconds(2));
  EXPECT_EQ(outcome.connection.reconnects, 1u);
  EXPECT_THAT(announced_, testing::ElementsAre("nfs: server simulated not responding, still trying",
                                               "nfs: server simulated OK"));
}

TEST_F(StreamSurvival, AServerThatDoesNotComeBackEndsTheStreamAfterItsPatience) {
  world_.options().timeout = absl::Seconds(10);
  world_.options().retransmissions = 1;
  AtRead(9, [&] { world_.simulated().Stop(); });
  const Outcome outcome = ExpectError(
      ErrorKind::kTimedOut, "READ: RPC: no reply within 20s; connect: ECONNREFUSED (111)");
  EXPECT_LT(outcome.streaming, absl::Seconds(21));
}

TEST_F(StreamSurvival, AHardStreamOutlivesAnHourWithoutAServer) {
  world_.options().hard = true;
  AtRead(9, [&] { world_.simulated().Stop(); });
  After(absl::Hours(1), [&] { world_.simulated().Start(); });
  ExpectWhole();
}

TEST_F(StreamSurvival, AConnectionThatGoesSilentIsReplacedWhenAReplyIsOverdue) {
  AtRead(9, [&] { world_.SetLink(nfs3::kPort, {.answers = false}); });
  After(absl::Seconds(5), [&] { world_.SetLink(nfs3::kPort, {.delay = kDelay}); });
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(outcome.connection.reconnects, 1u);
  EXPECT_GE(outcome.streaming, absl::Seconds(60));
  EXPECT_LT(outcome.streaming, absl::Seconds(62));
}

TEST_F(StreamSurvival, AReplyThatTakesTwentyFiveSecondsIsWaitedForAndNotAskedForTwice) {
  Rules("READ nth=1 delay=25s");
  ExpectWhole();
  EXPECT_EQ(Reads(), (kSize + 8191) / 8192);
  EXPECT_EQ(announced_.size(), 2u);
}

TEST_F(StreamSurvival, ACallThatIsNeverAnsweredDoesNotHoldUpTheOthers) {
  Rules("READ nth=3 drop");
  world_.options().timeout = absl::Seconds(7);
  world_.options().readahead = 1 << 20;  // room for all the rest
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(Reads(), (kSize + 8191) / 8192 + 1);
  EXPECT_GE(outcome.connection.retransmissions, 1u);
  EXPECT_LT(outcome.streaming, absl::Seconds(8));
}

TEST_F(StreamSurvival, LateAndDoubledRepliesAreDropped) {
  Rules("READ every=2 dup=3ms\nREAD nth=5 delay=2s");
  world_.options().timeout = absl::Seconds(1);
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.connection.unexpected_replies, 10u);
}

TEST_F(StreamSurvival, RepliesOnAConnectionThatIsIdleAreDroppedToo) {
  Rules("MNT dup=4ms\nGETPORT dup=3ms\nREAD nth=37 dup=1ms\nFSINFO dup=0ms\nLOOKUP dup=0ms");
  world_.options().readahead = 0;
  ExpectWhole();
}

TEST_F(StreamSurvival, AWordOfItsSilenceIsTakenBackByWhicheverConnectionHearsOfTheServer) {
  Rules("EXPORT drop");
  world_.options().timeout = absl::Seconds(3);
  ExpectWhole();
  EXPECT_THAT(announced_, testing::ElementsAre("nfs: server simulated not responding, still trying",
                                               "nfs: server simulated OK"));
}

// At 50 kB/s a window of replies takes longer than a reply may take.
TEST_F(StreamSurvival, ASlowLinkIsNotTakenForADeadOne) {
  world_.options().readahead = 1 << 20;
  world_.options().timeout = absl::Seconds(2);
  world_.SetLink(nfs3::kPort, {.delay = kDelay, .bytes_per_second = 50e3, .segment_bytes = 1400});
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(Reads(), (kSize + 8191) / 8192);
  EXPECT_EQ(outcome.connection.reconnects, 0u);
  EXPECT_EQ(announced_.size(), 0u);
}

TEST_F(StreamSurvival, AServerThatTricklesForEverIsGivenUp) {
  world_.options().timeout = absl::Seconds(5);
  world_.options().retransmissions = 1;
  // A byte every three seconds.
  world_.SetLink(nfs3::kPort, {.bytes_per_second = 0.33, .segment_bytes = 1});
  After(absl::Hours(10), [] {});
  const Outcome outcome = Stream();
  EXPECT_EQ(KindOf(outcome.status), ErrorKind::kTimedOut) << outcome.status;
}

// --- What the server says ----------------------------------------------------------

TEST_F(StreamSurvival, JukeboxIsWaitedForAndAskedForAsANewCall) {
  Rules("READ nth=4 jukebox=3");
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(outcome.counters.jukebox_retries, 3u);
  const auto calls = world_.server().log().calls(nfs3::kRead);
  std::vector<uint32_t> xids;
  for (const server::Call& call : calls) xids.push_back(call.xid);
  std::ranges::sort(xids);
  EXPECT_EQ(std::ranges::adjacent_find(xids), xids.end()) << "an xid was used twice";
  EXPECT_GE(outcome.streaming, absl::Seconds(1));
  EXPECT_LT(outcome.streaming, absl::Seconds(8));
}

TEST_F(StreamSurvival, JukeboxForEverEndsWithItsNameAfterThePatience) {
  Rules("READ nth=4.. status=JUKEBOX");
  world_.options().timeout = absl::Seconds(10);
  const Outcome outcome = ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_JUKEBOX (10008)");
  EXPECT_GE(outcome.streaming, absl::Seconds(30));
  EXPECT_LT(outcome.streaming, absl::Seconds(40));
  EXPECT_LT(Reads(), 200u);
}

TEST_F(StreamSurvival, JukeboxWhileTheFileIsOpenedIsWaitedForToo) {
  Rules("LOOKUP jukebox=2\nFSINFO jukebox=2\nGETATTR jukebox=1");
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.opening, absl::Seconds(6));
  EXPECT_LT(outcome.opening, absl::Seconds(7));
}

TEST_F(StreamSurvival, AStaleHandleIsReplacedWhenThePathLeadsToTheSameFile) {
  AtRead(9, [&] { world_.tree().ExpireHandles(); });
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(outcome.counters.stale_handles, 1u);
  EXPECT_EQ(world_.server().log().counters().mounts, 2u);  // the root was stale as well
}

TEST_F(StreamSurvival, OneStaleAnswerIsNoReasonToGiveUp) {
  Rules("READ nth=7 status=STALE");
  EXPECT_EQ(ExpectWhole().counters.stale_handles, 1u);
  EXPECT_EQ(world_.server().log().counters().mounts, 1u);
}

TEST_F(StreamSurvival, StaleForEverEndsWithItsName) {
  Rules("READ nth=7.. status=STALE");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_STALE (70)");
}

TEST_F(StreamSurvival, AnotherFileUnderTheNameIsNotGoneOnWith) {
  AtRead(9, [&] {
    world_.tree().Change("/export/file", {.kind = server::FileChange::Kind::kReplace});
  });
  ExpectError(ErrorKind::kFileChanged, "its path leads to another file");
}

TEST_F(StreamSurvival, AFileThatIsGoneEndsWithThat) {
  After(absl::Milliseconds(15),
        [&] { world_.tree().Change("/export/file", {.kind = server::FileChange::Kind::kRemove}); });
  ExpectError(ErrorKind::kNfs, "LOOKUP: NFS3ERR_NOENT (2)");
}

TEST_F(StreamSurvival, AnExportThatIsWithdrawnEndsWithTheRefusalOfMount) {
  AtRead(9, [&] {
    world_.tree().ExpireHandles();
    world_.server().SetExports({{.path = "/other"}});
  });
  ExpectError(ErrorKind::kMountRefused, "MNT: MNT3ERR_");
}

TEST_F(StreamSurvival, ARestartThatForgetsHandlesAndIsSlowToOfferMountIsSurvived) {
  AtRead(9, [&] {
    world_.simulated().Stop();
    world_.tree().ExpireHandles();
  });
  After(absl::Seconds(3), [&] { world_.simulated().Start(); });
  ExpectWhole();
}

TEST_F(StreamSurvival, NewCredentialsAreTriedOnceWhenTheServerHasForgottenTheOld) {
  Rules("READ nth=5 deny=AUTH_REJECTEDCRED");
  ExpectWhole();
  Rules("READ nth=5.. deny=AUTH_REJECTEDVERF");
  ExpectError(ErrorKind::kMountRefused, "AUTH_REJECTEDVERF (4)");
}

TEST_F(StreamSurvival, AllReadsInFlightAreSentAgainWhenTheServerHasForgottenTheirCredentials) {
  Rules("READ nth=9..16 deny=AUTH_REJECTEDCRED");
  ExpectWhole();
}

TEST_F(StreamSurvival, AnErrorInTheMiddleGivesTheBytesBeforeItAndNoneAfter) {
  Rules("READ offset=163840..163840 status=IO");
  const Outcome outcome = ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_IO (5)");
  EXPECT_LE(outcome.bytes.size(), 163840u);
}

// --- A file that changes -------------------------------------------------------------

struct Change {
  const char* situation;
  const char* rule;
  const char* words;  // empty: the stream goes on
};

class ChangingFiles : public StreamSurvival, public testing::WithParamInterface<Change> {};

TEST_P(ChangingFiles, AreNoticedAndNeverGlued) {
  Rules(GetParam().rule);
  ExpectError(ErrorKind::kFileChanged, GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ChangingFiles,
    testing::Values(Change{"Rewritten", "READ nth=7 rewrite",
                           "the file was written to while it was read"},
                    Change{"Shrunk", "READ nth=7 truncate=200000", "from 300001 to 200000 bytes"},
                    Change{"ShrunkToNothing", "READ nth=7 truncate=0", "from 300001 to 0 bytes"},
                    Change{"ShrunkWithoutAttributes", "READ noattr\nREAD nth=7 truncate=200000",
                           "from 300001 to 200000 bytes"},
                    Change{"Replaced", "READ nth=7 replace", "its path leads to another file"}),
    [](const auto& test) { return std::string(test.param.situation); });

// Its bytes have been given out by then, but not as those of a whole file.
TEST_F(StreamSurvival, AChangeThatReadsDoNotTellIsNoticedAtTheEnd) {
  Rules("READ noattr\nREAD nth=7 rewrite");
  const Outcome outcome = Stream();
  EXPECT_EQ(KindOf(outcome.status), ErrorKind::kFileChanged) << outcome.status;
}

TEST_F(StreamSurvival, AFileThatGrowsIsReadToItsNewEnd) {
  Rules("READ nth=1..20 append=100");
  const Outcome outcome = Stream();
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes, PatternOf(0, kSize + 2000));
}

TEST_F(StreamSurvival, AttributesThatCameOutOfOrderAreNoChange) {
  Rules("READ nth=3 append=100\nREAD hold=4 order=3,2,1,0");
  const Outcome outcome = Stream();
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes, PatternOf(0, kSize + 100));
}

// --- Where the file ends ---------------------------------------------------------------

TEST_F(StreamSurvival, AnEndThatIsToldTooEarlyIsNotBelieved) {
  Rules("READ nth=5..6 eof=true\nREAD nth=10 short=0 eof=true");
  EXPECT_GE(ExpectWhole().counters.doubts, 1u);
}

TEST_F(StreamSurvival, AnEndThatIsToldTooEarlyAgainAndAgainIsAnError) {
  Rules("READ offset=81920.. short=0 eof=true");
  const Outcome outcome =
      ExpectError(ErrorKind::kFileChanged, "the file ends at byte 81920, and that it has 300001");
  EXPECT_EQ(outcome.bytes.size(), 81920u);
}

TEST_F(StreamSurvival, NothingWithoutAnEndIsAskedAgainAfterAWhile) {
  Rules("READ nth=9 short=0 eof=false");
  EXPECT_EQ(ExpectWhole().counters.doubts, 1u);
}

TEST_F(StreamSurvival, NothingWithoutAnEndForEverIsAnErrorAfterFewCalls) {
  Rules("READ offset=81920.. short=0 eof=false");
  ExpectError(ErrorKind::kProtocol, "neither data nor end of file at byte 81920");
  EXPECT_LT(world_.server().log().counters().calls, 100u);
}

TEST_F(StreamSurvival, ARefusalToReadAtTheEndIsTheEnd) {
  Rules("READ eof=false\nREAD offset=300001.. status=INVAL");
  ExpectWhole();
}

TEST_F(StreamSurvival, ARefusalToReadBeforeTheEndIsAnError) {
  Rules("READ offset=81920.. status=INVAL");
  ExpectError(ErrorKind::kNfs, "READ: NFS3ERR_INVAL (22)");
}

TEST_F(StreamSurvival, BytesThatAreMadeUpAtTheEndAreDropped) {
  // The last READ ends at the end of the file, which is not told.
  world_.tree().AddFile("/export/even", server::PatternContents(81920));
  Rules("READ offset=..73728 eof=false\nREAD offset=81920.. over=4 eof=false");
  const Outcome outcome = world_.Stream("/export/even");
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes, PatternOf(0, 81920));
}

TEST_F(StreamSurvival, AnAbsurdSizeIsNoSize) {
  Rules("* poke=size:0x7fffffffffffffff");
  ExpectWhole();
}

TEST_F(StreamSurvival, ASizeOfNothingIsNoSize) {
  Rules("* poke=size:0");
  ExpectWhole();
}

TEST_F(StreamSurvival, AnEmptyFileTakesTwoReadsAtMost) {
  world_.tree().AddFile("/export/empty", server::PatternContents(0));
  Rules("READ eof=false");
  const Outcome outcome = world_.Stream("/export/empty");
  EXPECT_EQ(outcome.bytes.size(), 0u);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_LE(Reads(), 2u);
}

}  // namespace
}  // namespace nfs
