// A channel's calls on their way out, their credentials, and servers that make no sense.
// What becomes of replies however they are cut: channel_replies_test.cc; of calls that have
// none: channel_timeout_test.cc; of a connection that is lost: channel_reconnect_test.cc.
#include "rpc/channel.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/auth.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/sent_calls.h"
#include "tests/rpc/server_bytes.h"
#include "tests/rpc/small_calls.h"
#include "xdr/types.h"

namespace rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- Calls -------------------------------------------------------------------

TEST(ACall, IsWhatTheRfcSays) {
  Channel::Options options = SmallOptions(1);
  options.credentials.flavor = AuthFlavor::kSys;
  options.credentials.body.Assign(xdr::BytesOf("abcde"));
  Channel channel(options);
  CallWith(channel, 0, Bytes{std::byte{9}});
  Bytes expected = Words({0x80000000 | 56, 78, 0, 2, 100003, 3, 6, 1, 5});
  Append(expected, xdr::BytesOf(absl::string_view("abcde\0\0\0", 8)));
  Append(expected, Words({0, 0, 1, 0x09000000}));
  const xdr::ByteView sent = channel.SendBytes();
  EXPECT_EQ(Bytes(sent.begin(), sent.end()), expected);
}

TEST(ACall, BringsItsHeaderAndItsArguments) {
  Channel::Options options = SmallOptions();
  options.credentials = AuthSys({1000, 100, {4, 24}}, "here", 5);
  Channel channel(options);
  for (uint64_t tag = 0; tag < 4; ++tag) Call(channel, tag);
  const std::vector<SentCall> calls = SendAllCalls(channel);
  ASSERT_EQ(calls.size(), 4u);
  for (uint32_t tag = 0; tag < 4; ++tag) {
    EXPECT_EQ(calls[tag].header.program, 100003u);
    EXPECT_EQ(calls[tag].header.version, 3u);
    EXPECT_EQ(calls[tag].header.procedure, 6u);
    EXPECT_EQ(calls[tag].header.credentials, options.credentials);
    EXPECT_EQ(calls[tag].header.verifier, AuthNone());
    Bytes args;
    AppendOpaque(args, Pattern(tag, tag));
    EXPECT_EQ(calls[tag].args, args);
  }
  EXPECT_EQ(channel.counters().calls, 4u);
}

TEST(ACall, MayHaveTheLongestCredentials) {
  Channel::Options options = SmallOptions(1);
  options.credentials.body.Assign(Pattern(400));
  Channel channel(options);
  Call(channel, 0);
  EXPECT_EQ(SendAllCalls(channel)[0].header.credentials.body.size(), 400u);
}

TEST(ACall, HasAnXidThatNoOtherHas) {
  Channel channel(SmallOptions(3));
  std::set<uint32_t> xids;
  for (uint64_t tag = 0; tag < 3; ++tag) Call(channel, tag);
  for (uint64_t tag = 3; tag < 1000; ++tag) {
    for (const SentCall& call : SendAllCalls(channel)) {
      EXPECT_TRUE(xids.insert(call.header.xid).second) << call.header.xid;
    }
    ReceiveReplyTo(channel, *xids.rbegin());
    Call(channel, tag);
  }
}

TEST(Channels, WithDifferentSeedsHaveDifferentXids) {
  std::set<uint32_t> xids;
  for (uint32_t seed : {0u, 1u, 77u, 0x3ffffffu, 0xabcdef01u}) {
    Channel::Options options = SmallOptions(64);
    options.xid_seed = seed;
    Channel channel(options);
    Call(channel, 0);
    EXPECT_TRUE(xids.insert(SendAllCalls(channel)[0].header.xid).second) << seed;
  }
}

TEST(Slots, RunOutAndAreFreedByTheReply) {
  Channel channel(SmallOptions(2));
  EXPECT_TRUE(channel.CanCall());
  Call(channel, 1);
  Call(channel, 2);
  EXPECT_FALSE(channel.CanCall());
  EXPECT_EQ(channel.calls_in_flight(), 2);
  const std::vector<SentCall> calls = SendAllCalls(channel);
  EXPECT_FALSE(channel.CanCall());
  EXPECT_THAT(ReceiveReplyTo(channel, calls[1].header.xid), ElementsAre(2));
  EXPECT_TRUE(channel.CanCall());
  EXPECT_EQ(channel.calls_in_flight(), 1);
  Call(channel, 3);
  EXPECT_FALSE(channel.CanCall());
}

