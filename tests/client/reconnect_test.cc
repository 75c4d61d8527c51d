// A connection whose server is reset, stopped, silent or slow: what becomes of its calls.
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "client/connection/call.h"
#include "client/connection/connection.h"
#include "client/connection/pump.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/simulated_transport.h"
#include "tests/client/simulated_world.h"
#include "tests/client/watched_transport.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kNotResponding[] = "nfs: server server not responding, still trying";
constexpr char kOk[] = "nfs: server server OK";

class ReconnectTest : public testing::Test {
 protected:
  ReconnectTest()
      : world_(absl::Milliseconds(10)),
        simulated_(world_.network()),
        transport_(simulated_),
        pump_(transport_),
        addresses_("server", {world_.At(0)}) {
    options_.port = nfs3::kPort;
    options_.connect_timeout = absl::Seconds(10);
    options_.patience = absl::Seconds(180);
    options_.notice = &notice_;
    options_.channel.slots = 8;
    options_.channel.payload_bytes = 1 << 20;
  }

  void Make() { connection_ = std::make_unique<Connection>(pump_, addresses_, options_); }

  void Connect() {
    Make();
    while (!connection_->connected() && connection_->status().ok()) {
      pump_.Turn(absl::InfiniteFuture());
    }
    ASSERT_TRUE(connection_->connected()) << connection_->status();
  }

  absl::Status Null() {
    return nfs::Call<nfs3::Void>(pump_, *connection_, nfs3::kNull, nfs3::Void()).status();
  }
  void Send(uint64_t tag) {
    connection_->Call({.procedure = nfs3::kNull, .tag = tag}, nfs3::Void());
  }

  // The tags of all replies that come before `until`, or before none is owed any more.
  std::vector<uint64_t> Replies(absl::Time until = absl::InfiniteFuture()) {
    std::vector<uint64_t> tags;
    while (connection_->calls_in_flight() != 0 && connection_->status().ok()) {
      while (const auto reply = connection_->NextReply()) tags.push_back(reply->tag);
      if (connection_->calls_in_flight() == 0 || pump_.now() >= until) break;
      pump_.Turn(until);
    }
    return tags;
  }
  void Idle(absl::Duration how_long) { EXPECT_TRUE(Sleep(pump_, how_long).ok()); }
  absl::Time In(absl::Duration how_long) { return world_.network().now() + how_long; }

  void Rules(const char* rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()) << rules; }
  void SetLink(const io::LinkPolicy& policy) { world_.SetLink(nfs3::kPort, policy); }
  void Silence() { SetLink({.delay = absl::Milliseconds(10), .answers = false}); }
  void Unsilence() { SetLink({.delay = absl::Milliseconds(10)}); }
  void At(absl::Time when, std::function<void()> what) { world_.network().At(when, what); }

  std::vector<server::Call> Calls() { return world_.server().log().calls(nfs3::kNull); }
  size_t Xids() {
    std::set<uint32_t> xids;
    for (const server::Call& call : Calls()) xids.insert(call.xid);
    return xids.size();
  }
  std::string StatusText() { return std::string(connection_->status().message()); }

  SimulatedWorld world_;
  io::SimulatedTransport simulated_;
  WatchedTransport transport_;
  Pump pump_;
  ServerAddresses addresses_;
  Connection::Options options_;
  std::vector<std::string> announced_;
  ServerNotice notice_{"server", [this](absl::string_view text) { announced_.emplace_back(text); }};
  std::unique_ptr<Connection> connection_;
};

// --- Lost and made again ---------------------------------------------------------

TEST_F(ReconnectTest, AResetInTheMiddleOfAReplyOnlyCostsTheWay) {
  Rules("NFS.NULL nth=2 rst=20");
  Connect();
  EXPECT_TRUE(Null().ok());
  const absl::Time start = pump_.now();
  EXPECT_TRUE(Null().ok());
  EXPECT_EQ(pump_.now() - start, absl::Milliseconds(20 + 20 + 20));
  EXPECT_EQ(connection_->counters().reconnects, 1u);
  EXPECT_EQ(connection_->counters().retransmissions, 1u);
  EXPECT_EQ(Calls().size(), 3u);
  EXPECT_EQ(Xids(), 2u);
  EXPECT_EQ(transport_.open(), 1u);
}

