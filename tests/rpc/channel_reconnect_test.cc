// A channel whose connection is lost, at any byte of what it sends and of what it receives:
// every call goes out anew, as it was, until it has its reply.
#include <algorithm>
#include <cstdint>
#include <optional>
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

constexpr size_t kReceiveAheads[] = {4, 132, 256 * 1024};

std::vector<uint64_t> TagsOf(const std::vector<Outcome>& outcomes) {
  std::vector<uint64_t> tags;
  for (const Outcome& outcome : outcomes) tags.push_back(outcome.tag);
  return tags;
}

// --- At every byte of the replies --------------------------------------------------

// Two READs whose replies come, the later one first, and between them a call whose reply
// does not.
class TwoReplies {
 public:
  TwoReplies(size_t receive_ahead, const Fragments& fragments)
      : exchange_(Options()), fragments_(fragments) {
    channel().set_receive_ahead(receive_ahead);
    exchange_.Call(63);
    exchange_.Call(std::nullopt);
    exchange_.Call(90);
    calls_ = SendAllCalls(channel());
  }

  static Channel::Options Options() {
    Channel::Options options = SmallOptions(5);
    options.results_bytes = 4096;  // and room for small fragments
    options.payload_bytes = 90;
    return options;
  }

  Channel& channel() { return exchange_.channel(); }
  const std::vector<Outcome>& outcomes() const { return exchange_.outcomes(); }
  const std::vector<SentCall>& calls() const { return calls_; }

  Bytes ReplyTo(uint64_t tag) const {
    const uint32_t xid = calls_[tag].header.xid;
    if (tag == 1) return AsRecord(SuccessReply(xid, Pattern(20, 1)), fragments_);
    return AsRecord(SuccessReply(xid, ReadResults(DataOf(tag)), {2, Pattern(5)}), fragments_);
  }
  Bytes Stream() const {
    Bytes stream = ReplyTo(2);
    Append(stream, ReplyTo(0));
    return stream;
  }

  static Bytes DataOf(uint64_t tag) { return Pattern(tag == 0 ? 63 : 90, tag + 1); }
  static Outcome OutcomeOf(uint64_t tag) {
    if (tag == 1) return {1, absl::OkStatus(), Pattern(20, 1), {}};
    const Bytes data = DataOf(tag);
    const auto size = static_cast<uint32_t>(data.size());
    return {tag, absl::OkStatus(), ReadResultsHead(size, true, false), data};
  }

  void Receive(xdr::ByteView stream, const Pieces& pieces) { exchange_.Receive(stream, pieces); }

  // The calls that have no reply yet go out on the new connection.
  void ExpectResends() {
    std::vector<Bytes> expected;
    for (uint64_t tag = 0; tag < 3; ++tag) {
      if (!IsAnswered(tag)) expected.push_back(calls_[tag].record);
    }
    const uint64_t before = channel().counters().retransmissions;
    channel().OnConnectionLost(TestTime(1));
    EXPECT_EQ(channel().counters().retransmissions - before, expected.size());
    EXPECT_EQ(channel().calls_in_flight(), static_cast<int>(expected.size()));
    EXPECT_EQ(Records(SendAllCalls(channel(), TestTime(1))), expected);
  }

  // All three replies come, also those that had come before the loss.
  void ExpectTheRest() {
    const std::vector<uint64_t> before = TagsOf(outcomes());
    const uint64_t unexpected = channel().counters().unexpected_replies;
    std::vector<Outcome> expected = outcomes();
    Bytes stream;
    for (uint64_t tag : {1, 0, 2}) {
      Append(stream, ReplyTo(tag));
      if (!IsAnswered(tag)) expected.push_back(OutcomeOf(tag));
    }
    Receive(stream, Whole());
    EXPECT_EQ(outcomes(), expected);
    EXPECT_EQ(channel().counters().unexpected_replies - unexpected, before.size());
    EXPECT_EQ(channel().calls_in_flight(), 0);
    EXPECT_TRUE(channel().status().ok()) << channel().status();
  }

 private:
  bool IsAnswered(uint64_t tag) const {
    return std::ranges::count(outcomes(), tag, &Outcome::tag) != 0;
  }