// --- Sending -----------------------------------------------------------------

TEST(Sending, CarriesAllCallsThatAreReadyAtOnce) {
  Channel channel(SmallOptions());
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
  for (uint64_t tag = 0; tag < 4; ++tag) Call(channel, tag);
  const xdr::ByteView sent = channel.SendBytes();
  Bytes stream(sent.begin(), sent.end());
  EXPECT_EQ(TakeCalls(stream).size(), 4u);
  EXPECT_THAT(stream, IsEmpty());
  channel.OnSent(sent.size(), TestTime());
  EXPECT_THAT(channel.SendBytes(), IsEmpty());
}

TEST(Sending, MayStopAfterAnyByte) {
  for (size_t step = 1; step < 100; ++step) {
    Channel channel(SmallOptions());
    Call(channel, 1);
    Call(channel, 2);
    Bytes stream;
    while (!channel.SendBytes().empty()) {
      const xdr::ByteView bytes = channel.SendBytes();
      const size_t size = std::min(step, bytes.size());
      Append(stream, bytes.first(size));
      channel.OnSent(size, TestTime());
    }
    EXPECT_EQ(TakeCalls(stream).size(), 2u) << step;
    EXPECT_THAT(stream, IsEmpty()) << step;
  }
}

TEST(Sending, LeavesBytesInFlightWhereTheyAreWhenMoreCallsAreMade) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const xdr::ByteView in_flight = channel.SendBytes();
  const Bytes copy(in_flight.begin(), in_flight.end());
  for (uint64_t tag = 2; tag <= 4; ++tag) {
    Call(channel, tag);
    EXPECT_EQ(channel.SendBytes().data(), in_flight.data());
    EXPECT_EQ(channel.SendBytes().size(), in_flight.size());
  }
  EXPECT_EQ(Bytes(in_flight.begin(), in_flight.end()), copy);
  channel.OnSent(in_flight.size() - 1, TestTime());
  EXPECT_EQ(channel.SendBytes().size(), 1u);
  EXPECT_EQ(channel.SendBytes().data(), in_flight.data() + in_flight.size() - 1);
  channel.OnSent(1, TestTime());
  EXPECT_EQ(SendAllCalls(channel).size(), 3u);
}

TEST(Sending, LeavesBytesInFlightWhereTheyAreWhenTheirReplyIsThereAlready) {
  Channel channel(SmallOptions(1));
  Call(channel, 1);
  const xdr::ByteView in_flight = channel.SendBytes();
  Bytes stream(in_flight.begin(), in_flight.end());
  const uint32_t xid = TakeCalls(stream)[0].header.xid;
  EXPECT_THAT(ReceiveReplyTo(channel, xid), ElementsAre(1));
  Call(channel, 2);
  stream.assign(in_flight.begin(), in_flight.end());
  EXPECT_EQ(TakeCalls(stream)[0].header.xid, xid);
  channel.OnSent(in_flight.size(), TestTime());
  EXPECT_NE(SendAllCalls(channel)[0].header.xid, xid);
}

// A server that guesses the next xid must not be able to fill the send queue.
TEST(AReply, ToACallThatHasNotBeenSentIsNoReply) {
  Channel channel(SmallOptions(1));
  CallWith(channel, 1, LargestArgs());
  const uint32_t first = SendAllCalls(channel)[0].header.xid;
  EXPECT_THAT(ReceiveReplyTo(channel, first), ElementsAre(1));
  CallWith(channel, 2, LargestArgs());
  const uint32_t second = first + 1;  // with one slot, an xid is a generation
  EXPECT_THAT(ReceiveReplyTo(channel, second), IsEmpty());
  EXPECT_EQ(channel.counters().unexpected_replies, 1u);
  ASSERT_EQ(SendAllCalls(channel)[0].header.xid, second);
  EXPECT_THAT(ReceiveReplyTo(channel, second), ElementsAre(2));
}

