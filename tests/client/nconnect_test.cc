// One stream over several connections, in virtual time: what each of them carries, and what
// becomes of the file when one of them fails.
#include <algorithm>
#include <functional>
#include <map>
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

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Outcome = SimulatedWorld::Outcome;

constexpr uint64_t kSize = 300001;
constexpr uint32_t kChunk = 8192;
constexpr uint64_t kChunks = (kSize + kChunk - 1) / kChunk;
constexpr absl::Duration kDelay = absl::Milliseconds(1);

// The server counts its connections from 1: the port mapper's, MOUNT's, and then these.
constexpr uint64_t kFirst = 3;

std::vector<std::string>& Notes() {
  static auto* const notes = new std::vector<std::string>;
  return *notes;
}

class Nconnect : public testing::Test {
 protected:
  Nconnect() : world_(kDelay) {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    world_.options().rsize = kChunk;
    world_.options().readahead = 8 * kChunk;
    world_.options().nconnect = 4;
    world_.options().announce = [this](absl::string_view text) { announced_.emplace_back(text); };
    world_.options().note = [](absl::string_view text) { Notes().emplace_back(text); };
    Notes().clear();
  }

  void Rules(const std::string& rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()); }
  void After(absl::Duration delay, std::function<void()> action) {
    world_.network().After(delay, std::move(action));
  }

  // When the nth call of the procedure comes.
  void At(const rpc::Procedure& procedure, int nth, std::function<void()> action) {
    world_.server().log().SetListener(
        [this, procedure, nth, action, calls = 0](const server::Call& call) mutable {
          if (call.Is(procedure) && ++calls == nth) After(absl::ZeroDuration(), action);
        });
  }
  void AtRead(int nth, std::function<void()> action) { At(nfs3::kRead, nth, std::move(action)); }

  // Nobody can connect to NFS any more; what is connected stays.
  void TakeNoMore() { world_.network().StopListening(world_.At(nfs3::kPort)); }
  void TakeAgain() {
    world_.simulated().Listen(world_.At(nfs3::kPort), {.nfs = true, .mount = false});
  }

  Outcome Stream() { return world_.Stream("/export/file"); }

  // All bytes, at last.
  Outcome ExpectWhole() {
    Outcome outcome = Stream();
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, kSize));
    return outcome;
  }

  // How many READs came by which connection.
  std::map<uint64_t, uint64_t> Carried() {
    std::map<uint64_t, uint64_t> carried;
    for (const server::Call& call : world_.server().log().calls(nfs3::kRead)) {
      ++carried[call.peer.connection];
    }
    return carried;
  }
  uint64_t Reads() { return world_.server().log().counters().reads; }

  SimulatedWorld world_;
  std::vector<std::string> announced_;
};

// --- When nothing goes wrong -----------------------------------------------------------

TEST_F(Nconnect, ReadsTravelOnAllConnectionsAndEachIsAskedForOnce) {
  ExpectWhole();
  EXPECT_EQ(Reads(), kChunks);
  const auto carried = Carried();
  ASSERT_EQ(carried.size(), 4u);
  for (const auto& [connection, reads] : carried) {
    EXPECT_GE(connection, kFirst);
    EXPECT_LT(connection, kFirst + 4);
    EXPECT_GE(reads, 5u) << connection;
  }
  EXPECT_THAT(Notes(), IsEmpty());
}

TEST_F(Nconnect, TheFirstReadDoesNotWaitForTheOthersToConnect) {
  std::vector<absl::Time> first;
  for (int nconnect : {1, 4}) {
    SimulatedWorld world(kDelay);
    world.tree().AddFile("/export/file", server::PatternContents(kSize));
    world.options().rsize = kChunk;
    world.options().nconnect = nconnect;
    absl::Time read = absl::InfiniteFuture();
    world.server().log().SetListener([&](const server::Call& call) {
      if (call.Is(nfs3::kRead)) read = std::min(read, world.network().now());
    });
    EXPECT_EQ(world.Stream("/export/file").bytes, PatternOf(0, kSize));
    first.push_back(read);
  }
  EXPECT_EQ(first[0], first[1]);
}

TEST_F(Nconnect, SlotsAreThoseOfEachConnection) {
  world_.options().slots = 2;
  world_.options().readahead = kSize;
  ExpectWhole();
  EXPECT_EQ(world_.server().log().counters().max_reads_in_flight, 2u) << "on one connection";
  EXPECT_EQ(Carried().size(), 4u);
}

TEST_F(Nconnect, AWindowOfTwoReadsHasTwoConnections) {
  world_.options().nconnect = 16;
  world_.options().readahead = 2 * kChunk;
  ExpectWhole();
  EXPECT_EQ(Reads(), kChunks);
  EXPECT_LE(Carried().size(), 2u);
}

TEST_F(Nconnect, WithoutReadaheadThereIsOneConnection) {
  world_.options().readahead = 0;
  ExpectWhole();
  EXPECT_EQ(Carried().size(), 1u);
}

