// Servers with several addresses, some of which are dead, refused or elsewhere by now.
#include "client/connection/address_race.h"

#include <netinet/in.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/connection/retry_delay.h"
#include "client/connection/server_addresses.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/simulated_network.h"
#include "io/simulated_transport.h"
#include "tests/client/watched_transport.h"

namespace nfs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

constexpr uint16_t kPort = 2049;

// 192.0.2.N
io::Address Host(uint8_t n) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(0xc0000200u + n);
  return io::Address(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

std::string NameOf(uint8_t n) { return Host(n).WithPort(kPort).ToString(); }

class QuietPeer final : public io::SimulatedPeer {
 public:
  void OnConnected(io::SimulatedSocket&) override {}
  void OnBytes(std::span<const std::byte>) override {}
};

// Gives what the test has put into it.
class ScriptedResolver final : public io::Resolver {
 public:
  struct Script {
    std::optional<absl::StatusOr<io::Addresses>> answer;
    int polls = 0;
  };

  explicit ScriptedResolver(Script& script) : script_(script) {}
  std::optional<absl::StatusOr<io::Addresses>> Poll() override {
    ++script_.polls;
    return std::exchange(script_.answer, std::nullopt);
  }

 private:
  Script& script_;
};

class AddressRaceTest : public testing::Test {
 protected:
  static constexpr absl::Duration kTimeout = absl::Seconds(10);

  AddressRaceTest() : simulated_(network_), transport_(simulated_), start_(network_.now()) {}

  // Refused is what an address is without either of these.
  void Live(uint8_t n, absl::Duration delay = absl::ZeroDuration()) {
    network_.SetLink(Host(n).WithPort(kPort), {.delay = delay});
    network_.Listen(Host(n).WithPort(kPort), [] { return std::make_unique<QuietPeer>(); });
  }
  void Refuse(uint8_t n) {
    network_.SetLink(Host(n).WithPort(kPort), {});
    network_.StopListening(Host(n).WithPort(kPort));
  }
  void Silence(uint8_t n) { network_.SetLink(Host(n).WithPort(kPort), {.answers = false}); }

  void SetAddresses(const std::vector<uint8_t>& hosts) {
    addresses_.emplace("server", AddressesOf(hosts), std::make_unique<ScriptedResolver>(resolver_));
  }
  static io::Addresses AddressesOf(const std::vector<uint8_t>& hosts) {
    io::Addresses addresses;
    for (uint8_t n : hosts) addresses.push_back(Host(n));
    return addresses;
  }

  void Begin(bool goes_on = false) {
    const AddressRace::Options options = {kPort, {}, kTimeout, goes_on};
    race_.emplace(transport_, *addresses_, retry_delay_, options, network_.now());
  }

  // As a connection turns it; true when somebody has won or all have lost before `until`.
  bool Run(absl::Time until = absl::InfiniteFuture()) {
    for (;;) {
      race_->Turn(network_.now());
      winner_ = race_->TakeWinner();
      if (winner_.has_value()) transport_.Close(winner_->id);
      if (winner_.has_value() || race_->IsLost()) return true;
      if (network_.now() >= until) return false;
      const io::Turn turn = transport_.Wait(std::min(until, race_->NextTime()));
      for (const io::Event& event : turn.events) {
        if (race_->Owns(event.connection)) race_->Apply(event);
      }
    }
  }
  bool RunFor(absl::Duration how_long) { return Run(network_.now() + how_long); }

  // Whom it took how long to connect to.
  void ExpectWinner(uint8_t n, absl::Duration after) {
    ASSERT_TRUE(winner_.has_value()) << race_->failure();
    EXPECT_EQ(winner_->address.ToString(), NameOf(n));
    EXPECT_EQ(network_.now() - start_, after);
  }

  std::string Failure() { return std::string(race_->failure().message()); }

  std::vector<std::string> Tried() {
    std::vector<std::string> names;
    for (const auto& connect : transport_.connects()) names.push_back(connect.address);
    return names;
  }

  // When anything was tried, without what was tried together with it.
  std::vector<absl::Time> Rounds() {
    std::vector<absl::Time> times;
    for (const auto& connect : transport_.connects()) {
      if (times.empty() || times.back() != connect.when) times.push_back(connect.when);
    }
    return times;
  }

  io::SimulatedNetwork network_;
  io::SimulatedTransport simulated_;
  WatchedTransport transport_;
  const absl::Time start_;
  ScriptedResolver::Script resolver_;
  std::optional<ServerAddresses> addresses_;
  RetryDelay retry_delay_{1};
  std::optional<AddressRace> race_;
  std::optional<AddressRace::Winner> winner_;
};

// --- One round -------------------------------------------------------------------

TEST_F(AddressRaceTest, ADeadFirstAddressCostsAQuarterOfASecond) {
  Silence(1);
  Live(2, absl::Milliseconds(10));
  SetAddresses({1, 2});
  Begin();
  Run();
  ExpectWinner(2, absl::Milliseconds(270));
}

TEST_F(AddressRaceTest, ARefusedFirstAddressCostsNothing) {
  Live(2);
  SetAddresses({1, 2});
  Begin();
  Run();
  ExpectWinner(2, absl::ZeroDuration());
}

TEST_F(AddressRaceTest, OfThreeAddressesTheLastMayBeTheOneThatLives) {
  Silence(1);
  Live(3);
  SetAddresses({1, 2, 3});
  Begin();
  Run();
  // The refusal of the second says nothing about the first, which still has its time.
  ExpectWinner(3, 2 * AddressRace::kStagger);
  EXPECT_THAT(Tried(), ElementsAre(NameOf(1), NameOf(2), NameOf(3)));
}

TEST_F(AddressRaceTest, ALongWayIsNoDeadOne) {
  Live(1, absl::Milliseconds(150));
  Live(2, absl::Milliseconds(150));
  SetAddresses({1, 2});
  Begin();
  Run();
  ExpectWinner(1, absl::Milliseconds(300));
  race_.reset();
  EXPECT_EQ(transport_.open(), 0u) << "the second was under way, and is not needed";
}

TEST_F(AddressRaceTest, TheFirstThatIsConnectedWinsWhateverTheOrder) {
  Live(1, absl::Seconds(1));
  Live(2, absl::Milliseconds(10));
  SetAddresses({1, 2});
  Begin();
  Run();
  ExpectWinner(2, absl::Milliseconds(270));
}

TEST_F(AddressRaceTest, OfTwoThatAreConnectedAtTheSameInstantOneWins) {
  Live(1, absl::Milliseconds(150));
  Live(2, absl::Milliseconds(25));
  SetAddresses({1, 2});
  Begin();
  Run();
  ASSERT_TRUE(winner_.has_value());
  EXPECT_EQ(transport_.open(), 0u);
  EXPECT_EQ(network_.now() - start_, absl::Milliseconds(300));
}

TEST_F(AddressRaceTest, IsLostWithTheReasonWhenAllRefuse) {
  SetAddresses({1, 2, 3});
  Begin();
  EXPECT_TRUE(Run());
  EXPECT_TRUE(race_->IsLost());
  EXPECT_EQ(network_.now(), start_);
  EXPECT_EQ(race_->failure().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Failure(), "connect: ECONNREFUSED (111): Connection refused [192.0.2.3:2049]");
  EXPECT_EQ(transport_.open(), 0u);
}

TEST_F(AddressRaceTest, IsLostAfterTheTimeoutOfTheLastWhenNobodyAnswers) {
  for (uint8_t n : {1, 2, 3}) Silence(n);
  SetAddresses({1, 2, 3});
  Begin();
  EXPECT_TRUE(Run());
  EXPECT_TRUE(race_->IsLost());
  EXPECT_EQ(network_.now() - start_, kTimeout + 2 * AddressRace::kStagger);
  EXPECT_EQ(race_->failure().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Failure(), "connect: no answer within 10s [192.0.2.3:2049]");
  EXPECT_EQ(transport_.open(), 0u);
}

TEST_F(AddressRaceTest, IsLostAtOnceWhenTheMachineItselfRefuses) {
  Live(1);
  Live(2);
  SetAddresses({1, 2});
  transport_.RefuseConnects(absl::ResourceExhaustedError("no port"));
  Begin();
  EXPECT_TRUE(Run());
  EXPECT_TRUE(race_->IsLost());
  EXPECT_EQ(race_->failure(), absl::ResourceExhaustedError("no port"));
}

// --- Rounds ----------------------------------------------------------------------

// `delay` lies between the half of what it is to be and all of it.
void ExpectDelay(absl::Duration delay, absl::Duration expected) {
  EXPECT_THAT(delay, AllOf(Ge(expected / 2), Le(expected)));
}

TEST_F(AddressRaceTest, RoundsComeAtGrowingIntervals) {
  SetAddresses({1, 2});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(60)));
  const std::vector<absl::Time> rounds = Rounds();
  ASSERT_GT(rounds.size(), 40u);
  EXPECT_EQ(rounds[0], start_);
  absl::Duration expected = RetryDelay::kShortest;
  for (size_t i = 1; i < rounds.size(); ++i) {
    ExpectDelay(rounds[i] - rounds[i - 1], expected);
    expected = std::min(2 * expected, RetryDelay::kLongest);
  }
  EXPECT_LE(rounds.size(), 90u);
  EXPECT_EQ(transport_.connects().size(), 2 * rounds.size());
}

