// What a channel makes of replies that do not come: when its timers run, when it takes the
// connection for dead, and when it sends a call again.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/sent_calls.h"
#include "tests/rpc/server_bytes.h"
#include "tests/rpc/small_calls.h"
#include "xdr/types.h"

namespace rpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

// --- Timers --------------------------------------------------------------------

TEST(ATimer, StartsWhenItsCallHasWhollyLeft) {
  Channel channel(SmallOptions());
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
  Call(channel, 1);
  const size_t size = channel.SendBytes().size();
  EXPECT_EQ(channel.NextDeadline(), TestTime(10));  // the bytes are to move by then
  channel.OnSent(size - 1, TestTime(7));
  EXPECT_EQ(channel.NextDeadline(), TestTime(17));
  channel.OnSent(1, TestTime(9));
  EXPECT_EQ(channel.NextDeadline(), TestTime(19));
  EXPECT_TRUE(channel.OnTimeout(TestTime(19) - kTick, TestTime()));
  EXPECT_EQ(channel.NextDeadline(), TestTime(19));
  EXPECT_FALSE(channel.OnTimeout(TestTime(19), TestTime()));
}

TEST(ATimer, DoesNotRunWhileItsCallIsQueuedBehindAFullSocket) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  Call(channel, 2);
  const Bytes stream(channel.SendBytes().begin(), channel.SendBytes().end());
  Bytes copy = stream;
  const std::vector<SentCall> calls = TakeCalls(copy);
  channel.OnSent(calls[0].record.size() + 5, TestTime(5));  // the second has begun
  EXPECT_THAT(ReceiveReplyTo(channel, calls[0]), ElementsAre(1));
  channel.OnSent(calls[1].record.size() - 5, TestTime(14));

  // The first is due at 15 and answered; nothing has been heard since.
  EXPECT_EQ(channel.NextDeadline(), TestTime(15));
  EXPECT_TRUE(channel.OnTimeout(TestTime(15), TestTime(5)));
  EXPECT_EQ(channel.NextDeadline(), TestTime(24));
  EXPECT_TRUE(channel.OnTimeout(TestTime(24) - kTick, TestTime(5)));
  EXPECT_FALSE(channel.OnTimeout(TestTime(24), TestTime(5)));
}

TEST(ATimer, NeverStartsForACallThatWasAnsweredBeforeItsSendingWasReported) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const xdr::ByteView bytes = channel.SendBytes();
  Bytes stream(bytes.begin(), bytes.end());
  EXPECT_THAT(ReceiveReplyTo(channel, TakeCalls(stream)[0]), ElementsAre(1));
  channel.OnSent(bytes.size(), TestTime(1));
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
}

TEST(ATimer, OfASlotsNextCallDoesNotStartWithTheLastOnesSending) {
  Channel channel(SmallOptions(1));
  Call(channel, 1);
  const xdr::ByteView bytes = channel.SendBytes();
  Bytes stream(bytes.begin(), bytes.end());
  EXPECT_THAT(ReceiveReplyTo(channel, TakeCalls(stream)[0]), ElementsAre(1));
  Call(channel, 2, TestTime(3));
  channel.OnSent(bytes.size(), TestTime(5));
  channel.OnSent(channel.SendBytes().size() - 1, TestTime(14));
  EXPECT_TRUE(channel.OnTimeout(TestTime(15), TestTime(5)));
  channel.OnSent(1, TestTime(16));
  EXPECT_EQ(channel.NextDeadline(), TestTime(26));
}

TEST(ATimer, StartsWhileTheReplyIsReceivedAlready) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const xdr::ByteView bytes = channel.SendBytes();
  Bytes stream(bytes.begin(), bytes.end());
  const Bytes reply = AsRecord(SuccessReply(TakeCalls(stream)[0].header.xid, Pattern(40)));
  EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).first(20)), IsEmpty());
  channel.OnSent(bytes.size(), TestTime(2));
  EXPECT_EQ(channel.NextDeadline(), TestTime(12));
  EXPECT_FALSE(channel.OnTimeout(TestTime(12), TestTime(1)));
}