  Exchange exchange_;
  Fragments fragments_;
  std::vector<SentCall> calls_;
};

TEST(AConnectionLost, AtAnyByteOfTheRepliesLosesNoCall) {
  for (size_t receive_ahead : kReceiveAheads) {
    for (const Fragments& fragments : {Fragments(), Fragments{7, false}, Fragments{33, true}}) {
      const size_t stream_bytes = TwoReplies(4, fragments).Stream().size();
      for (size_t cut = 0; cut <= stream_bytes; cut += kEvery) {
        SCOPED_TRACE(testing::Message() << "receive_ahead " << receive_ahead << ", "
                                        << fragments.Name() << ", lost after " << cut);
        TwoReplies replies(receive_ahead, fragments);
        const Bytes stream = replies.Stream();
        replies.Receive(xdr::ByteView(stream).first(cut), Whole());
        const size_t first_bytes = replies.ReplyTo(2).size();
        const size_t come = cut == stream_bytes ? 2 : cut >= first_bytes ? 1 : 0;
        EXPECT_EQ(replies.outcomes().size(), come);
        replies.ExpectResends();
        replies.ExpectTheRest();
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(AConnectionLost, AtAnyByteOfTheRepliesByteByByteLosesNoCall) {
  const size_t stream_bytes = TwoReplies(4, {}).Stream().size();
  for (size_t cut = 0; cut <= stream_bytes; cut += kEvery) {
    SCOPED_TRACE(testing::Message() << "lost after " << cut);
    TwoReplies replies(132, {});
    const Bytes stream = replies.Stream();
    replies.Receive(xdr::ByteView(stream).first(cut), ByteByByte(cut + 1));
    replies.ExpectResends();
    replies.ExpectTheRest();
    if (testing::Test::HasFailure()) return;
  }
}

// Each connection carries one byte more of the same replies than the last did.
TEST(AConnectionLost, AgainAndAgainLosesNoCall) {
  for (size_t receive_ahead : kReceiveAheads) {
    TwoReplies replies(receive_ahead, {64, false});
    const Bytes stream = replies.Stream();
    for (size_t cut = 0; cut < replies.ReplyTo(2).size(); ++cut) {
      replies.Receive(xdr::ByteView(stream).first(cut), Whole());
      EXPECT_THAT(replies.outcomes(), IsEmpty());
      replies.ExpectResends();
    }
    replies.ExpectTheRest();
  }
}

// One reply on each connection, and then the loss in the midst of a stranger's.
TEST(AConnectionLost, AfterEachReplyLosesNoCall) {
  TwoReplies replies(132, {});
  for (uint64_t tag : {2, 0, 1}) {
    Bytes stream = replies.ReplyTo(tag);
    const size_t stranger = 1 + 17 * tag;
    const Bytes foreign = AsRecord(SuccessReply(12345, Pattern(100)));
    Append(stream, xdr::ByteView(foreign).first(stranger));
    replies.Receive(stream, Whole());
    EXPECT_EQ(replies.outcomes().back(), TwoReplies::OutcomeOf(tag));
    replies.ExpectResends();
  }
  EXPECT_EQ(replies.outcomes().size(), 3u);
  EXPECT_EQ(replies.channel().counters().retransmissions, 2u + 1u);
}

// --- At every byte of the calls -----------------------------------------------------

TEST(AConnectionLost, AtAnyByteOfTheCallsSendsThemAllFromTheirFirstByte) {
  size_t size = SIZE_MAX;
  for (size_t sent = 0; sent <= size; ++sent) {
    SCOPED_TRACE(testing::Message() << "lost after " << sent);
    Channel channel(SmallOptions());
    for (uint64_t tag = 1; tag <= 3; ++tag) Call(channel, tag);
    const xdr::ByteView bytes = channel.SendBytes();
    const Bytes stream(bytes.begin(), bytes.end());
    size = stream.size();
    if (sent != 0) channel.OnSent(sent, TestTime());
    Call(channel, 4);  // not given away yet
    channel.OnConnectionLost(TestTime(1));
    EXPECT_EQ(channel.counters().retransmissions, 3u);

    const Bytes anew = SendAll(channel, TestTime(1));
    ASSERT_GT(anew.size(), size);
    EXPECT_EQ(Bytes(anew.begin(), anew.begin() + static_cast<long>(size)), stream);
    Bytes copy = anew;
    const std::vector<SentCall> calls = TakeCalls(copy);
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_THAT(copy, IsEmpty());
    for (size_t i = 0; i < 4; ++i)
      EXPECT_THAT(ReceiveReplyTo(channel, calls[i]), ElementsAre(i + 1));
  }
}

TEST(AConnectionLost, WhileACallGoesOutWhoseReplyIsThereDoesNotSendItAgain) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  Call(channel, 2);
  const xdr::ByteView bytes = channel.SendBytes();
  Bytes stream(bytes.begin(), bytes.end());
  const std::vector<SentCall> calls = TakeCalls(stream);
  EXPECT_THAT(ReceiveReplyTo(channel, calls[0]), ElementsAre(1));
  channel.OnConnectionLost(TestTime(1));
  EXPECT_EQ(Records(SendAllCalls(channel)), std::vector<Bytes>{calls[1].record});
}

TEST(AConnectionLost, SendsCallsInTheirOrderWhateverSlotsTheyHave) {
  Channel channel(SmallOptions(3));
  std::vector<SentCall> calls;
  for (uint64_t tag = 0; tag < 3; ++tag) calls.push_back(CallAndSend(channel, tag));
  for (uint64_t tag = 3; tag < 20; ++tag) {
    const size_t answered = tag % 2;  // of the three
    ReceiveReplyTo(channel, calls[answered]);
    calls.erase(calls.begin() + static_cast<long>(answered));
    calls.push_back(CallAndSend(channel, tag));
    channel.OnConnectionLost(TestTime());
    EXPECT_EQ(Records(SendAllCalls(channel)), Records(calls)) << tag;
  }
}

TEST(AConnectionLost, SendsACallOnceThatWasSentTwice) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  Call(channel, 2);
  const std::vector<SentCall> calls = SendAllCalls(channel);
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 3)), ElementsAre(3));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(9)));
  for (bool resend_has_left : {false, true}) {
    if (resend_has_left) SendAll(channel, TestTime(10));
    channel.OnConnectionLost(TestTime(11));
    EXPECT_EQ(Records(SendAllCalls(channel)), Records(calls));
  }
}