// The word that a send is done may come after the reply.
TEST(AReply, MayComeWhileItsCallIsBeingSent) {
  Channel channel(SmallOptions(1));
  Call(channel, 1);
  const xdr::ByteView in_flight = channel.SendBytes();
  Bytes stream(in_flight.begin(), in_flight.end());
  EXPECT_THAT(ReceiveReplyTo(channel, TakeCalls(stream)[0].header.xid), ElementsAre(1));
  channel.OnSent(in_flight.size(), TestTime());
}

// --- Credentials ---------------------------------------------------------------

// The only reply that a channel with one call in flight makes of `denial`.
bool WantsNewCredentialsAfter(std::initializer_list<uint32_t> denial) {
  Channel channel(SmallOptions());
  const uint32_t xid = CallAndSend(channel, 1).header.xid;
  channel.OnReceived(CopyInto(channel.GetReceiveSpans(), AsRecord(DeniedReply(xid, denial))));
  const std::optional<Reply> reply = channel.NextReply();
  EXPECT_TRUE(reply.has_value() && !reply->status.ok());
  return reply.has_value() && reply->wants_new_credentials;
}

TEST(NewCredentials, AreWantedByAServerThatRejectsTheOldAndByNoOther) {
  for (uint32_t state : {0, 1, 3, 5, 6, 7, 13, 99}) {
    EXPECT_FALSE(WantsNewCredentialsAfter({1, state})) << state;
  }
  EXPECT_TRUE(WantsNewCredentialsAfter({1, 2}));  // AUTH_REJECTEDCRED
  EXPECT_TRUE(WantsNewCredentialsAfter({1, 4}));  // AUTH_REJECTEDVERF
  EXPECT_FALSE(WantsNewCredentialsAfter({0, 2, 2}));
  EXPECT_FALSE(WantsNewCredentialsAfter({2, 2}));
}

TEST(NewCredentials, AreNotWantedByAReplyThatIsWrong) {
  Channel channel(SmallOptions());
  for (const Bytes& rest : {Words({1, 0}), Words({1, 1}), Words({0, 0, 0, 2})}) {
    Bytes reply = Words({CallAndSend(channel, 1).header.xid, 1});
    Append(reply, rest);
    channel.OnReceived(CopyInto(channel.GetReceiveSpans(), AsRecord(reply)));
    EXPECT_FALSE(channel.NextReply().value().wants_new_credentials);
    EXPECT_FALSE(channel.NextReply().has_value());
  }
}

TEST(NewCredentials, AreForTheCallsMadeFromNowOn) {
  Channel::Options options = SmallOptions();
  options.credentials = AuthSys({1000, 100, {4, 24}}, "here", 5);
  Channel channel(options);
  const SentCall sent = CallAndSend(channel, 1);
  Call(channel, 2);  // queued, not sent
  channel.RenewCredentials();
  Call(channel, 3);
  const std::vector<SentCall> calls = SendAllCalls(channel);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].header.credentials, options.credentials);
  EXPECT_EQ(calls[1].header.credentials, AuthSys({1000, 100, {4, 24}}, "here", 6));

  // What is sent again is what it was.
  EXPECT_THAT(ReceiveReplyTo(channel, calls[1]), ElementsAre(3));
  EXPECT_TRUE(channel.OnTimeout(TestTime(10), TestTime(10)));
  EXPECT_EQ(Records(SendAllCalls(channel)), (std::vector<Bytes>{sent.record, calls[0].record}));
  channel.OnConnectionLost(TestTime(11));
  EXPECT_EQ(Records(SendAllCalls(channel)), (std::vector<Bytes>{sent.record, calls[0].record}));
}

TEST(NewCredentials, OfNobodyAreNobodysToo) {
  Channel channel(SmallOptions());
  channel.RenewCredentials();
  EXPECT_EQ(CallAndSend(channel, 1).header.credentials, AuthNone());
}

TEST(NewCredentials, AreThoseOfAnotherChannelHoweverOftenItHadNewOnes) {
  Channel::Options options = SmallOptions();
  options.credentials = AuthSys({1000, 100, {4, 24}}, "here", 5);
  Channel channel(options);
  for (int i = 0; i < 3; ++i) channel.RenewCredentials();
  Channel later(options);
  later.ShareCredentials(channel);
  EXPECT_EQ(CallAndSend(later, 1).header.credentials, AuthSys({1000, 100, {4, 24}}, "here", 8));
}