TEST_F(AddressRaceTest, ADeadAddressDoesNotHoldUpTheNextRound) {
  Silence(1);
  SetAddresses({1});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(60)));
  const std::vector<absl::Time> rounds = Rounds();
  EXPECT_GE(rounds.size(), 40u);
  for (size_t i = 1; i < rounds.size(); ++i) {
    EXPECT_LE(rounds[i] - rounds[i - 1], RetryDelay::kLongest);
  }
}

TEST_F(AddressRaceTest, MakesOnlySoManyAttemptsAtATime) {
  for (uint8_t n = 1; n <= 20; ++n) Silence(n);
  SetAddresses({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(60)));
  EXPECT_EQ(transport_.most_open(), AddressRace::kMostAttempts);
  race_.reset();
  EXPECT_EQ(transport_.open(), 0u);
}

TEST_F(AddressRaceTest, TheMachinesOwnRefusalIsTriedAgainAtGrowingIntervals) {
  Live(1);
  SetAddresses({1});
  transport_.RefuseConnects(absl::ResourceExhaustedError("no port"));
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(20)));
  EXPECT_FALSE(race_->IsLost());
  EXPECT_LE(transport_.connects().size(), 40u);
  transport_.RefuseConnects(absl::OkStatus());
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
}

TEST_F(AddressRaceTest, AServerThatHasRefusedForLongIsFoundWithinTwoSeconds) {
  SetAddresses({1});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(20)));
  Live(1);
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
  EXPECT_TRUE(winner_.has_value());
}

