// Which faults excuse which ends.
#include "tests/sim/verdict.h"

#include "gtest/gtest.h"

namespace sim {
namespace {

using absl::Seconds;
using nfs::ErrorKind;

class Verdict : public testing::Test {
 protected:
  Verdict() {
    plan_.client.timeout = Seconds(10);
    plan_.client.retransmissions = 2;
  }

  std::string Allowed(const Circumstances& circumstances = {}) {
    return Text(AllowedErrors(plan_, ledger_, circumstances));
  }

  Plan plan_;
  Ledger ledger_;
};

TEST_F(Verdict, WithoutFaultsExcusesNothing) { EXPECT_EQ(Allowed(), "none"); }

TEST_F(Verdict, ExcusesNothingThatTakesLessThanPatience) {
  ledger_.Inject(FaultKind::kDrop, Seconds(20));
  EXPECT_EQ(Allowed(), "none");
  ledger_.Inject(FaultKind::kRestart, Seconds(8));
  EXPECT_EQ(Allowed(), "6");
}

TEST_F(Verdict, OfAHardClientNeverExcusesATimeout) {
  plan_.client.hard = true;
  ledger_.Inject(FaultKind::kBlackHole, Seconds(10'000));
  ledger_.Inject(FaultKind::kJukebox, Seconds(10'000));
  EXPECT_EQ(Allowed(), "none");
}

TEST_F(Verdict, ExcusesTheFirstConnectWhenAnOutageWasThere) {
  EXPECT_EQ(Allowed({.outage_while_opening = true}), "3, 6");
}

TEST_F(Verdict, GoesByWhatTheServerSaid) {
  ledger_.Inject(FaultKind::kError);
  EXPECT_EQ(Allowed(), "5");
  ledger_.Inject(FaultKind::kGarbage);
  EXPECT_EQ(Allowed(), "5, 8");
}

TEST_F(Verdict, ExcusesStaleHandlesFromTheThirdOn) {
  for (const char* allowed : {"none", "none", "5"}) {
    ledger_.Inject(FaultKind::kStale);
    EXPECT_EQ(Allowed(), allowed);
  }
}

TEST_F(Verdict, OfAFileThatChangesIsSeven) {
  ledger_.Inject(FaultKind::kRewrite);
  EXPECT_EQ(Allowed(), "7");
}

TEST_F(Verdict, OfAFileThatGrowsIsNone) {
  ledger_.Inject(FaultKind::kGrow);
  EXPECT_EQ(Allowed(), "none");
}

TEST_F(Verdict, WantsExactCountsWhenNothingChangesThem) {
  ledger_.Inject(FaultKind::kSegments);
  ledger_.Inject(FaultKind::kDelay);
  EXPECT_TRUE(CountsAreExact(ledger_));
  ledger_.Inject(FaultKind::kShortRead);
  EXPECT_FALSE(CountsAreExact(ledger_));
}

}  // namespace
}  // namespace sim