// The largest calls, over and over: the queue has room for what a loss puts into it.
TEST(AConnectionLost, LeavesRoomForTheLargestCalls) {
  Channel channel(SmallOptions(4));
  uint64_t tag = 0;
  for (int i = 0; i < 20; ++i) {
    while (channel.CanCall()) CallWith(channel, tag++, LargestArgs());
    if (i % 3 != 0) channel.SendBytes();
    if (i % 3 == 1) channel.OnSent(channel.SendBytes().size() / 2, TestTime());
    channel.OnConnectionLost(TestTime());
    if (i % 2 != 0) channel.OnConnectionLost(TestTime());
    const std::vector<SentCall> calls = SendAllCalls(channel);
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_THAT(ReceiveReplyTo(channel, calls[i % 4]), ElementsAre(testing::_));
  }
}

// --- What counts as sent again --------------------------------------------------------

TEST(Retransmissions, CountOnlyWhatHadBeenGivenAway) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  channel.OnConnectionLost(TestTime());
  EXPECT_EQ(channel.counters().retransmissions, 0u);
  channel.SendBytes();  // it may be at the server from here on
  Call(channel, 2);
  channel.OnConnectionLost(TestTime());
  EXPECT_EQ(channel.counters().retransmissions, 1u);
  for (int i = 0; i < 3; ++i) channel.OnConnectionLost(TestTime());  // never connected
  EXPECT_EQ(channel.counters().retransmissions, 1u);
  SendAll(channel);
  channel.OnConnectionLost(TestTime());
  EXPECT_EQ(channel.counters().retransmissions, 3u);
  EXPECT_EQ(channel.counters().calls, 2u);
}