TEST_F(AddressRaceTest, AServerThatWasDeadForLongIsFoundWithinTwoSeconds) {
  Silence(1);
  SetAddresses({1});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(20)));
  Live(1);
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
  EXPECT_TRUE(winner_.has_value());
  race_.reset();
  EXPECT_EQ(transport_.open(), 0u);
}

TEST_F(AddressRaceTest, OneOfTwoDeadAddressesThatComesBackIsFoundSoonToo) {
  Silence(1);
  Silence(2);
  SetAddresses({1, 2});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(20)));
  Live(2);
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
  EXPECT_EQ(winner_->address.ToString(), NameOf(2));
}

TEST_F(AddressRaceTest, AWayThatIsLongerThanTheIntervalOfRoundsIsNotGivenUp) {
  Live(1, absl::Seconds(2));
  SetAddresses({1});
  Begin(/*goes_on=*/true);
  EXPECT_TRUE(RunFor(absl::Seconds(10)));
  ExpectWinner(1, absl::Seconds(4));
}

// --- The resolver ----------------------------------------------------------------

TEST_F(AddressRaceTest, WhatTheResolverSaysNewIsUsedWhenAllHaveFailed) {
  Live(2);
  SetAddresses({1});
  resolver_.answer = AddressesOf({2});
  Begin(/*goes_on=*/true);
  EXPECT_TRUE(RunFor(absl::Seconds(1)));
  EXPECT_EQ(winner_->address.ToString(), NameOf(2));
  EXPECT_EQ(resolver_.polls, 1);
}

TEST_F(AddressRaceTest, WhatTheResolverSaysNewIsUsedWhenNobodyAnswers) {
  Silence(1);
  Live(2);
  SetAddresses({1});
  resolver_.answer = AddressesOf({2});
  Begin(/*goes_on=*/true);
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
  EXPECT_EQ(winner_->address.ToString(), NameOf(2));
}

TEST_F(AddressRaceTest, AnAnswerThatComesLateIsUsedWhenItComes) {
  Live(2);
  SetAddresses({1});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Seconds(10)));
  EXPECT_GT(resolver_.polls, 3);
  resolver_.answer = AddressesOf({3, 2});
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
  EXPECT_EQ(winner_->address.ToString(), NameOf(2));
}

TEST_F(AddressRaceTest, AnErrorOfTheResolverIsNoReasonToForgetTheAddresses) {
  SetAddresses({1});
  Begin(/*goes_on=*/true);
  for (int i = 0; i < 10; ++i) {
    resolver_.answer = absl::UnavailableError("the resolver is down");
    EXPECT_FALSE(RunFor(absl::Seconds(1)));
  }
  resolver_.answer = io::Addresses();  // nor is that it knows none
  EXPECT_FALSE(RunFor(absl::Seconds(2)));
  Live(1);
  EXPECT_TRUE(RunFor(absl::Seconds(2)));
}