TEST(ATimer, IsAskedForAsLongAsItsCallWaits) {
  Channel channel(SmallOptions());
  const SentCall first = CallAndSend(channel, 1, TestTime(1));
  const SentCall second = CallAndSend(channel, 2, TestTime(3));
  EXPECT_EQ(channel.NextDeadline(), TestTime(11));
  EXPECT_THAT(ReceiveReplyTo(channel, first), ElementsAre(1));
  EXPECT_THAT(ReceiveReplyTo(channel, second), ElementsAre(2));
  EXPECT_TRUE(channel.OnTimeout(channel.NextDeadline(), TestTime(3)));
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
}

// --- Silence -------------------------------------------------------------------

TEST(Silence, OfATimeoutWithACallInFlightIsADeadConnection) {
  Channel channel(SmallOptions());
  CallAndSend(channel, 1);
  EXPECT_TRUE(channel.OnTimeout(TestTime(10) - kTick, TestTime()));
  EXPECT_FALSE(channel.OnTimeout(TestTime(10), TestTime()));
  EXPECT_TRUE(channel.status().ok());
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  EXPECT_EQ(channel.counters().retransmissions, 0u);
}

TEST(Silence, BeforeTheCallIsNotHeldAgainstIt) {
  for (absl::Time last_heard : {TestTime(-1000), absl::InfinitePast()}) {
    Channel channel(SmallOptions());
    CallAndSend(channel, 1);
    EXPECT_TRUE(channel.OnTimeout(TestTime(10) - kTick, last_heard));
    EXPECT_FALSE(channel.OnTimeout(TestTime(10), last_heard));
  }
}

TEST(Silence, ShorterThanATimeoutPutsTheTimerOff) {
  Channel channel(SmallOptions());
  CallAndSend(channel, 1);
  const absl::Time heard = TestTime() + kTick;
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), heard));
  EXPECT_EQ(channel.NextDeadline(), heard + absl::Seconds(10));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime()));  // before its time
  EXPECT_FALSE(channel.OnTimeout(heard + absl::Seconds(10), heard));
}

TEST(Silence, WithHalfAReplyReceivedIsADeadConnectionToo) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  const Bytes reply = AsRecord(SuccessReply(call.header.xid, Pattern(40)));
  EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).first(30)), IsEmpty());
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(8)));
  EXPECT_EQ(channel.NextDeadline(), TestTime(18));
  EXPECT_FALSE(channel.OnTimeout(TestTime(18), TestTime(8)));
}

TEST(Silence, WithoutACallInFlightIsNone) {
  Channel channel(SmallOptions());
  EXPECT_TRUE(channel.OnTimeout(TestTime(1000), absl::InfinitePast()));
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 1)), ElementsAre(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(1000), TestTime()));
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
}

TEST(Silence, OfAnAnsweredCallIsNotHeldAgainstAYoungerOne) {
  Channel channel(SmallOptions(1));
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 1)), ElementsAre(1));
  CallAndSend(channel, 2, TestTime(9));  // in the slot of the first
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime()));
  EXPECT_EQ(channel.NextDeadline(), TestTime(19));
  EXPECT_TRUE(channel.OnTimeout(TestTime(19) - kTick, TestTime()));
  EXPECT_FALSE(channel.OnTimeout(TestTime(19), TestTime()));
}

TEST(Silence, IsADeadConnectionEvenForACallThatWasOvertaken) {
  Channel channel(SmallOptions());
  CallAndSend(channel, 1);
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 2)), ElementsAre(2));
  EXPECT_FALSE(channel.OnTimeout(TestTime(10), TestTime()));
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
}

// --- Bytes that do not move ------------------------------------------------------

