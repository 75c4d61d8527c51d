// A verdict for each situation, by the figures that a stream would have in it.
#include "client/stream/bottleneck.h"

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kMiB = 1 << 20;

// A server that has all in memory, on a local network: READs wait at it for each other.
StreamFacts Usual() {
  StreamFacts facts;
  facts.bytes = 1000 * kMiB;
  facts.elapsed = absl::Seconds(1);
  facts.cpu = absl::Milliseconds(200);
  facts.waited[static_cast<size_t>(Waits::kWindow)] = absl::Milliseconds(700);
  facts.reads = 1000;
  facts.service.Add(absl::Milliseconds(1));
  for (int i = 0; i < 9; ++i) facts.service.Add(absl::Milliseconds(4));
  facts.round_trip = facts.recent_round_trip = absl::Microseconds(200);
  facts.receive_window = 3 * kMiB;
  facts.slots = 64;
  facts.rsize = kMiB;
  facts.window = facts.largest_window = 4 * kMiB;
  return facts;
}

// 400 ms away: 7.5 MB/s over one connection with 3 MiB of window.
StreamFacts FarAway() {
  StreamFacts facts = Usual();
  facts.bytes = 200 * kMiB;
  facts.elapsed = absl::Seconds(30);
  facts.waited[static_cast<size_t>(Waits::kWindow)] = absl::Seconds(29);
  facts.service = Durations();
  facts.service.Add(absl::Milliseconds(450));
  for (int i = 0; i < 9; ++i) facts.service.Add(absl::Milliseconds(2000));
  facts.round_trip = facts.recent_round_trip = absl::Milliseconds(400);
  return facts;
}

void ReadsDoNotWait(StreamFacts& facts) {
  const absl::Duration alone = facts.service.least();
  facts.service = Durations();
  for (int i = 0; i < 10; ++i) facts.service.Add(alone);
}

void Waited(StreamFacts& facts, Waits why, double share) {
  for (absl::Duration& waited : facts.waited) waited = absl::ZeroDuration();
  facts.waited[static_cast<size_t>(why)] = share * facts.elapsed;
}

TEST(TheBottleneck, IsNotKnownOfWhatIsOverAtOnce) {
  StreamFacts facts = Usual();
  facts.reads = 3;
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kUnknown);
  facts.reads = 1000;
  facts.elapsed = absl::Milliseconds(5);
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kUnknown);
  EXPECT_EQ(JudgeStream(StreamFacts()).bottleneck, Bottleneck::kUnknown);
}

TEST(TheBottleneck, IsTheServerWhereReadsWaitAndNotOnThePath) {
  const Verdict verdict = JudgeStream(Usual());
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kServer);
  EXPECT_THAT(verdict.evidence, HasSubstr("READs took more than"));
}

TEST(TheBottleneck, IsTheNetworkWhereTheRoundTripHasBecomeLonger) {
  StreamFacts facts = Usual();
  facts.recent_round_trip = absl::Milliseconds(9);
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kNetwork);
}

TEST(TheBottleneck, IsTheNetworkWhereSegmentsGetLostOnALongPath) {
  StreamFacts facts = FarAway();
  facts.bytes = 20 * kMiB;
  facts.out_of_order = 500;
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kNetwork);
}

// As tests/lab/experiment has it: a disk of 75 MB/s behind a server that is busy.
TEST(TheBottleneck, IsTheServerWhereTheRoundTripIsLongerButReadsWaitMuchLonger) {
  StreamFacts facts = Usual();
  facts.round_trip = absl::Milliseconds(1);
  facts.recent_round_trip = absl::Milliseconds(6);
  facts.service = Durations();
  facts.service.Add(absl::Milliseconds(26));
  for (int i = 0; i < 9; ++i) facts.service.Add(absl::Milliseconds(369));
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kServer);
}

// ... and a local network of 200 Mbit/s that is full.
TEST(TheBottleneck, IsTheNetworkWhereReadsWaitInItsQueue) {
  StreamFacts facts = Usual();
  facts.bytes = 24 * kMiB;
  facts.round_trip = absl::Milliseconds(2);
  facts.recent_round_trip = absl::Milliseconds(126);
  facts.service = Durations();
  facts.service.Add(absl::Milliseconds(28));
  for (int i = 0; i < 9; ++i) facts.service.Add(absl::Milliseconds(185));
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kNetwork);
}