// --- Servers that make no sense ------------------------------------------------

// What becomes of a channel with one call in flight that receives `stream`, and after how
// many bytes.
struct Ending {
  absl::Status status;
  size_t received = 0;
};

Ending EndingAfter(const Bytes& stream) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  SendAll(channel);
  Ending ending;
  ending.received = Feed(channel, stream, ByteByByte(stream.size()), Waits::kForAByte, [&] {
    EXPECT_FALSE(channel.NextReply().has_value());
    return channel.status().ok();
  });
  ending.status = channel.status();
  return ending;
}

// C04: the port belongs to something else, or the bytes are noise.
TEST(AStreamThatIsNotRpc, FailsAtItsFirstMark) {
  for (absl::string_view text : {"HTTP/1.1 400 Bad Request\r\n", "SSH-2.0-OpenSSH_9.2\r\n"}) {
    const xdr::ByteView bytes = xdr::BytesOf(text);
    const Ending ending = EndingAfter(Bytes(bytes.begin(), bytes.end()));
    EXPECT_EQ(ending.received, 4u);
    EXPECT_EQ(ending.status.code(), absl::StatusCode::kDataLoss);
    const std::string start(text.substr(0, 4));
    EXPECT_THAT(std::string(ending.status.message()),
                HasSubstr("the bytes are \"" + start + "\": this port does not speak ONC RPC"));
  }
}

TEST(ARecordOfAbsurdLength, FailsAtItsMark) {
  for (uint32_t mark : {0xffffffffu, 0x7fffffffu, 0x80000000u | 1u << 30, 0x15030300u, 1u << 20}) {
    const Ending ending = EndingAfter(Words({mark, 0, 0, 0}));
    EXPECT_EQ(ending.received, 4u);
    EXPECT_EQ(ending.status.code(), absl::StatusCode::kDataLoss);
    const std::string length = std::to_string(mark & 0x7fffffff);
    EXPECT_THAT(std::string(ending.status.message()),
                testing::StartsWith("RPC: a record of " + length + " bytes, when none over "));
  }
}

