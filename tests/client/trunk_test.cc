// Which connection of several gets a call, and what becomes of calls whose connection ends.
#include "client/connection/trunk.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/simulated_transport.h"
#include "tests/client/simulated_world.h"

namespace nfs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class TrunkTest : public testing::Test {
 protected:
  TrunkTest()
      : world_(absl::Milliseconds(10)),
        transport_(world_.network()),
        pump_(transport_),
        addresses_("server", {world_.At(0)}) {
    options_.port = nfs3::kPort;
    options_.patience = absl::Seconds(3);
    options_.channel.slots = 4;
    options_.channel.timeout = absl::Seconds(1);
  }

  // Of one connection, which is connected; others are dialed.
  Trunk& Make() {
    auto first = std::make_unique<Connection>(pump_, addresses_, options_);
    while (!first->connected()) pump_.Turn(absl::InfiniteFuture());
    const auto dial = [this] { return std::make_unique<Connection>(pump_, addresses_, options_); };
    trunk_ = std::make_unique<Trunk>(pump_, std::move(first), Trunk::Options{dial, nullptr});
    return *trunk_;
  }

  void AwaitConnected(int connections) {
    while (trunk_->connected() < connections) trunk_->Turn(absl::InfiniteFuture());
  }
  void Call(uint64_t tag) { trunk_->Call({.procedure = nfs3::kNull, .tag = tag}, nfs3::Void()); }
  void Calls(uint64_t calls) {
    for (uint64_t tag = 0; tag < calls; ++tag) Call(tag);
  }

  // The tags of all replies until none is owed, or until some orphans are found.
  std::vector<uint64_t> Replies() {
    std::vector<uint64_t> tags;
    while (trunk_->calls_in_flight() != 0 && trunk_->status().ok() && orphans_.empty()) {
      trunk_->Turn(absl::InfiniteFuture());
      while (const auto reply = trunk_->NextReply()) tags.push_back(reply->tag);
      while (const auto tag = trunk_->NextOrphan()) orphans_.push_back(*tag);
    }
    return tags;
  }

  // By the order in which the server took them: how many calls each brought.
  std::vector<int> Carried() {
    std::map<uint64_t, int> carried;
    for (const server::Call& call : world_.server().log().calls(nfs3::kNull)) {
      ++carried[call.peer.connection];
    }
    std::vector<int> counts;
    for (const auto& [connection, calls] : carried) counts.push_back(calls);
    return counts;
  }

  void Rules(const char* rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()); }

  SimulatedWorld world_;
  io::SimulatedTransport transport_;
  Pump pump_;
  ServerAddresses addresses_;
  Connection::Options options_;
  std::unique_ptr<Trunk> trunk_;
  std::vector<uint64_t> orphans_;
};

TEST_F(TrunkTest, OfOneHasTheCallsThatItHas) {
  Make();
  Calls(4);
  EXPECT_FALSE(trunk_->CanCall());
  EXPECT_THAT(Replies(), ElementsAre(0, 1, 2, 3));
}

TEST_F(TrunkTest, GivesCallsToThoseThatAreConnectedOnly) {
  Make().Widen(3);
  Calls(4);
  EXPECT_FALSE(trunk_->CanCall()) << "the others are not there yet";
  Replies();
  AwaitConnected(3);
  EXPECT_THAT(Carried(), ElementsAre(4));
}

TEST_F(TrunkTest, GivesEachAsManyCalls) {
  Make().Widen(3);
  AwaitConnected(3);
  Calls(12);
  EXPECT_FALSE(trunk_->CanCall());
  EXPECT_EQ(trunk_->calls_in_flight(), 12);
  EXPECT_EQ(Replies().size(), 12u);
  EXPECT_THAT(Carried(), ElementsAre(4, 4, 4));
}

TEST_F(TrunkTest, GivesOneCallAtATimeToEachInTurn) {
  Make().Widen(3);
  AwaitConnected(3);
  for (int i = 0; i < 6; ++i) {
    Calls(1);
    Replies();
  }
  EXPECT_THAT(Carried(), ElementsAre(2, 2, 2));
}

TEST_F(TrunkTest, GrowsWhileCallsAreInFlight) {
  Make();
  Calls(2);
  trunk_->Widen(2);
  EXPECT_EQ(Replies().size(), 2u);
  AwaitConnected(2);
  Calls(8);
  EXPECT_EQ(Replies().size(), 8u);
}

TEST_F(TrunkTest, OneThatIsLostWhileIdleIsMadeAgainByItsNextCall) {
  Rules("CONNECT nth=2 idle=5s");
  Make().Widen(2);
  AwaitConnected(2);
  Calls(2);
  Replies();
  while (trunk_->connected() == 2) trunk_->Turn(pump_.now() + absl::Seconds(10));
  Calls(2);
  EXPECT_EQ(Replies().size(), 2u);
  EXPECT_EQ(trunk_->connected(), 2);
}

