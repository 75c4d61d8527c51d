// Connections that are closed, forgotten, reset, moved and slow: what networks and
// servers do that breaks a naive client, in virtual time.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/errors.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/resolver.h"
#include "io/socket.h"
#include "rpc/rpcbind.h"
#include "tests/cases/stream_case.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::HasSubstr;
constexpr absl::Duration kDelay = absl::Milliseconds(1);  // as StreamCase has it

class TransportCase : public StreamCase {
 protected:
  TransportCase() {
    world_.options().readahead = 32768;
    world_.options().announce = [this](absl::string_view text) { announced_.emplace_back(text); };
  }

  void After(absl::Duration delay, std::function<void()> action) {
    world_.network().After(delay, std::move(action));
  }

  // When the nth READ comes.
  void AtRead(int nth, std::function<void()> action) {
    world_.server().log().SetListener(
        [this, nth, action, reads = 0](const server::Call& call) mutable {
          if (call.Is(nfs3::kRead) && ++reads == nth) After(absl::ZeroDuration(), action);
        });
  }

  // As ExpectWhole(), by a consumer that takes nothing for `pause` after the first five pieces;
  // `meanwhile` is done a second before it goes on.
  Outcome ExpectWholeWithAPause(absl::Duration pause, std::function<void()> meanwhile = [] {}) {
    Outcome outcome;
    const auto session = world_.Open("/export/file");
    EXPECT_TRUE(session.ok()) << session.status();
    auto stream = FileStream::Make(**session, Range(), 1);
    for (int pieces = 0; !(*stream)->AtEnd() && (*stream)->status().ok();) {
      if (const auto bytes = (*stream)->Lend()) {
        outcome.bytes.insert(outcome.bytes.end(), bytes->begin(), bytes->end());
        (*stream)->Release();
        if (++pieces == 5) Pause(**stream, pause, meanwhile);
      } else {
        (*stream)->Turn(/*consumer_waits=*/true, absl::InfiniteFuture());
      }
    }
    EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
    EXPECT_EQ(outcome.bytes, PatternOf(0, kSize));
    outcome.connection = (*session)->trunk().counters();
    return outcome;
  }

  void Pause(FileStream& stream, absl::Duration pause, const std::function<void()>& meanwhile) {
    const absl::Time end = world_.network().now() + pause;
    After(pause - absl::Seconds(1), meanwhile);
    After(pause, [] {});
    while (world_.network().now() < end) stream.Turn(/*consumer_waits=*/false, end);
  }

  uint64_t Connections() { return world_.server().log().counters().connections; }
  std::vector<server::Call> Reads() { return world_.server().log().calls(nfs3::kRead); }

  std::vector<std::string> announced_;
};

// --- Idle connections --------------------------------------------------------------------

TEST_F(TransportCase, AConnectionThatTheServerClosesWhileIdleIsMadeAgainForTheNextCall) {
  Rules("CONNECT idle=2s");
  const Outcome outcome = ExpectWholeWithAPause(absl::Minutes(10));
  EXPECT_EQ(outcome.connection.reconnects, 1u);
  EXPECT_TRUE(announced_.empty()) << announced_.front();
  std::set<uint64_t> connections;
  for (const server::Call& call : Reads()) connections.insert(call.peer.connection);
  EXPECT_EQ(connections.size(), 2u);
}

TEST_F(TransportCase, AConnectionThatIsResetWhileIdleIsMadeAgainForTheNextCall) {
  const Outcome outcome = ExpectWholeWithAPause(absl::Minutes(10), [this] {
    world_.simulated().Stop();
    world_.simulated().Start();
  });
  EXPECT_EQ(outcome.connection.reconnects, 1u);
  EXPECT_TRUE(announced_.empty()) << announced_.front();
}

// Nobody is asked to take a connection that there is no use for.
TEST_F(TransportCase, AServerThatIsAwayWhileNothingIsAskedIsLeftAlone) {
  uint64_t connections = 0;
  const Outcome outcome = ExpectWholeWithAPause(absl::Minutes(10), [&] {
    connections = Connections();
    world_.simulated().Stop();
    After(absl::Milliseconds(900), [&] {
      world_.simulated().Start();
      EXPECT_EQ(Connections(), connections);
    });
  });
  EXPECT_EQ(outcome.connection.reconnects, 1u);
}