TEST(TheBottleneck, IsTheTcpWindowWhereOneConnectionIsFull) {
  const Verdict verdict = JudgeStream(FarAway());
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kTcpWindow);
  EXPECT_THAT(verdict.evidence, HasSubstr("carried 2.67 MiB in a round trip of 400 ms"));
  EXPECT_THAT(verdict.remedy, HasSubstr("--nconnect=auto"));
  // 4 x 2 x 2.67 MiB.
  EXPECT_THAT(verdict.remedy, HasSubstr("net.ipv4.tcp_rmem"));
  EXPECT_THAT(verdict.remedy, HasSubstr("at 21 MiB or more"));
}

TEST(TheBottleneck, IsTheTcpWindowWhereAllConnectionsAreFull) {
  StreamFacts facts = FarAway();
  facts.bytes *= 16;
  facts.connections = 16;
  facts.nconnect_is_automatic = true;
  const Verdict verdict = JudgeStream(facts);
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kTcpWindow);
  EXPECT_THAT(verdict.remedy, Not(HasSubstr("--nconnect")));
}

TEST(TheBottleneck, IsTheReadaheadWhereReadsDoNotWaitAndTheWindowIsFull) {
  StreamFacts facts = FarAway();
  facts.bytes = 10 * kMiB;
  ReadsDoNotWait(facts);
  const Verdict verdict = JudgeStream(facts);
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kReadahead);
  EXPECT_THAT(verdict.remedy, HasSubstr("--readahead=4194304"));
}

// A disk answers now fast, now slowly; but no READ ever waits for another.
TEST(TheBottleneck, IsTheReadaheadWhereOneReadIsAskedForAtATime) {
  StreamFacts facts = Usual();
  facts.slots_peak = 1;
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kReadahead);
  EXPECT_THAT(JudgeStream(facts).evidence, HasSubstr("one after the other"));
}

TEST(TheBottleneck, IsTheReadaheadWhereMemoryBoundsAnAutomaticOne) {
  StreamFacts facts = FarAway();
  facts.bytes = 10 * kMiB;
  facts.readahead_is_automatic = true;
  ReadsDoNotWait(facts);
  EXPECT_THAT(JudgeStream(facts).remedy, HasSubstr("--max-memory"));
  facts.largest_window = 100 * kMiB;
  EXPECT_NE(JudgeStream(facts).bottleneck, Bottleneck::kReadahead) << "it can still grow";
}

TEST(TheBottleneck, IsTheSlotsWhereReadsDoNotWaitAndTheSlotsAreFull) {
  StreamFacts facts = FarAway();
  facts.bytes = 10 * kMiB;
  facts.slots = 2;
  ReadsDoNotWait(facts);
  Waited(facts, Waits::kSlots, 0.9);
  const Verdict verdict = JudgeStream(facts);
  EXPECT_EQ(verdict.bottleneck, Bottleneck::kSlots);
  EXPECT_THAT(verdict.remedy, HasSubstr("--slots=2"));
}

TEST(TheBottleneck, IsTheOutputWhereItHasNotTakenWhatHasCome) {
  StreamFacts facts = Usual();
  Waited(facts, Waits::kOutput, 0.8);
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kOutput);
  EXPECT_THAT(JudgeStream(facts).evidence, HasSubstr("80 %"));
}

TEST(TheBottleneck, IsThisProcessWhereItNeverRests) {
  StreamFacts facts = Usual();
  facts.cpu = absl::Milliseconds(950);
  EXPECT_EQ(JudgeStream(facts).bottleneck, Bottleneck::kClientCpu);
  EXPECT_THAT(JudgeStream(facts).remedy, IsEmpty());
  facts.rsize = 4096;
  EXPECT_THAT(JudgeStream(facts).remedy, HasSubstr("--rsize"));
}

TEST(TheBottleneck, HasTheNameThatTheCommandLineContractGivesIt) {
  EXPECT_STREQ(NameOf(Bottleneck::kServer), "server");
  EXPECT_STREQ(NameOf(Bottleneck::kNetwork), "network");
  EXPECT_STREQ(NameOf(Bottleneck::kTcpWindow), "tcp_window");
  EXPECT_STREQ(NameOf(Bottleneck::kSlots), "slots");
  EXPECT_STREQ(NameOf(Bottleneck::kReadahead), "readahead");
  EXPECT_STREQ(NameOf(Bottleneck::kOutput), "output");
  EXPECT_STREQ(NameOf(Bottleneck::kClientCpu), "client_cpu");
}

}  // namespace
}  // namespace nfs