TEST_F(Nconnect, AFileOfThreeReadsHasThreeConnectionsAtMost) {
  world_.options().nconnect = 16;
  world_.tree().AddFile("/export/small", server::PatternContents(3 * kChunk));
  auto session = world_.Open("/export/small");
  ASSERT_TRUE(session.ok()) << session.status();
  auto stream = FileStream::Make(**session, Range(), 1);
  ASSERT_TRUE(stream.ok()) << stream.status();
  int most = 0;
  while (!(*stream)->AtEnd() && (*stream)->status().ok()) {
    if ((*stream)->Lend()) {
      (*stream)->Release();
    } else {
      (*stream)->Turn(true, absl::InfiniteFuture());
    }
    most = std::max(most, (*session)->trunk().connected());
  }
  EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
  EXPECT_LE(most, 3);
  EXPECT_EQ(Reads(), 3u);
}

TEST_F(Nconnect, AnotherStreamOfTheSessionHasTheSameConnections) {
  auto session = world_.Open("/export/file");
  ASSERT_TRUE(session.ok()) << session.status();
  for (int streams = 0; streams < 3; ++streams) {
    auto stream = FileStream::Make(**session, Range(), 1);
    ASSERT_TRUE(stream.ok()) << stream.status();
    while (!(*stream)->AtEnd() && (*stream)->status().ok()) {
      if ((*stream)->Lend()) {
        (*stream)->Release();
      } else {
        (*stream)->Turn(true, absl::InfiniteFuture());
      }
    }
    EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
  }
  EXPECT_EQ((*session)->trunk().connected(), 4);
  EXPECT_EQ(Carried().size(), 4u);
}

TEST_F(Nconnect, RepliesOfOneThatComeLateAreHandedOutInTheirOrder) {
  Rules("READ connection=4 delay=50ms");
  ExpectWhole();
  EXPECT_EQ(Reads(), kChunks);
}

TEST_F(Nconnect, RepliesInAnyOrderOnAllAreHandedOutInTheirOrder) {
  Rules("READ hold=2 order=1,0\nREAD every=3 delay=7ms");
  ExpectWhole();
  EXPECT_EQ(Reads(), kChunks);
}

// --- When one fails ----------------------------------------------------------------------

class OneOfFour : public Nconnect,
                  public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(OneOfFour, IsMadeAgainAndNoByteIsLostOrDoubled) {
  Rules(GetParam().second);
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.connection.reconnects, 1u);
  EXPECT_LT(outcome.streaming, absl::Seconds(3));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, OneOfFour,
    testing::Values(std::pair("ResetBeforeTheReply", "READ connection=5 nth=2 rst=0"),
                    std::pair("ResetInTheHeader", "READ connection=5 nth=2 rst=50"),
                    std::pair("ResetInTheData", "READ connection=5 nth=2 rst=5000"),
                    std::pair("ClosedAfterTheReply", "READ connection=5 nth=2 fin"),
                    std::pair("TheFirstIsReset", "READ connection=3 nth=9 rst=3000"),
                    std::pair("AllButOneAreReset", "READ connection=4..6 nth=5..7 rst=3000"),
                    std::pair("RefusedForASecond", "READ connection=5 nth=2 rst=3000 refuse=1s")),
    [](const auto& test) { return std::string(test.param.first); });

TEST_F(Nconnect, OneThatIsSilentIsMadeAgainWhenAReplyIsOverdue) {
  Rules("CONNECT connection=5 silent");
  world_.options().timeout = absl::Seconds(2);
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.connection.reconnects, 1u);
  EXPECT_GE(outcome.streaming, absl::Seconds(2));
  EXPECT_LT(outcome.streaming, absl::Seconds(4));
}

// As behind a server that takes so many connections and no more.
TEST_F(Nconnect, TheReadsOfOneThatCannotBeMadeAgainAreAskedForOnTheOthers) {
  Rules("READ connection=5 nth=3 rst=3000 refuse=1h");
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.streaming, Trunk::kMostAway);
  EXPECT_LT(outcome.streaming, Trunk::kMostAway + absl::Seconds(1));
  ASSERT_EQ(Notes().size(), 1u);
  EXPECT_THAT(Notes()[0], HasSubstr("a connection is given up, 3 are left: "));
  EXPECT_THAT(Notes()[0], HasSubstr("[127.0.0.1:2049]"));
  EXPECT_THAT(announced_, Contains("nfs: server simulated OK"));
}

TEST_F(Nconnect, AHardStreamDoesNotWaitForOneThatCannotBeMadeAgainEither) {
  world_.options().hard = true;
  Rules("READ connection=3 nth=9 rst=3000 refuse=1h");
  EXPECT_LT(ExpectWhole().streaming, absl::Seconds(10));
}

TEST_F(Nconnect, OneThatTheServerEndsAgainAndAgainIsGivenUp) {
  Rules("READ connection=5 nth=1 rst=0\nCONNECT connection=7.. rst");
  const Outcome outcome = ExpectWhole();
  EXPECT_LT(outcome.streaming, absl::Seconds(6));
  EXPECT_EQ(Notes().size(), 1u);
}