// The first packet after the pause, and all after it, is lost.
TEST_F(TransportCase, AFlowThatANatHasForgottenIsReplacedFromAnotherPort) {
  ExpectWholeWithAPause(absl::Minutes(10), [this] {
    world_.SetLink(nfs3::kPort, {.answers = false});
    After(absl::Milliseconds(1500), [this] { world_.SetLink(nfs3::kPort, {.delay = kDelay}); });
  });
  std::set<uint16_t> ports;
  for (const server::Call& call : Reads()) ports.insert(call.peer.source_port);
  EXPECT_EQ(ports.size(), 2u);
}

int OptionOf(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

// Four minutes is what the forgetful ones remember.
TEST(Sockets, AreKeptAliveAndGivenUpByTheKernelWithinMinutes) {
  io::SocketMaker maker(io::Address::Loopback(2049), io::SourcePort::kAny, 0);
  const auto fd = maker.Next();
  ASSERT_TRUE(fd.ok()) << fd.status();
  EXPECT_EQ(OptionOf(fd->get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_LT(OptionOf(fd->get(), IPPROTO_TCP, TCP_KEEPIDLE), 240);
  EXPECT_GT(OptionOf(fd->get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
  EXPECT_LE(OptionOf(fd->get(), IPPROTO_TCP, TCP_USER_TIMEOUT), 240'000);
}

// --- Restarts and half-open connections ----------------------------------------------------

TEST_F(TransportCase, AServerThatTakesConnectionsAndEndsThemIsAskedAtAModestRate) {
  uint64_t connections = 0;
  AtRead(9, [&] {
    connections = Connections();
    Rules("CONNECT rst");
    world_.simulated().Stop();
    world_.simulated().Start();
  });
  After(absl::Seconds(20), [&] {
    connections = Connections() - connections;
    world_.server().script().Clear();
  });
  EXPECT_LT(ExpectWhole().streaming, absl::Seconds(23));
  EXPECT_GE(connections, 10u);
  EXPECT_LE(connections, 40u);
}

TEST_F(TransportCase, AfterARestartEveryReadWithoutAReplyIsAskedForAgainAndNoOther) {
  AtRead(9, [&] { world_.simulated().Stop(); });
  After(absl::Seconds(20), [&] { world_.simulated().Start(); });
  EXPECT_EQ(ExpectWhole().connection.reconnects, 1u);
  std::set<uint64_t> offsets;
  for (const server::Call& call : Reads()) offsets.insert(call.arguments.offset);
  EXPECT_EQ(offsets.size(), (kSize + 8191) / 8192);
  EXPECT_LE(Reads().size(), offsets.size() + 4) << "four at a time";
}

// A virtual address that moves: silence, and then a peer that knows nothing of us.
TEST_F(TransportCase, AnAddressThatVanishesAndComesBackElsewhereIsFoundByTheCallsTimer) {
  world_.options().timeout = absl::Seconds(10);
  AtRead(9, [&] { world_.SetLink(nfs3::kPort, {.answers = false}); });
  After(absl::Seconds(15), [&] {
    world_.simulated().Stop();
    world_.SetLink(nfs3::kPort, {.delay = kDelay});
    world_.simulated().Start();
  });
  EXPECT_LT(ExpectWhole().streaming, absl::Seconds(18));
}

// --- Several addresses ---------------------------------------------------------------------

class SeveralAddresses : public TransportCase {
 protected:
  SeveralAddresses() : dead_(io::Resolve("2001:db8::7", 0)->front()) {}

  void SetDeadSilent(const io::Address& address) {
    for (uint16_t port : {rpc::kRpcbindPort, SimulatedWorld::kMountPort, nfs3::kPort}) {
      world_.network().SetLink(address.WithPort(port), {.answers = false});
    }
  }

  const io::Address dead_;
};

TEST_F(SeveralAddresses, OfWhichTheFirstRefusesCostNothing) {
  world_.SetAddresses({dead_, world_.At(0)});
  EXPECT_LT(ExpectWhole().opening, absl::Milliseconds(100));
}

TEST_F(SeveralAddresses, OfWhichTheFirstIsABlackHoleCostAQuarterOfASecondOnce) {
  SetDeadSilent(dead_);
  world_.SetAddresses({dead_, world_.At(0)});
  EXPECT_LT(ExpectWhole().opening, absl::Milliseconds(400));
}

TEST_F(SeveralAddresses, OfWhichOnlyTheLastWorksAreAllTried) {
  io::Addresses addresses;
  for (const char* text : {"2001:db8::1", "2001:db8::2", "192.0.2.1", "192.0.2.2"}) {
    addresses.push_back(io::Resolve(text, 0)->front());
    SetDeadSilent(addresses.back());
  }
  addresses.push_back(world_.At(0));
  world_.SetAddresses(addresses);
  EXPECT_LT(ExpectWhole().opening, absl::Milliseconds(1200));
}

TEST_F(SeveralAddresses, OfWhichNoneWorksAreGivenUpTogether) {
  SetDeadSilent(dead_);
  SetDeadSilent(world_.At(0));
  world_.SetAddresses({dead_, world_.At(0)});
  world_.options().port = nfs3::kPort;
  world_.options().mount_port = SimulatedWorld::kMountPort;
  world_.options().connect_timeout = absl::Seconds(4);
  const Outcome outcome = world_.Stream("/export/file");
  EXPECT_EQ(KindOf(outcome.status), ErrorKind::kUnreachable) << outcome.status;
  // EXPORT and MNT each try to connect.
  EXPECT_LE(outcome.opening, 2 * (absl::Seconds(4) + absl::Milliseconds(250)));
}

// --- A name that moves -----------------------------------------------------------------------

// Knows no answer at first, and then the addresses.
class MovedName : public io::Resolver {
 public:
  MovedName(int failures, io::Addresses addresses) : failures_(failures), addresses_(addresses) {}
  std::optional<absl::StatusOr<io::Addresses>> Poll() override {
    if (failures_-- > 0) return absl::UnavailableError("getaddrinfo: EAI_AGAIN (-3)");
    return addresses_;
  }

 private:
  int failures_;
  const io::Addresses addresses_;
};

class MovingName : public SeveralAddresses {
 protected:
  // The server's address is of no more use, and it is at another one.
  void Move() {
    for (uint16_t port : {rpc::kRpcbindPort, SimulatedWorld::kMountPort, nfs3::kPort}) {
      world_.simulated().Listen(dead_.WithPort(port), {.rpcbind = true});
      world_.network().StopListening(world_.At(port));
      world_.SetLink(port, {.answers = false});
    }
  }
};

TEST_F(MovingName, IsFollowedWhenTheOldAddressFallsSilent) {
  world_.options().timeout = absl::Seconds(10);
  world_.SetResolver(std::make_unique<MovedName>(2, io::Addresses{dead_}));
  AtRead(9, [&] { Move(); });
  EXPECT_LT(ExpectWhole().streaming, absl::Seconds(20));
}

TEST_F(MovingName, IsFollowedToAServerWithOtherHandles) {
  world_.options().timeout = absl::Seconds(10);
  world_.SetResolver(std::make_unique<MovedName>(0, io::Addresses{dead_}));
  AtRead(9, [&] {
    Move();
    world_.tree().ExpireHandles();
  });
  const Outcome outcome = ExpectWhole();
  EXPECT_EQ(outcome.counters.stale_handles, 1u);
  EXPECT_LT(outcome.streaming, absl::Seconds(20));
}

TEST_F(MovingName, ThatLeadsNowhereForAWhileIsNoReasonToForgetTheOldAddress) {
  world_.SetResolver(std::make_unique<MovedName>(1 << 20, io::Addresses()));
  AtRead(9, [&] { world_.simulated().Stop(); });
  After(absl::Seconds(20), [&] { world_.simulated().Start(); });
  EXPECT_LT(ExpectWhole().streaming, absl::Seconds(23));
}

// --- Slow servers ------------------------------------------------------------------------------

class SlowFirstReply : public TransportCase, public testing::WithParamInterface<const char*> {};

TEST_P(SlowFirstReply, IsWaitedForAndNotAskedForTwice) {
  Rules(std::string(GetParam()) + " nth=1 delay=25s");
  ExpectWhole();
  const auto calls = world_.server().log().calls();
  std::set<std::pair<uint64_t, uint32_t>> xids;
  for (const server::Call& call : calls) xids.insert({call.peer.connection, call.xid});
  EXPECT_EQ(xids.size(), calls.size());
  EXPECT_THAT(announced_, testing::ElementsAre("nfs: server simulated not responding, still trying",
                                               "nfs: server simulated OK"));
}

INSTANTIATE_TEST_SUITE_P(Calls, SlowFirstReply, testing::Values("READ", "LOOKUP", "MNT", "FSINFO"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace nfs