TEST(BytesThatDoNotMove, ForATimeoutInSilenceAreADeadConnection) {
  Channel channel(SmallOptions());
  Call(channel, 1, TestTime(3));
  Call(channel, 2, TestTime(8));  // makes the first no younger
  const size_t size = channel.SendBytes().size();
  EXPECT_EQ(channel.NextDeadline(), TestTime(13));
  EXPECT_TRUE(channel.OnTimeout(TestTime(13) - kTick, TestTime()));
  EXPECT_FALSE(channel.OnTimeout(TestTime(13), TestTime()));
  EXPECT_TRUE(channel.status().ok());
  EXPECT_EQ(channel.SendBytes().size(), size);
}

TEST(BytesThatDoNotMove, WaitOnWhileTheServerIsHeard) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const size_t size = channel.SendBytes().size();
  for (int i = 1; i <= 100; ++i) {
    EXPECT_EQ(channel.NextDeadline(), TestTime(10 * i));
    EXPECT_TRUE(channel.OnTimeout(TestTime(10 * i), TestTime(10 * i)));
    EXPECT_EQ(channel.SendBytes().size(), size);
  }
  EXPECT_TRUE(channel.OnTimeout(TestTime(1010), TestTime(1004)));
  EXPECT_EQ(channel.NextDeadline(), TestTime(1014));
  EXPECT_FALSE(channel.OnTimeout(TestTime(1014), TestTime(1004)));
  EXPECT_EQ(channel.counters().retransmissions, 0u);
}

TEST(BytesThatDoNotMove, HaveATimeoutFromTheLastThatDid) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const size_t size = channel.SendBytes().size();
  for (size_t sent = 1; sent < size; ++sent) {
    channel.OnSent(1, TestTime(9 * sent));
    EXPECT_EQ(channel.NextDeadline(), TestTime(9 * sent + 10));
    EXPECT_TRUE(channel.OnTimeout(TestTime(9 * sent + 10) - kTick, TestTime()));
  }
  EXPECT_FALSE(channel.OnTimeout(TestTime(9 * (size - 1) + 10), TestTime()));
}

TEST(BytesThatDoNotMove, DoNotHideACallThatHasLeftAndIsOverdue) {
  Channel channel(SmallOptions());
  CallAndSend(channel, 1);
  Call(channel, 2, TestTime(6));
  channel.SendBytes();
  EXPECT_EQ(channel.NextDeadline(), TestTime(10));
  EXPECT_FALSE(channel.OnTimeout(TestTime(10), TestTime()));
}

// --- Calls that others have overtaken ---------------------------------------------

// Calls, sends and answers one: it overtakes all that were sent before.
void Overtake(Channel& channel, uint64_t tag, absl::Time now) {
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, tag, now)), ElementsAre(tag));
}

TEST(AnOvertakenCall, IsSentAgainAsItWasAsOftenAsAllowedAndThenFails) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  for (int i = 1; i <= 2; ++i) {
    const absl::Time due = TestTime(10 * i);
    Overtake(channel, 1 + i, due - absl::Seconds(1));
    EXPECT_TRUE(channel.OnTimeout(due - kTick, due - kTick));
    EXPECT_THAT(channel.SendBytes(), IsEmpty());
    EXPECT_TRUE(channel.OnTimeout(due, due));
    EXPECT_EQ(SendAll(channel, due), call.record) << i;
    EXPECT_EQ(channel.counters().retransmissions, static_cast<uint64_t>(i));
  }
  EXPECT_EQ(channel.counters().calls, 3u);
  EXPECT_TRUE(channel.CanCall());
  Overtake(channel, 4, TestTime(29));
  EXPECT_TRUE(channel.OnTimeout(TestTime(30), TestTime(29)));
  EXPECT_EQ(channel.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(channel.status().message(), "READ: RPC: no reply within 30s");
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  EXPECT_FALSE(channel.CanCall());
  EXPECT_FALSE(channel.NextReply().has_value());
  EXPECT_EQ(channel.counters().retransmissions, 2u);
}