TEST(ARecordOfAbsurdLength, FailsInFragmentsToo) {
  Bytes stream;
  for (int i = 0; i < 100; ++i) Append(stream, AsRecord(Pattern(100), {99}));
  for (size_t i = 0; i < stream.size(); i += 4 + 99 + 4 + 1) stream[i + 4 + 99] = std::byte{0};
  const Ending ending = EndingAfter(stream);
  EXPECT_EQ(ending.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_LT(ending.received, 2000u);
}

TEST(AnEndlessRowOfEmptyFragments, FailsSoon) {
  const Ending ending = EndingAfter(Bytes(1 << 20, std::byte{0}));
  EXPECT_EQ(ending.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_LT(ending.received, 8000u);
}

TEST(ALongRowOfEmptyRecords, IsPassedOver) {
  Exchange exchange(SmallOptions());
  exchange.Call(std::nullopt);
  const std::vector<uint32_t> xids = exchange.SendCalls();
  Bytes stream;
  for (int i = 0; i < 10000; ++i) Append(stream, AsRecord({}));
  Append(stream, AsRecord(SuccessReply(xids[0], {})));
  exchange.Receive(stream, Whole());
  EXPECT_EQ(exchange.outcomes().size(), 1u);
  EXPECT_EQ(exchange.channel().counters().unexpected_replies, 10000u);
}

TEST(AChannelThatFailed, GivesNoMoreReplies) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  Call(channel, 2);
  const std::vector<SentCall> calls = SendAllCalls(channel);
  Bytes stream = AsRecord(SuccessReply(calls[0].header.xid, {}));
  Append(stream, Words({0xffffffff}));
  Append(stream, AsRecord(SuccessReply(calls[1].header.xid, {})));
  std::vector<uint64_t> tags;
  Feed(channel, stream, Whole(), Waits::kForAByte, [&] {
    while (std::optional<Reply> reply = channel.NextReply()) tags.push_back(reply->tag);
    return channel.status().ok();
  });
  EXPECT_THAT(tags, ElementsAre(1));
  EXPECT_EQ(channel.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(channel.CanCall());
  EXPECT_FALSE(channel.NextReply().has_value());
}

// Results longer than the channel keeps are cut; their decoder will miss the end.
TEST(ResultsLongerThanAskedFor, AreCutAndTheNextReplyIsRight) {
  Channel::Options options = SmallOptions();
  options.payload_bytes = 8192;  // room in the record, not in the head
  Exchange exchange(options);
  exchange.Call(std::nullopt);
  exchange.Call(std::nullopt);
  const std::vector<uint32_t> xids = exchange.SendCalls();
  Bytes stream = AsRecord(SuccessReply(xids[0], Pattern(6000)));
  Append(stream, AsRecord(SuccessReply(xids[1], Pattern(8))));
  exchange.Receive(stream, Whole());
  ASSERT_EQ(exchange.outcomes().size(), 2u);
  EXPECT_GE(exchange.outcomes()[0].results.size(), 1024u);
  EXPECT_LT(exchange.outcomes()[0].results.size(), 6000u);
  EXPECT_EQ(exchange.outcomes()[1].results, Pattern(8));
}

// --- Receiving -----------------------------------------------------------------

TEST(Receiving, OffersThePayloadsMemoryOnceItsHeadHasCome) {
  Channel::Options options = SmallOptions();
  options.payload_bytes = 4096;
  Channel channel(options);
  channel.set_receive_ahead(132);
  Bytes memory(4096);
  Request request;
  request.procedure = kTestRead;
  request.locate = &LocateReadData;
  request.payload = memory;
  channel.Call(request, NoArgs(), TestTime());
  const uint32_t xid = SendAllCalls(channel)[0].header.xid;
  const Bytes record = AsRecord(SuccessReply(xid, ReadResults(Pattern(4096))));

  // The head of a READ reply has 132 bytes: they go to staging, and not one byte more.
  ReceiveSpans spans = channel.GetReceiveSpans();
  EXPECT_EQ(spans.first.size(), 0u);
  EXPECT_EQ(spans.second.size(), 132u);
  EXPECT_EQ(spans.promised, 1u);
  channel.OnReceived(CopyInto(spans, record));
  EXPECT_FALSE(channel.NextReply().has_value());

  // The rest comes in one receive, straight to its place, and with it the next head.
  spans = channel.GetReceiveSpans();
  EXPECT_EQ(spans.first.data(), memory.data());
  EXPECT_EQ(spans.first.size(), 4096u);
  EXPECT_EQ(spans.second.size(), 132u);
  EXPECT_EQ(spans.promised, 4096u);
  channel.OnReceived(CopyInto(spans, xdr::ByteView(record).subspan(132)));
  const std::optional<Reply> reply = channel.NextReply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->payload_bytes, 4096u);
  EXPECT_EQ(memory, Pattern(4096));
}

// The owner of the socket may always have a receive in flight when it learns how large
// the payloads will be.
TEST(Receiving, MayBeInFlightWhileReceiveAheadChanges) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const uint32_t xid = SendAllCalls(channel)[0].header.xid;
  const ReceiveSpans spans = channel.GetReceiveSpans();
  channel.set_receive_ahead(132);
  channel.OnReceived(CopyInto(spans, AsRecord(SuccessReply(xid, Pattern(400)))));
  const std::optional<Reply> reply = channel.NextReply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(Bytes(reply->results.begin(), reply->results.end()), Pattern(400));
  EXPECT_FALSE(channel.NextReply().has_value());
  EXPECT_EQ(channel.GetReceiveSpans().second.size(), 132u);
}

TEST(AReply, KeepsItsResultsWhileTheNextOneIsReceived) {
  Channel channel(SmallOptions());
  Call(channel, 1);
  const uint32_t xid = SendAllCalls(channel)[0].header.xid;
  channel.OnReceived(CopyInto(channel.GetReceiveSpans(), AsRecord(SuccessReply(xid, Pattern(40)))));
  const std::optional<Reply> reply = channel.NextReply();
  ASSERT_TRUE(reply.has_value());
  channel.OnReceived(CopyInto(channel.GetReceiveSpans(), Pattern(200, 5)));
  EXPECT_EQ(Bytes(reply->results.begin(), reply->results.end()), Pattern(40));
}

}  // namespace
}  // namespace rpc