TEST(Retransmissions, AreCountedOutOnEachConnectionAnew) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  uint64_t tag = 2;
  absl::Time now = TestTime();
  for (int connection = 0; connection < 3; ++connection) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, tag, now)), ElementsAre(tag));
      ++tag;
      now += absl::Seconds(10);
      EXPECT_TRUE(channel.OnTimeout(now, now));
      EXPECT_EQ(SendAll(channel, now), call.record);
    }
    channel.OnConnectionLost(now);
    EXPECT_EQ(SendAll(channel, now), call.record);
  }
  EXPECT_TRUE(channel.status().ok()) << channel.status();
}

// --- Replies and timers on the new connection ------------------------------------------

TEST(AReply, OnTheNewConnectionToACallThatIsNotGivenAwayYetIsNobodys) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  channel.OnConnectionLost(TestTime());
  EXPECT_THAT(ReceiveReplyTo(channel, call), IsEmpty());
  EXPECT_EQ(channel.counters().unexpected_replies, 1u);
  EXPECT_EQ(channel.calls_in_flight(), 1);
  EXPECT_EQ(channel.SendBytes().size(), call.record.size());
  EXPECT_THAT(ReceiveReplyTo(channel, call), ElementsAre(1));
  channel.OnSent(call.record.size(), TestTime());
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
}

TEST(AReply, OfBeforeTheLossWhoseCallHasBeenAnsweredIsNobodys) {
  Channel channel(SmallOptions(1));
  const SentCall first = CallAndSend(channel, 1);
  EXPECT_THAT(ReceiveReplyTo(channel, first), ElementsAre(1));
  const SentCall second = CallAndSend(channel, 2);  // in its slot
  channel.OnConnectionLost(TestTime());
  SendAll(channel);
  EXPECT_THAT(ReceiveReplyTo(channel, first), IsEmpty());
  EXPECT_EQ(channel.counters().unexpected_replies, 1u);
  EXPECT_THAT(ReceiveReplyTo(channel, second), ElementsAre(2));
}

TEST(AReply, TellsWhenItsCallWasFirstMade) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1, TestTime(3));
  channel.OnConnectionLost(TestTime(50));
  SendAll(channel, TestTime(60));
  const Bytes stream = AsRecord(SuccessReply(call.header.xid, {}));
  channel.OnReceived(CopyInto(channel.GetReceiveSpans(), stream));
  EXPECT_EQ(channel.NextReply().value().called, TestTime(3));
}

TEST(ATimer, OfTheOldConnectionIsForgotten) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  channel.OnConnectionLost(TestTime(8));
  EXPECT_EQ(channel.NextDeadline(), TestTime(18));  // of the bytes
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime()));
  EXPECT_EQ(channel.SendBytes().size(), call.record.size());
  channel.OnSent(call.record.size(), TestTime(15));
  EXPECT_EQ(channel.NextDeadline(), TestTime(25));
  EXPECT_TRUE(channel.OnTimeout(TestTime(25) - absl::Nanoseconds(1), TestTime()));
  EXPECT_FALSE(channel.OnTimeout(TestTime(25), TestTime()));
}

TEST(ACall, IsNotOvertakenByRepliesOfTheOldConnection) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 2)), ElementsAre(2));
  channel.OnConnectionLost(TestTime(5));
  EXPECT_EQ(SendAll(channel, TestTime(5)), call.record);
  EXPECT_TRUE(channel.OnTimeout(TestTime(15), TestTime(14)));
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  EXPECT_EQ(channel.NextDeadline(), TestTime(24));
}

// What was half received before the loss holds nothing up after it.
TEST(ACall, WhoseReplyWasHalfReceivedIsSentAgainWhenItIsOvertakenOnTheNewConnection) {
  Channel channel(SmallOptions());
  const SentCall call = CallAndSend(channel, 1);
  const Bytes reply = AsRecord(SuccessReply(call.header.xid, Pattern(40)));
  EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).first(30)), IsEmpty());
  channel.OnConnectionLost(TestTime(1));
  EXPECT_EQ(SendAll(channel, TestTime(1)), call.record);
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 2, TestTime(2))), ElementsAre(2));
  EXPECT_TRUE(channel.OnTimeout(TestTime(11), TestTime(2)));
  EXPECT_EQ(SendAll(channel, TestTime(11)), call.record);
}