TEST(AnOvertakenCall, WithoutRetransmissionsFailsAtOnce) {
  Channel::Options options = SmallOptions();
  options.retransmissions = 0;
  Channel channel(options);
  CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(9));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(9)));
  EXPECT_EQ(channel.status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(AnOvertakenCall, HasANewTimerOnceItHasLeftAgain) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(12), TestTime(9)));
  EXPECT_EQ(channel.NextDeadline(), TestTime(22));  // of the bytes
  EXPECT_EQ(channel.SendBytes().size(), call.record.size());
  channel.OnSent(call.record.size(), TestTime(15));
  EXPECT_EQ(channel.NextDeadline(), TestTime(25));
}

TEST(AnOvertakenCall, IsNotSentAThirdTimeBeforeItIsOvertakenAgain) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(9)));
  EXPECT_EQ(SendAll(channel, TestTime(10)), call.record);
  EXPECT_TRUE(channel.OnTimeout(TestTime(20), TestTime(19)));
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  EXPECT_EQ(channel.NextDeadline(), TestTime(29));
  Overtake(channel, 3, TestTime(21));
  EXPECT_TRUE(channel.OnTimeout(TestTime(29), TestTime(21)));
  EXPECT_EQ(SendAll(channel, TestTime(29)), call.record);
}

TEST(AnOvertakenCall, IsNotQueuedTwiceWhileItWaitsToBeSent) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(1));
  for (int seconds = 10; seconds < 60; seconds += 10) {
    EXPECT_TRUE(channel.OnTimeout(TestTime(seconds), TestTime(seconds)));
    EXPECT_EQ(channel.SendBytes().size(), call.record.size());
  }
  EXPECT_EQ(SendAll(channel, TestTime(60)), call.record);
  EXPECT_EQ(channel.counters().retransmissions, 1u);
}

TEST(AnOvertakenCall, WhoseReplyIsHalfReceivedIsNotSentAgainWhileBytesCome) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(1));
  const Bytes reply = AsRecord(SuccessReply(call.header.xid, Pattern(400)));
  constexpr size_t kStart = 20;  // the envelope says whose it is
  EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).first(kStart)), IsEmpty());
  for (size_t at = kStart; at + 1 < reply.size(); ++at) {
    const absl::Time now = channel.NextDeadline();
    EXPECT_TRUE(channel.OnTimeout(now, now));
    EXPECT_THAT(channel.SendBytes(), IsEmpty());
    EXPECT_EQ(channel.NextDeadline(), now + absl::Seconds(10));
    EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).subspan(at, 1)), IsEmpty());
  }
  EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).last(1)), ElementsAre(1));
  EXPECT_EQ(channel.counters().retransmissions, 0u);
}

TEST(ACallThatNothingOvertook, WaitsOnForAsLongAsTheServerIsHeard) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  for (int i = 1; i <= 100; ++i) {
    EXPECT_TRUE(channel.OnTimeout(TestTime(10 * i), TestTime(10 * i)));
    EXPECT_THAT(channel.SendBytes(), IsEmpty());
  }
  EXPECT_TRUE(channel.status().ok());
  EXPECT_THAT(ReceiveReplyTo(channel, call), ElementsAre(1));
}

TEST(Replies, OvertakeTheCallsBeforeTheirsAndNoOther) {
  Channel channel(SmallOptions(3));
  for (uint64_t tag = 1; tag <= 3; ++tag) Call(channel, tag);
  const std::vector<SentCall> calls = SendAllCalls(channel);  // in one send
  EXPECT_THAT(ReceiveReplyTo(channel, calls[1]), ElementsAre(2));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(9)));
  EXPECT_EQ(Records(SendAllCalls(channel, TestTime(10))), std::vector<Bytes>{calls[0].record});
  EXPECT_EQ(channel.NextDeadline(), TestTime(19));  // of the third
}

