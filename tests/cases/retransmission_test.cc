// Transaction ids, calls that are sent again, replies in any order.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/cases/stream_case.h"
#include "tests/server/loopback_server.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

// The connection on which the file is read: rpcbind's and MOUNT's come before.
constexpr char kNfsConnection[] = "CONNECT nth=3 ";

// --- Order ----------------------------------------------------------------------------

class Replies : public StreamCase {};

TEST_F(Replies, OfSixteenReadsInAnyOrderGiveTheFileInItsOwn) {
  std::vector<int> order(16);
  for (int i = 0; i < 16; ++i) order[i] = 15 - i;
  std::vector<int> last_first = {15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto& chosen = seed == 1 ? last_first : order;
    OnlyRules(absl::StrCat("READ hold=16 order=", absl::StrJoin(chosen, ",")));
    ExpectWhole();
    std::mt19937 random(seed);
    std::ranges::shuffle(order, random);
  }
}

TEST_F(Replies, ThatAreShortAndComeAfterTheEndOfTheFileLoseNothing) {
  for (const char* some : {"every=2 short=1000", "every=3 short=1", "chance=0.4 short=511"}) {
    OnlyRules(absl::StrCat("READ hold=16 order=15,3,14,2\nREAD ", some));
    SCOPED_TRACE(some);
    EXPECT_GE(ExpectWhole().counters.short_reads, 5u);
  }
}

// The chunk with the end of the file is the first of its window to be answered.
TEST_F(Replies, WithTheEndOfTheFileBeforeAllOthersDoNotEndIt) {
  world_.tree().SetContents("/export/file", server::PatternContents(16 * kRsize - 5));
  Rules("READ delay=50ms\nREAD offset=122880.. delay=0ms");
  ExpectWhole(16 * kRsize - 5);
  EXPECT_EQ(ReadCount(), 16u);
}

// --- Transaction ids ------------------------------------------------------------------

class Xids : public StreamCase {};

TEST_F(Xids, OfACallAreOnceOnlyOverAllConnections) {
  Rules("READ nth=9 rst");
  ExpectWhole();
  std::set<uint32_t> xids;
  size_t calls = 0;
  for (const server::Call& call : world_.server().log().calls()) {
    if (call.peer.connection > 3) continue;  // the same calls again
    ++calls;
    xids.insert(call.xid);
  }
  EXPECT_EQ(xids.size(), calls);
}

TEST_F(Xids, StayTheSameWhenTheSameCallIsSentAgainOnANewConnection) {
  world_.options().readahead = 0;
  Rules("READ nth=3 rst=0");
  ExpectWhole();
  const std::vector<server::Call> reads = CallsOf(nfs3::kRead);
  ASSERT_GE(reads.size(), 4u);
  EXPECT_EQ(reads[3].xid, reads[2].xid);
  EXPECT_EQ(reads[3].arguments.offset, reads[2].arguments.offset);
  EXPECT_NE(reads[3].peer.connection, reads[2].peer.connection);
}

// The server's duplicate request cache knows calls by address and xid alone.
TEST(Runs, OfNfscatInARowNeverGetTheReplyOfAnEarlierOne) {
  server::Server served;
  served.tree().AddFile("/export/file", server::BytesContents("-"));
  served.SetDuplicateRequestCache(1 << 16);
  auto loopback = server::LoopbackServer::Start(served);
  ASSERT_TRUE(loopback.ok()) << loopback.status();
  for (int run = 0; run < 50; ++run) {
    const std::string text = absl::StrCat("the text of run ", run);
    served.tree().SetContents("/export/file", server::BytesContents(text));
    const support::Outcome outcome =
        support::RunProgram({.argv = {"client/tools/nfscat", (*loopback)->Url("/export/file")}});
    ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, text);
  }
  EXPECT_EQ(served.log().counters().replays, 0u);
}

// --- Sending ---------------------------------------------------------------------------

class Sending : public StreamCase {
 protected:
  Sending() { world_.options().readahead = 64 * kRsize; }

  // What the server's kernel takes before the server does.
  void SetReceiveBuffer(size_t bytes) {
    world_.SetLink(nfs3::kPort, {.delay = absl::Milliseconds(1), .window_bytes = bytes});
  }

  uint64_t GarbageRecords() { return world_.server().log().counters().garbage_records; }
};

TEST_F(Sending, ToASlowReaderNeverMixesACallThatIsSentAgainIntoAnother) {
  SetReceiveBuffer(2048);
  world_.options().timeout = absl::Seconds(5);
  Rules(absl::StrCat(kNfsConnection, "slow_read=100:100ms\nREAD nth=5 drop\nREAD nth=20 drop"));
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.connection.retransmissions, 2u);
  EXPECT_EQ(GarbageRecords(), 0u);
}

TEST_F(Sending, ThatIsBrokenOffInsideACallBeginsItAnewOnTheNextConnection) {
  SetReceiveBuffer(2048);
  for (int bytes = 450; bytes < 900; bytes += 7) {
    SimulatedWorld world(absl::Milliseconds(1));
    world.tree().AddFile("/export/file", server::PatternContents(kSize));
    world.options() = world_.options();
    ASSERT_TRUE(world.server()
                    .AddRules(absl::StrCat(kNfsConnection, "slow_read=", bytes, ":1h delay=2s rst"))
                    .ok());
    const Outcome outcome = world.Stream("/export/file");
    EXPECT_TRUE(outcome.status.ok()) << bytes << ": " << outcome.status;
    EXPECT_TRUE(outcome.bytes == PatternOf(0, kSize)) << bytes;
    EXPECT_EQ(outcome.connection.reconnects, 1u) << bytes;
    EXPECT_EQ(world.server().log().counters().garbage_records, 0u) << bytes;
  }
}

TEST_F(Sending, WaitsForItsTurnWithoutATimeout) {
  SetReceiveBuffer(300);
  world_.options().timeout = absl::Seconds(3);
  world_.options().retransmissions = 0;
  Rules(absl::StrCat(kNfsConnection, "slow_read=200:1s"));
  const Outcome outcome = ExpectWhole();
  EXPECT_GT(outcome.streaming, absl::Seconds(15)) << "calls had to wait longer than a timeout";
  EXPECT_EQ(outcome.connection.reconnects, 0u);
  EXPECT_EQ(outcome.connection.retransmissions, 0u);
}

TEST_F(Sending, GoesOnAtOnceAfterResetsWithWindowsFullOfCalls) {
  Rules("READ every=40 rst=0");
  const Outcome outcome = ExpectWhole();
  EXPECT_GE(outcome.connection.reconnects, 1u);
  EXPECT_LT(outcome.streaming, absl::Seconds(3));
}

}  // namespace
}  // namespace nfs