// --- Nothing in flight ------------------------------------------------------------------

TEST(AConnectionLost, WithNothingInFlightSendsNothing) {
  Channel channel(SmallOptions());
  channel.OnConnectionLost(TestTime());
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 1)), ElementsAre(1));
  channel.OnConnectionLost(TestTime(1));
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
  EXPECT_EQ(channel.counters().retransmissions, 0u);
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 2)), ElementsAre(2));
}

TEST(AConnectionLost, WithHalfAMarkReceivedBeginsAtTheNextOnesMark) {
  for (size_t size = 0; size < 60; ++size) {
    Channel channel(SmallOptions());
    const Bytes stream = AsRecord(SuccessReply(12345, Pattern(60)), {9, true});
    EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(stream).first(size)), IsEmpty());
    channel.OnConnectionLost(TestTime());
    EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 1)), ElementsAre(1)) << size;
  }
}

TEST(AConnectionLost, LeavesReceiveAheadAsItIs) {
  Channel channel(SmallOptions());
  channel.set_receive_ahead(132);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(channel.GetReceiveSpans().first.size(), 0u);
    EXPECT_EQ(channel.GetReceiveSpans().second.size(), 132u);
    channel.OnConnectionLost(TestTime());
  }
}

// --- Calls that are forgotten ---------------------------------------------------------------

TEST(ForgottenCalls, FreeTheirSlotsAndLeaveNothingToSend) {
  Channel channel(SmallOptions(4));
  for (uint64_t tag = 1; tag <= 3; ++tag) CallAndSend(channel, tag);
  Call(channel, 4);
  channel.OnConnectionLost(TestTime(5));
  channel.ForgetCalls();
  EXPECT_EQ(channel.calls_in_flight(), 0);
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  EXPECT_EQ(channel.NextDeadline(), absl::InfiniteFuture());
  EXPECT_TRUE(channel.OnTimeout(TestTime(1000), TestTime()));
  EXPECT_TRUE(channel.status().ok());
  for (uint64_t tag = 5; tag <= 8; ++tag) Call(channel, tag);
  EXPECT_FALSE(channel.CanCall());
  const std::vector<SentCall> calls = SendAllCalls(channel);
  ASSERT_EQ(calls.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_THAT(ReceiveReplyTo(channel, calls[i]), ElementsAre(5 + i));
}

TEST(ForgottenCalls, MayBeNone) {
  Channel channel(SmallOptions());
  channel.OnConnectionLost(TestTime());
  channel.ForgetCalls();
  EXPECT_THAT(ReceiveReplyTo(channel, CallAndSend(channel, 1)), ElementsAre(1));
}

// Their memory is not the channel's any more, half filled or not.
TEST(ForgottenCalls, HaveRepliesThatAreNobodysAndTouchNoMemory) {
  const size_t whole = AsRecord(SuccessReply(0, ReadResults(Pattern(90)))).size();
  for (size_t size = 0; size < whole; ++size) {
    Channel channel(TwoReplies::Options());
    Bytes memory(90, std::byte{0xa5});
    Request request;
    request.procedure = kTestRead;
    request.locate = &LocateReadData;
    request.payload = memory;
    channel.Call(request, NoArgs(), TestTime());
    const uint32_t xid = SendAllCalls(channel)[0].header.xid;
    const Bytes reply = AsRecord(SuccessReply(xid, ReadResults(Pattern(90))));
    EXPECT_THAT(ReceiveStream(channel, xdr::ByteView(reply).first(size)), IsEmpty());
    channel.OnConnectionLost(TestTime());
    channel.ForgetCalls();
    memory.assign(90, std::byte{0x5a});
    const SentCall next = CallAndSend(channel, 10);  // in its slot
    EXPECT_THAT(ReceiveStream(channel, reply), IsEmpty()) << size;
    EXPECT_EQ(channel.counters().unexpected_replies, 1u) << size;
    EXPECT_EQ(memory, Bytes(90, std::byte{0x5a})) << size;
    EXPECT_THAT(ReceiveReplyTo(channel, next), ElementsAre(10)) << size;
  }
}

}  // namespace
}  // namespace rpc