TEST(Replies, ThatNoCallWaitedForOvertakeNothing) {
  Channel channel(SmallOptions());
  const SentCall old = CallAndSend(channel, 1);
  EXPECT_THAT(ReceiveReplyTo(channel, old), ElementsAre(1));
  CallAndSend(channel, 2);
  EXPECT_THAT(ReceiveReplyTo(channel, old), IsEmpty());
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(9)));
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
}

TEST(AnOverdueCall, LeavesTheOthersAlone) {
  Channel channel(SmallOptions());
  const SentCall first = CallAndSend(channel, 1, TestTime(0));
  CallAndSend(channel, 2, TestTime(5));
  Overtake(channel, 3, TestTime(6));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(6)));
  EXPECT_EQ(Records(SendAllCalls(channel, TestTime(10))), std::vector<Bytes>{first.record});
  EXPECT_EQ(channel.NextDeadline(), TestTime(15));
}

TEST(OverdueCalls, AreSentAgainTogether) {
  Channel channel(SmallOptions());
  for (uint64_t tag = 1; tag <= 3; ++tag) Call(channel, tag);
  const std::vector<SentCall> calls = SendAllCalls(channel);
  Overtake(channel, 4, TestTime(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(1)));
  EXPECT_EQ(Records(SendAllCalls(channel, TestTime(10))), Records(calls));
  EXPECT_EQ(channel.counters().retransmissions, 3u);
}

// --- Late replies ------------------------------------------------------------------

TEST(ALateReply, ToACallSentTwiceIsTakenOnceAndItsTwinDropped) {
  Channel channel(SmallOptions(2));
  const SentCall call = CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(1)));
  SendAll(channel, TestTime(10));
  EXPECT_THAT(ReceiveReplyTo(channel, call), ElementsAre(1));
  Call(channel, 3);  // in the slot of the first
  EXPECT_THAT(ReceiveReplyTo(channel, call), IsEmpty());
  EXPECT_EQ(channel.counters().unexpected_replies, 1u);
  EXPECT_THAT(ReceiveReplyTo(channel, SendAllCalls(channel)[0]), ElementsAre(3));
}

TEST(ALateReply, IsTakenWhileItsCallWaitsToBeSentAgain) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  Overtake(channel, 2, TestTime(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(1)));
  EXPECT_THAT(ReceiveReplyTo(channel, call), ElementsAre(1));
  EXPECT_EQ(SendAll(channel, TestTime(11)), call.record);  // it cannot be called back
  EXPECT_EQ(channel.calls_in_flight(), 0);
}

// All calls but the last are of the largest size, were sent, and are queued once more; then
// come their replies, and all slots are used again before anything can be sent.
TEST(ALateReply, ToACallQueuedAgainLeavesRoomForTheNextInItsSlot) {
  Channel channel(SmallOptions(5));
  for (uint64_t tag = 0; tag < 4; ++tag) CallWith(channel, tag, LargestArgs());
  const std::vector<SentCall> calls = SendAllCalls(channel);
  Overtake(channel, 99, TestTime(1));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(1)));
  for (const SentCall& call : calls) ReceiveReplyTo(channel, call);
  for (uint64_t tag = 4; tag < 9; ++tag) CallWith(channel, tag, LargestArgs(), TestTime(11));
  EXPECT_FALSE(channel.CanCall());
  const std::vector<SentCall> sent = SendAllCalls(channel, TestTime(11));
  ASSERT_EQ(sent.size(), 9u);
  for (size_t i = 4; i < 9; ++i) EXPECT_THAT(ReceiveReplyTo(channel, sent[i]), ElementsAre(i));
  EXPECT_EQ(channel.calls_in_flight(), 0);
}

}  // namespace
}  // namespace rpc