TEST_F(ReconnectTest, AResetAfterEveryNumberOfBytesOfAReplyIsSurvived) {
  for (int bytes = 0; bytes <= 28; ++bytes) {
    SCOPED_TRACE(bytes);
    Connect();
    const std::string rule = "NFS.NULL nth=1 rst=" + std::to_string(bytes);
    Rules(rule.c_str());
    EXPECT_TRUE(Null().ok()) << StatusText();
    world_.server().script().Clear();
  }
}

TEST_F(ReconnectTest, AnEndOfTheStreamWhenIdleIsNoErrorAndTheNextCallConnects) {
  Rules("CONNECT nth=1 idle=5s");
  Connect();
  EXPECT_TRUE(Null().ok());
  Idle(absl::Seconds(60));
  EXPECT_TRUE(connection_->status().ok()) << connection_->status();
  EXPECT_FALSE(connection_->connected());
  EXPECT_TRUE(connection_->CanCall());
  EXPECT_EQ(transport_.connects().size(), 1u) << "nobody wants anything";
  EXPECT_EQ(transport_.open(), 0u);
  const absl::Time start = pump_.now();
  EXPECT_TRUE(Null().ok());
  EXPECT_EQ(pump_.now() - start, absl::Milliseconds(40));
  EXPECT_EQ(connection_->counters().reconnects, 1u);
  EXPECT_THAT(announced_, IsEmpty());
}

TEST_F(ReconnectTest, CallsThatAreMadeBeforeItIsConnectedAreSent) {
  Make();
  for (uint64_t tag = 0; tag < 3; ++tag) Send(tag);
  EXPECT_THAT(Replies(), ElementsAre(0, 1, 2));
  EXPECT_EQ(connection_->counters().retransmissions, 0u);
}

TEST_F(ReconnectTest, CallsThatAreMadeWhileItIsLostAreSentBehindTheOthers) {
  Connect();
  Send(0);
  world_.simulated().Stop();
  EXPECT_THAT(Replies(In(absl::Seconds(3))), IsEmpty());
  Send(1);
  world_.simulated().Start();
  EXPECT_THAT(Replies(), ElementsAre(0, 1));
}