TEST_F(TrunkTest, CallsOfOneThatEndsAreOrphansEachOnce) {
  Rules("NFS.NULL connection=2 rst=0 refuse=1h");
  Make().Widen(2);
  AwaitConnected(2);
  Calls(6);
  EXPECT_EQ(Replies().size(), 3u);
  EXPECT_THAT(orphans_, UnorderedElementsAre(1, 3, 5));
  EXPECT_TRUE(trunk_->status().ok());
  EXPECT_EQ(trunk_->calls_in_flight(), 0);
  orphans_.clear();
  Calls(4);
  EXPECT_FALSE(trunk_->CanCall());
  EXPECT_EQ(Replies().size(), 4u);
}

TEST_F(TrunkTest, TheLastOneThatEndsIsTheEnd) {
  Make().Widen(2);
  AwaitConnected(2);
  world_.SetLinks({.answers = false});
  const absl::Time begin = pump_.now();
  Calls(1);
  EXPECT_THAT(Replies(), IsEmpty());
  EXPECT_TRUE(absl::IsDeadlineExceeded(trunk_->status())) << trunk_->status();
  EXPECT_EQ(pump_.now() - begin, absl::Seconds(3));
}

// --- One that says nothing ------------------------------------------------------------------

class PatientTrunk : public TrunkTest {
 protected:
  PatientTrunk() {
    options_.patience = absl::Minutes(3);
    options_.channel.timeout = absl::Minutes(1);
  }
};

TEST_F(PatientTrunk, GivesTheCallsOfOneThatAloneIsSilentToOthers) {
  Rules("NFS.NULL connection=2 drop");
  Make().Widen(2);
  AwaitConnected(2);
  const absl::Time begin = pump_.now();
  Calls(6);
  EXPECT_EQ(Replies().size(), 3u);
  EXPECT_THAT(orphans_, UnorderedElementsAre(1, 3, 5));
  EXPECT_GE(pump_.now() - begin, Trunk::kStuck);
  EXPECT_LT(pump_.now() - begin, Trunk::kStuck + absl::Seconds(1));
}

// It is the server that is silent.
TEST_F(PatientTrunk, KeepsThemWhereAllAreSilent) {
  Make().Widen(2);
  AwaitConnected(2);
  Rules("NFS.NULL delay=30s");
  const absl::Time begin = pump_.now();
  Calls(6);
  EXPECT_EQ(Replies().size(), 6u);
  EXPECT_THAT(orphans_, IsEmpty());
  EXPECT_GE(pump_.now() - begin, absl::Seconds(30));
}

// --- A width that changes ---------------------------------------------------------------------

TEST_F(TrunkTest, ThatBecomesNarrowerEndsThoseThatCameLastWhenTheyAreIdle) {
  Make().SetWidth(4);
  AwaitConnected(4);
  Calls(4);
  trunk_->SetWidth(1);
  EXPECT_EQ(Replies().size(), 4u) << "nothing is lost";
  trunk_->Turn(pump_.now());
  EXPECT_EQ(trunk_->connected(), 1);
  Calls(4);
  EXPECT_EQ(Replies().size(), 4u);
}

TEST_F(TrunkTest, AsksANewConnectionForLittleUntilItHasShownItsPace) {
  Make().SetWidth(2);
  trunk_->set_read_bytes(1 << 20);
  AwaitConnected(2);
  EXPECT_LE(trunk_->BytesForNextCall(1 << 20), 64u << 10);
  int calls = 0;
  for (; trunk_->CanCall() && calls < 100; ++calls) Call(0);
  EXPECT_LE(calls, 4) << "neither has shown anything";
}

TEST_F(TrunkTest, OfOneIsAskedForAllAtOnce) {
  Make().SetWidth(1);
  EXPECT_EQ(trunk_->BytesForNextCall(1 << 20), 1u << 20);
  Calls(4);
  EXPECT_FALSE(trunk_->CanCall()) << "the slots are full, and nothing else is";
  EXPECT_EQ(Replies().size(), 4u);
}

TEST_F(TrunkTest, CallsThatAreAbandonedLeaveNothingBehind) {
  Make().Widen(2);
  AwaitConnected(2);
  Calls(8);
  trunk_->AbandonCalls();
  EXPECT_EQ(trunk_->calls_in_flight(), 0);
  Calls(8);
  EXPECT_EQ(Replies().size(), 8u);
  EXPECT_THAT(orphans_, IsEmpty());
}

}  // namespace
}  // namespace nfs