TEST_F(AddressRaceTest, AFirstConnectDoesNotAskTheResolverAgain) {
  SetAddresses({1});
  Begin();
  EXPECT_TRUE(Run());
  EXPECT_EQ(resolver_.polls, 0);
}

TEST_F(AddressRaceTest, FewerAddressesThanHaveBeenTriedAreNoTrouble) {
  for (uint8_t n : {1, 2, 3}) Silence(n);
  SetAddresses({1, 2, 3});
  Begin(/*goes_on=*/true);
  EXPECT_FALSE(RunFor(absl::Milliseconds(300)));  // two are under way
  resolver_.answer = AddressesOf({4});
  addresses_->AskAgain();  // as the race of another connection does
  EXPECT_FALSE(RunFor(absl::Seconds(5)));
  EXPECT_EQ(Tried().back(), NameOf(4));
}

// --- Its end ---------------------------------------------------------------------

TEST_F(AddressRaceTest, ThatIsDestroyedLeavesNoConnectionInAnyState) {
  for (int ms = 0; ms <= 3000; ms += 50) {
    for (const bool goes_on : {false, true}) {
      Silence(1);
      Refuse(2);
      Live(3, absl::Seconds(1));
      SetAddresses({1, 2, 3});
      Begin(goes_on);
      Run(network_.now() + absl::Milliseconds(ms));
      race_.reset();
      ASSERT_EQ(transport_.open(), 0u) << ms << " ms";
    }
  }
}

TEST_F(AddressRaceTest, ThatIsDestroyedWithAWinnerThatNobodyTookClosesIt) {
  Live(1);
  SetAddresses({1});
  Begin();
  race_->Turn(network_.now());
  const io::Turn turn = transport_.Wait(absl::InfiniteFuture());
  ASSERT_EQ(turn.events.size(), 1u);
  race_->Apply(turn.events[0]);
  EXPECT_EQ(race_->NextTime(), absl::InfiniteFuture());
  EXPECT_EQ(transport_.open(), 1u);
  race_.reset();
  EXPECT_EQ(transport_.open(), 0u);
}

TEST_F(AddressRaceTest, BeforeItsFirstTurnHasConnectedNowhere) {
  SetAddresses({1});
  Begin();
  EXPECT_EQ(race_->NextTime(), network_.now());
  EXPECT_FALSE(race_->IsLost());
  EXPECT_THAT(Tried(), ElementsAre());
}

// --- The delay, and the list -----------------------------------------------------

TEST(RetryDelay, IsNothingAtFirstAndThenDoublesWithJitter) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RetryDelay delay(seed);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(delay.Next(), absl::ZeroDuration());
      for (const int ms : {100, 200, 400, 800, 1500, 1500, 1500}) {
        ExpectDelay(delay.Next(), absl::Milliseconds(ms));
      }
      delay.Reset();
    }
  }
}

TEST(RetryDelay, IsNotTheSameForEverybody) {
  std::set<absl::Duration> delays;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    RetryDelay delay(seed * 0x9e3779b9u);
    delay.Next();
    delays.insert(delay.Next());
  }
  EXPECT_GT(delays.size(), 90u);
}

std::vector<std::string> NamesIn(const ServerAddresses& addresses) {
  std::vector<std::string> names;
  for (const io::Address& address : addresses.list()) names.push_back(address.ToString());
  return names;
}

TEST(ServerAddresses, ThePreferredOneIsTheFirstAndTheOthersKeepTheirOrder) {
  ServerAddresses addresses("server", {Host(1), Host(2), Host(3)});
  addresses.Prefer(Host(3).WithPort(kPort));
  EXPECT_THAT(NamesIn(addresses), ElementsAre("192.0.2.3:0", "192.0.2.1:0", "192.0.2.2:0"));
  addresses.Prefer(Host(3));
  addresses.Prefer(Host(9));  // which has gone from the list
  EXPECT_THAT(NamesIn(addresses), ElementsAre("192.0.2.3:0", "192.0.2.1:0", "192.0.2.2:0"));
}

TEST(ServerAddresses, WithoutAResolverStay) {
  ServerAddresses addresses("server", {Host(1)});
  addresses.AskAgain();
  EXPECT_THAT(NamesIn(addresses), ElementsAre("192.0.2.1:0"));
  EXPECT_EQ(addresses.host(), "server");
}

TEST_F(AddressRaceTest, BeginsWithTheAddressThatHasTakenAConnection) {
  Silence(1);
  Live(2);
  SetAddresses({1, 2});
  addresses_->Prefer(Host(2).WithPort(111));
  Begin();
  Run();
  ExpectWinner(2, absl::ZeroDuration());
  EXPECT_THAT(Tried(), ElementsAre(NameOf(2)));
}

}  // namespace
}  // namespace nfs