TEST_F(Nconnect, ThoseThatCannotBeMadeAtAllAreDoneWithout) {
  At(nfs3::kLookup, 1, [this] { TakeNoMore(); });
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(Reads(), kChunks);
  EXPECT_EQ(Carried().size(), 1u);
  EXPECT_LT(outcome.streaming, absl::Seconds(1));
  EXPECT_EQ(Notes().size(), 3u);
}

TEST_F(Nconnect, ThoseThatCouldNotBeMadeAreTriedAgainAfterAPause) {
  At(nfs3::kLookup, 1, [this] { TakeNoMore(); });
  After(Trunk::kRedialPause / 2, [this] { TakeAgain(); });
  Rules("READ delay=5s");
  world_.options().readahead = 4 * kChunk;
  ExpectWhole();
  EXPECT_EQ(Reads(), kChunks);
  EXPECT_EQ(Carried().size(), 4u);
}

// What it says cannot be trusted, on whatever connection it says the rest.
TEST_F(Nconnect, OneThatSpeaksSomethingElseEndsTheStream) {
  Rules("READ connection=5 nth=3 raw=HTTP/1.1%20400%0d%0a");
  const Outcome outcome = Stream();
  EXPECT_EQ(KindOf(outcome.status), ErrorKind::kProtocol) << outcome.status;
  EXPECT_EQ(outcome.bytes, PatternOf(0, outcome.bytes.size())) << "not a prefix";
}

// --- When all fail -------------------------------------------------------------------------

class Patient : public Nconnect {
 protected:
  Patient() {
    world_.options().timeout = absl::Seconds(10);
    world_.options().retransmissions = 1;
  }
  void ExpectTimeout() {
    const Outcome outcome = Stream();
    EXPECT_EQ(KindOf(outcome.status), ErrorKind::kTimedOut) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, outcome.bytes.size())) << "not a prefix";
    EXPECT_GE(outcome.streaming, absl::Seconds(20));
    EXPECT_LT(outcome.streaming, absl::Seconds(21));
  }
};

TEST_F(Patient, AServerThatDoesNotComeBackEndsTheStreamAfterOnePatience) {
  AtRead(25, [this] { world_.simulated().Stop(); });
  ExpectTimeout();
}

TEST_F(Patient, AServerThatFallsSilentEndsTheStreamAfterOnePatience) {
  AtRead(25, [this] { world_.SetLink(nfs3::kPort, {.answers = false}); });
  ExpectTimeout();
}

// The others have nothing to do meanwhile, and no patience of their own.
TEST_F(Patient, AServerThatFallsSilentBeforeTheLastReadEndsTheStreamAfterOnePatience) {
  AtRead(kChunks, [this] { world_.SetLink(nfs3::kPort, {.answers = false}); });
  ExpectTimeout();
}

TEST_F(Patient, AReadThatIsNeverAnsweredEndsTheStreamAfterOnePatience) {
  Rules("READ offset=294912.. drop");
  ExpectTimeout();
}

TEST_F(Nconnect, AServerThatIsAwayForAMinuteIsFoundWithinTwoSecondsAndMissedOnce) {
  absl::Time back = absl::InfiniteFuture();
  absl::Time first_read = absl::InfiniteFuture();
  world_.server().log().SetListener([&](const server::Call& call) {
    if (!call.Is(nfs3::kRead) || world_.network().now() < back) return;
    first_read = std::min(first_read, world_.network().now());
  });
  After(absl::Milliseconds(20), [this] { world_.simulated().Stop(); });
  After(absl::Seconds(60), [&] {
    back = world_.network().now();
    world_.simulated().Start();
  });
  const Outcome outcome = ExpectWhole();
  EXPECT_LE(first_read - back, absl::Seconds(2));
  EXPECT_LE(outcome.connection.reconnects, 4u);
  EXPECT_THAT(announced_, ElementsAre("nfs: server simulated not responding, still trying",
                                      "nfs: server simulated OK"));
}

// --- What concerns all of them ---------------------------------------------------------------

TEST_F(Nconnect, AStaleHandleIsReplacedOnceForAll) {
  AtRead(20, [this] { world_.tree().ExpireHandles(); });
  EXPECT_EQ(ExpectWhole().counters.stale_handles, 1u);
}

TEST_F(Nconnect, NewCredentialsAreForAll) {
  Rules("READ nth=17..24 deny=AUTH_REJECTEDCRED");
  ExpectWhole();
  EXPECT_EQ(Reads(), kChunks + 8);
}

TEST_F(Nconnect, StreamsThatAreGivenUpInTheMiddleLeaveNoMemoryWithTheNetwork) {
  // AddressSanitizer and the simulated transport see to it that nothing is touched.
  for (int turns = 0; turns < 40; ++turns) {
    SimulatedWorld world(kDelay);
    world.SetLinks({.delay = kDelay, .segment_bytes = 1000});
    world.tree().AddFile("/export/file", server::PatternContents(100000));
    world.options().rsize = kChunk;
    world.options().nconnect = 4;
    auto session = world.Open("/export/file");
    ASSERT_TRUE(session.ok());
    auto stream = FileStream::Make(**session, Range(), 2);
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

}  // namespace
}  // namespace nfs