TEST_F(ReconnectTest, EveryCallInFlightGoesOutAgainInItsOrderWithItsXid) {
  Rules("NFS.NULL nth=1..8 drop\nNFS.NULL nth=8 rst=0");
  Connect();
  for (uint64_t tag = 0; tag < 8; ++tag) Send(tag);
  EXPECT_THAT(Replies(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const std::vector<server::Call> calls = Calls();
  ASSERT_EQ(calls.size(), 16u);
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(calls[i].xid, calls[i + 8].xid) << i;
  EXPECT_EQ(connection_->counters().retransmissions, 8u);
}

TEST_F(ReconnectTest, WhatWasAnsweredBeforeTheResetIsNotAskedAgain) {
  Rules("NFS.NULL nth=3 rst=10");
  Connect();
  for (uint64_t tag = 0; tag < 4; ++tag) Send(tag);
  EXPECT_THAT(Replies(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(connection_->counters().retransmissions, 2u);
}

// --- A server that is away -------------------------------------------------------

TEST_F(ReconnectTest, AServerThatWasStoppedForTwentySecondsAnswersSoonAfterItsReturn) {
  Connect();
  Send(1);
  world_.simulated().Stop();
  const absl::Time back = In(absl::Seconds(20));
  At(back, [this] { world_.simulated().Start(); });
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_LE(pump_.now() - back, absl::Seconds(2));
  EXPECT_EQ(connection_->counters().reconnects, 1u);
  EXPECT_EQ(transport_.open(), 1u);
}

TEST_F(ReconnectTest, AServerThatWasUnreachableForTwentySecondsAnswersSoonAfterItsReturn) {
  Connect();
  Send(1);
  Silence();
  world_.simulated().Stop();
  const absl::Time back = In(absl::Seconds(80));
  At(back, [this] {
    Unsilence();
    world_.simulated().Start();
  });
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_LE(pump_.now() - back, absl::Seconds(2));
}

TEST_F(ReconnectTest, AnOutageOfAMinuteCostsABoundedNumberOfConnects) {
  Connect();
  Send(1);
  world_.simulated().Stop();
  At(In(absl::Seconds(60)), [this] { world_.simulated().Start(); });
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_GE(transport_.connects().size(), 40u);
  EXPECT_LE(transport_.connects().size(), 90u);
  EXPECT_LE(transport_.most_open(), 2u);
}

TEST_F(ReconnectTest, AConnectionThatIsSilentForTheTimeoutIsMadeAgain) {
  options_.channel.timeout = absl::Seconds(7);
  Connect();
  EXPECT_TRUE(Null().ok());
  Silence();
  const absl::Time start = pump_.now();
  At(start + absl::Seconds(1), [this] { Unsilence(); });  // the connection stays lost
  Send(1);
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_EQ(pump_.now() - start, absl::Seconds(7) + absl::Milliseconds(40));
  EXPECT_EQ(connection_->counters().reconnects, 1u);
  EXPECT_EQ(transport_.open(), 1u);
}

TEST_F(ReconnectTest, AServerThatDropsTheOnlyCallGetsItAgainWithTheSameXid) {
  options_.channel.timeout = absl::Seconds(7);
  Rules("NFS.NULL nth=1 drop");
  Connect();
  Send(1);
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_EQ(Calls().size(), 2u);
  EXPECT_EQ(Xids(), 1u);
}

TEST_F(ReconnectTest, BytesThatAreNotTakenForTheTimeoutAreASilentServer) {
  options_.channel.timeout = absl::Seconds(7);
  Connect();
  EXPECT_TRUE(Null().ok());
  SetLink({.delay = absl::Milliseconds(10), .window_bytes = 10});
  Send(1);
  Silence();
  const absl::Time start = pump_.now();
  At(start + absl::Seconds(1), [this] { Unsilence(); });
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_EQ(pump_.now() - start, absl::Seconds(7) + absl::Milliseconds(40));
}

TEST_F(ReconnectTest, ADroppedCallHoldsUpNoOtherAndIsSentAgainOnTheSameConnection) {
  options_.channel.timeout = absl::Seconds(2);
  Rules("NFS.NULL nth=1 drop");
  Connect();
  constexpr uint64_t kDropped = 100;
  Send(kDropped);
  std::vector<uint64_t> late;
  for (uint64_t tag = 0; tag < 100; ++tag) {
    Send(tag);
    const std::vector<uint64_t> tags = Replies(pump_.now() + absl::Milliseconds(50));
    EXPECT_EQ(std::ranges::count(tags, tag), 1) << "answered as if nothing were";
    if (std::ranges::count(tags, kDropped) != 0) late.push_back(tag);
    if (connection_->calls_in_flight() == 0) Idle(absl::Milliseconds(50));
  }
  EXPECT_EQ(late.size(), 1u);
  EXPECT_EQ(connection_->calls_in_flight(), 0);
  EXPECT_EQ(connection_->counters().retransmissions, 1u);
  EXPECT_EQ(connection_->counters().reconnects, 0u);
  EXPECT_EQ(std::ranges::count(Calls(), Calls().front().xid, &server::Call::xid), 2);
}

// --- The end of patience ---------------------------------------------------------

TEST_F(ReconnectTest, PatienceEndsWithTheLastReason) {
  options_.patience = absl::Seconds(30);
  Connect();
  world_.simulated().Stop();
  const absl::Time start = pump_.now();
  const absl::Status status = Null();
  EXPECT_EQ(pump_.now() - start, absl::Seconds(30));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(),
            "NULL: RPC: no reply within 30s; connect: ECONNREFUSED (111): Connection refused "
            "[127.0.0.1:2049]");
  EXPECT_EQ(transport_.open(), 0u);
  EXPECT_FALSE(connection_->CanCall());
}

TEST_F(ReconnectTest, PatienceThatEndsOnASilentServerNamesTheSilence) {
  options_.patience = absl::Seconds(30);
  options_.channel.timeout = absl::Seconds(10);
  Connect();
  Silence();
  const absl::Time start = pump_.now();
  const absl::Status status = Null();
  EXPECT_EQ(pump_.now() - start, absl::Seconds(30));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no reply within 30s; "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(" [127.0.0.1:2049]"));
}

TEST_F(ReconnectTest, PatienceEndsWhateverHappensButReplies) {
  options_.patience = absl::Seconds(30);
  Rules("CONNECT nth=2.. silent");
  Connect();
  for (int second = 3; second < 30; second += 3) {
    At(In(absl::Seconds(second)), [this] {
      world_.simulated().Stop();
      world_.simulated().Start();
    });
  }
  Rules("NFS.NULL drop");
  const absl::Time start = pump_.now();
  const absl::Status status = Null();
  EXPECT_LE(pump_.now() - start, absl::Seconds(30));
  EXPECT_FALSE(status.ok());
}

TEST_F(ReconnectTest, EveryReplyGivesNewPatience) {
  options_.patience = absl::Seconds(30);
  options_.channel.timeout = absl::Seconds(60);
  Rules("NFS.NULL nth=1 delay=25s\nNFS.NULL nth=2 delay=50s");
  Connect();
  Send(1);
  Send(2);
  EXPECT_THAT(Replies(), ElementsAre(1, 2));
}

TEST_F(ReconnectTest, TheTimeBetweenCallsIsNotHeldAgainstTheServer) {
  options_.patience = absl::Seconds(30);
  Connect();
  EXPECT_TRUE(Null().ok());
  Idle(absl::Seconds(1000));
  EXPECT_TRUE(Null().ok());
  EXPECT_THAT(announced_, IsEmpty());
}

TEST_F(ReconnectTest, AReplyThatComesInTheTurnInWhichPatienceEndsIsTaken) {
  options_.patience = absl::Seconds(30);
  Rules("NFS.NULL delay=29980ms");
  Connect();
  EXPECT_TRUE(Null().ok()) << StatusText();
}

// Ctrl-Z, four minutes, fg.
TEST_F(ReconnectTest, WhileTheProcessIsStoppedNobodyIsImpatient) {
  Rules("NFS.NULL nth=2 drop");
  Connect();
  EXPECT_TRUE(Null().ok());
  Send(1);
  EXPECT_THAT(Replies(In(absl::Seconds(1))), IsEmpty());
  const absl::Time stopped_until = In(absl::Minutes(4));
  while (world_.network().RunNext(stopped_until)) {
  }
  world_.network().AdvanceTo(stopped_until);
  EXPECT_THAT(Replies(), ElementsAre(1)) << StatusText();
}

TEST_F(ReconnectTest, HardPatienceOutlastsADay) {
  options_.patience = absl::InfiniteDuration();
  Connect();
  Send(1);
  world_.simulated().Stop();
  At(In(absl::Hours(24)), [this] { world_.simulated().Start(); });
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_LE(transport_.connects().size(), 24u * 3600u * 3 / 2);
  EXPECT_THAT(announced_, ElementsAre(kNotResponding, kOk));
}

// --- Not a server ----------------------------------------------------------------

TEST_F(ReconnectTest, APeerThatOnlyEverEndsConnectionsIsGivenUpAfterFive) {
  Rules("NFS.NULL fin=0");
  Connect();
  const absl::Status status = Null();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the peer closed the connection"));
  EXPECT_EQ(transport_.connects().size(), 5u);
  EXPECT_EQ(transport_.open(), 0u);
}

TEST_F(ReconnectTest, APeerThatResetsAnUnfinishedSendIsGivenUpAfterFiveToo) {
  SetLink({.delay = absl::Milliseconds(10), .window_bytes = 10});
  Rules("CONNECT rst=0 delay=1s");
  Connect();
  const absl::Status status = Null();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(transport_.connects().size(), 5u);
}

TEST_F(ReconnectTest, ThreeConnectionsThatEndWithoutAReplyAreSurvived) {
  Rules("NFS.NULL nth=1..3 fin=0");
  Connect();
  EXPECT_TRUE(Null().ok());
  EXPECT_EQ(connection_->counters().reconnects, 3u);
}

TEST_F(ReconnectTest, AServerThatHasOnceAnsweredMayEndAnyNumberOfConnections) {
  Rules("NFS.NULL nth=2..21 fin=0");
  Connect();
  EXPECT_TRUE(Null().ok());
  EXPECT_TRUE(Null().ok()) << StatusText();
  EXPECT_EQ(connection_->counters().reconnects, 20u);
}

TEST_F(ReconnectTest, GarbageEndsItAtOnce) {
  Rules("NFS.NULL nth=2 raw=garbage!");
  Connect();
  EXPECT_TRUE(Null().ok());
  EXPECT_EQ(Null().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(transport_.connects().size(), 1u);
  EXPECT_EQ(transport_.open(), 0u);
}

// --- What people are told --------------------------------------------------------

TEST_F(ReconnectTest, AnOutageIsAnnouncedOnceAndItsEndToo) {
  Connect();
  Send(1);
  world_.simulated().Stop();
  const absl::Time start = pump_.now();
  EXPECT_THAT(Replies(start + absl::Milliseconds(4999)), IsEmpty());
  EXPECT_THAT(announced_, IsEmpty());
  EXPECT_THAT(Replies(start + absl::Milliseconds(5001)), IsEmpty());
  EXPECT_THAT(announced_, ElementsAre(kNotResponding));
  EXPECT_THAT(Replies(start + absl::Seconds(40)), IsEmpty());
  world_.simulated().Start();
  EXPECT_THAT(Replies(), ElementsAre(1));
  EXPECT_THAT(announced_, ElementsAre(kNotResponding, kOk));
  EXPECT_TRUE(Null().ok());
  EXPECT_THAT(announced_, ElementsAre(kNotResponding, kOk));
}

TEST_F(ReconnectTest, ASecondOutageIsAnnouncedAgain) {
  Rules("NFS.NULL delay=6s");
  Connect();
  EXPECT_TRUE(Null().ok());
  EXPECT_TRUE(Null().ok());
  EXPECT_THAT(announced_, ElementsAre(kNotResponding, kOk, kNotResponding, kOk));
}

TEST_F(ReconnectTest, AShortTimeoutIsAnnouncedAfterIt) {
  options_.channel.timeout = absl::Seconds(2);
  Rules("NFS.NULL nth=1 delay=1990ms");
  Connect();
  EXPECT_TRUE(Null().ok());
  EXPECT_THAT(announced_, ElementsAre(kNotResponding, kOk));
}

// A consumer that takes its time has nothing to do with the server's.
TEST_F(ReconnectTest, PatienceBeginsWithTheCallAndNotWithTheTurnBefore) {
  options_.patience = options_.channel.timeout = absl::Seconds(1);
  Rules("NFS.NULL nth=2 delay=900ms");
  Connect();
  EXPECT_TRUE(Null().ok());
  const absl::Time later = In(absl::Milliseconds(1500));
  At(later, [] {});
  world_.network().RunNext(later);
  EXPECT_TRUE(Null().ok()) << StatusText();
}

TEST_F(ReconnectTest, WhereNobodyListensNothingIsAnnounced) {
  options_.notice = nullptr;
  Rules("NFS.NULL delay=6s");
  Connect();
  EXPECT_TRUE(Null().ok());
}

// A reply of 128 KiB takes 32 s.
TEST_F(ReconnectTest, ASlowLinkOnWhichBytesKeepComingIsNoOutage) {
  SetLink({.delay = absl::Milliseconds(10), .bytes_per_second = 4096, .segment_bytes = 1448});
  options_.channel.timeout = absl::Seconds(6);
  Rules("NFS.NULL junk=131072");
  options_.channel.results_bytes = 256 * 1024;
  Connect();
  const absl::Time start = pump_.now();
  EXPECT_TRUE(Null().ok()) << StatusText();
  EXPECT_GT(pump_.now() - start, absl::Seconds(30));
  EXPECT_THAT(announced_, IsEmpty());
  EXPECT_EQ(connection_->counters().reconnects, 0u);
  EXPECT_EQ(connection_->counters().retransmissions, 0u);
}

// --- Giving up, and going on -----------------------------------------------------

TEST_F(ReconnectTest, AnAbandonedCallsMemoryIsNotTouchedAnyMore) {
  world_.tree().AddFile("/export/file", server::PatternContents(4096));
  const auto file = world_.Open("/export/file");
  ASSERT_TRUE(file.ok()) << file.status();
  Connect();
  for (int ms = 0; ms <= 40; ms += 5) {
    auto memory = std::make_unique<std::vector<std::byte>>(4096, std::byte{0xab});
    rpc::Request request = {.procedure = nfs3::kRead, .tag = 1};
    request.locate = nfs3::LocateReadData;
    request.payload = *memory;
    connection_->Call(request, nfs3::Read3Args{(*file)->file().handle, 0, 4096});
    Replies(In(absl::Milliseconds(ms)));
    connection_->AbandonCalls();
    EXPECT_EQ(connection_->calls_in_flight(), 0);
    const std::vector<std::byte> as_it_was = *memory;
    Idle(absl::Milliseconds(100));
    EXPECT_EQ(*memory, as_it_was);
    memory.reset();  // under AddressSanitizer this is the judge
    EXPECT_TRUE(Null().ok()) << StatusText();
  }
  EXPECT_EQ(connection_->counters().unexpected_replies, 0u);
}

TEST_F(ReconnectTest, CallsMayBeAbandonedInEveryState) {
  Rules("NFS.NULL every=5 rst=0");
  for (int ms = 0; ms <= 300; ms += 5) {
    SCOPED_TRACE(ms);
    Make();
    Send(1);
    Send(2);
    Replies(In(absl::Milliseconds(ms)));
    connection_->AbandonCalls();
    Idle(absl::Milliseconds(50));
    EXPECT_TRUE(Null().ok()) << StatusText();
  }
}

TEST_F(ReconnectTest, WithNothingInFlightThereIsNothingToAbandon) {
  Connect();
  connection_->AbandonCalls();
  EXPECT_TRUE(connection_->connected());
  EXPECT_TRUE(Null().ok());
  EXPECT_EQ(transport_.connects().size(), 1u);
}

TEST_F(ReconnectTest, NothingIsConnectedAfterCallsAreAbandonedInAnOutage) {
  Connect();
  Send(1);
  world_.simulated().Stop();
  Replies(In(absl::Seconds(3)));
  connection_->AbandonCalls();
  const size_t connects = transport_.connects().size();
  Idle(absl::Seconds(60));
  EXPECT_EQ(transport_.connects().size(), connects);
  EXPECT_TRUE(connection_->status().ok());
}

TEST_F(ReconnectTest, CancelEndsACallAtOnceAndAfterRenewThereAreOthers) {
  Rules("NFS.NULL nth=1 drop");
  Connect();
  const absl::Time cancelled = In(absl::Seconds(3));
  At(cancelled, [this] { pump_.Cancel(); });
  EXPECT_EQ(Null().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(pump_.now(), cancelled);
  EXPECT_EQ(Sleep(pump_, absl::Seconds(1)).code(), absl::StatusCode::kCancelled);
  connection_->AbandonCalls();
  EXPECT_EQ(Null().code(), absl::StatusCode::kCancelled) << "it stays cancelled";
  connection_->AbandonCalls();
  pump_.Renew();
  EXPECT_TRUE(Null().ok());
}

TEST_F(ReconnectTest, CancelEndsAWaitForAServerThatIsAway) {
  Connect();
  world_.simulated().Stop();
  const absl::Time cancelled = In(absl::Seconds(20));
  At(cancelled, [this] { pump_.Cancel(); });
  EXPECT_EQ(Null().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(pump_.now(), cancelled);
}

TEST_F(ReconnectTest, MayBeDestroyedWhileItConnectsAgain) {
  for (int ms = 0; ms < 2000; ms += 50) {
    world_.simulated().Start();
    Connect();
    Send(1);
    world_.simulated().Stop();
    Replies(In(absl::Milliseconds(ms)));
    connection_.reset();
    ASSERT_EQ(transport_.open(), 0u) << ms;
  }
}

}  // namespace
}  // namespace nfs
