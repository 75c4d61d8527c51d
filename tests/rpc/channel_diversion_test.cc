// Payloads that go past memory: wherever the stream is cut, however much of a payload is
// diverted in which steps, and wherever the connection is lost, every byte of it is either
// diverted or in its place in memory, and the replies are the same.
#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/sent_calls.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/types.h"

namespace rpc {
namespace {

// From the record mark to the payload of the replies here.
constexpr size_t kHeadBytes = 132;
constexpr size_t kPayload = 50;
constexpr size_t kMemory = 64;

Channel::Options Options() {
  Channel::Options options;
  options.slots = 4;
  options.call_bytes = 512;
  options.payload_bytes = kMemory;
  return options;
}

// How an owner diverts.
struct Habit {
  size_t step = SIZE_MAX;         // at most so many bytes at a time
  size_t keeps_after = SIZE_MAX;  // the rest of a payload of which it has diverted so many
  bool HasEnough(size_t diverted) const { return diverted >= keeps_after; }
};

// Calls with an owner of their connection that diverts what it may.
class Diverter {
 public:
  explicit Diverter(size_t calls, size_t receive_ahead = kHeadBytes) : channel_(Options()) {
    channel_.set_receive_ahead(receive_ahead);
    for (size_t tag = 0; tag < calls; ++tag) {
      memory_.emplace_back(kMemory);
      diverted_.emplace_back();
      Request request{.procedure = kTestRead, .tag = tag, .locate = &LocateReadData};
      request.payload = memory_.back().span();
      request.may_divert = true;
      channel_.Call(request, NoArgs(), TestTime());
    }
  }

  Channel& channel() { return channel_; }
  std::vector<uint32_t> SendCalls() {
    std::vector<uint32_t> xids;
    for (const SentCall& call : SendAllCalls(channel_)) xids.push_back(call.header.xid);
    return xids;
  }

  // All of `stream`, in pieces that end at `cut` and at its end.
  void Receive(xdr::ByteView stream, size_t cut, const Habit& habit) {
    size_t begin = 0;
    for (const size_t end : {std::min(cut, stream.size()), stream.size()}) {
      while (begin < end) {
        const size_t moved = Move(stream.subspan(begin, end - begin), habit);
        ASSERT_GE(moved, 1u);
        begin += moved;
        TakeReplies();
      }
    }
  }

  // What went by the diversion, and then what is in memory behind it: the payload.
  Bytes PayloadOf(size_t tag) {
    Bytes payload = diverted_[tag];
    const auto kept = memory_[tag].span().first(replies_[tag]->payload_bytes);
    Append(payload, xdr::ByteView(kept).subspan(payload.size()));
    return payload;
  }
  const Bytes& diverted(size_t tag) const { return diverted_[tag]; }
  const std::optional<Reply>& reply(size_t tag) const { return replies_.at(tag); }
  bool HasAllReplies() const {
    return std::ranges::all_of(replies_, [](const auto& reply) { return reply.has_value(); });
  }
  // The first bytes of memory, which is all that was touched.
  bool HasInMemory(size_t tag, xdr::ByteView bytes) {
    return std::ranges::equal(memory_[tag].span().first(bytes.size()), bytes) &&
           memory_[tag].OnlyTouchedIn(bytes.size());
  }

 private:
  // One receive, or one step of a diversion; how many bytes.
  size_t Move(xdr::ByteView there, const Habit& habit) {
    const std::optional<Arrival> arrival = channel_.arrival();
    if (arrival.has_value() && !habit.HasEnough(arrival->payload_bytes - arrival->left)) {
      const size_t size = std::min({there.size(), arrival->left, habit.step});
      Append(diverted_[arrival->tag], there.first(size));
      channel_.OnDiverted(size);
      return size;
    }
    if (arrival.has_value()) channel_.Keep();
    const size_t size = CopyInto(channel_.GetReceiveSpans(), there);
    channel_.OnReceived(size);
    return size;
  }

  void TakeReplies() {
    replies_.resize(memory_.size());
    while (const std::optional<Reply> reply = channel_.NextReply()) {
      EXPECT_FALSE(replies_[reply->tag].has_value()) << "a second reply";
      replies_[reply->tag] = *reply;
    }
    EXPECT_TRUE(channel_.status().ok()) << channel_.status();
  }

  Channel channel_;
  std::deque<GuardedMemory> memory_;
  std::vector<Bytes> diverted_;  // by tag, all that ever was
  std::vector<std::optional<Reply>> replies_;
};

Bytes ReplyRecord(uint32_t xid, uint32_t seed, size_t payload = kPayload) {
  return AsRecord(SuccessReply(xid, ReadResults(Pattern(payload, seed))));
}

// The replies to two calls, in their order.
Bytes TwoReplies(Diverter& diverter) {
  const std::vector<uint32_t> xids = diverter.SendCalls();
  Bytes stream = ReplyRecord(xids[0], 1);
  Append(stream, ReplyRecord(xids[1], 2));
  return stream;
}

TEST(Diversion, OfEveryPartOfEveryPayloadLeavesTheRestInItsPlace) {
  const size_t stream_bytes = 2 * (kHeadBytes + xdr::PaddedSize(kPayload));
  for (size_t keeps_after : {size_t{0}, size_t{1}, size_t{13}, kPayload - 1, SIZE_MAX}) {
    for (size_t step : {size_t{1}, size_t{7}, SIZE_MAX}) {
      for (size_t cut = 0; cut <= stream_bytes; ++cut) {
        Diverter diverter(2);
        diverter.Receive(TwoReplies(diverter), cut, {step, keeps_after});
        ASSERT_TRUE(diverter.HasAllReplies()) << "cut at " << cut;
        for (const uint32_t tag : {0u, 1u}) {
          ASSERT_EQ(diverter.reply(tag)->payload_bytes, kPayload);
          ASSERT_EQ(diverter.PayloadOf(tag), Pattern(kPayload, tag + 1))
              << "cut at " << cut << ", steps of " << step << ", keeps after " << keeps_after;
        }
      }
    }
  }
}

TEST(Diversion, TakesAllWhenTheHeadIsAllThatIsReceivedBefore) {
  Diverter diverter(2);
  const std::vector<uint32_t> xids = diverter.SendCalls();
  Bytes stream = ReplyRecord(xids[0], 1, 48);  // without padding, which is received
  Append(stream, ReplyRecord(xids[1], 2, 48));
  diverter.Receive(stream, 0, {});
  EXPECT_EQ(diverter.diverted(0), Pattern(48, 1));
  EXPECT_EQ(diverter.diverted(1), Pattern(48, 2));
}

TEST(Diversion, LeavesMemoryAlone) {
  Diverter diverter(1);
  diverter.Receive(ReplyRecord(diverter.SendCalls()[0], 1), 0, {});
  EXPECT_TRUE(diverter.HasInMemory(0, {}));
}

TEST(Diversion, IsNotOfferedWhenSomeOfThePayloadWasReceivedWithTheHead) {
  Diverter diverter(2, kHeadBytes + 4);
  diverter.Receive(TwoReplies(diverter), 0, {});
  EXPECT_TRUE(diverter.HasAllReplies());
  EXPECT_EQ(diverter.diverted(0), Bytes());
  EXPECT_TRUE(diverter.HasInMemory(0, Pattern(kPayload, 1)));
}

TEST(Diversion, IsOfferedOnlyWhenThePayloadLiesInOneFragment) {
  constexpr size_t kBegin = kHeadBytes - 4;  // of the payload, in the message
  for (size_t fragment = 1; fragment < kBegin + kPayload; ++fragment) {
    Diverter diverter(1, 4);
    const Bytes reply = SuccessReply(diverter.SendCalls()[0], ReadResults(Pattern(kPayload, 1)));
    diverter.Receive(AsRecord(reply, {fragment}), 0, {});
    ASSERT_TRUE(diverter.HasAllReplies()) << fragment;
    ASSERT_EQ(diverter.PayloadOf(0), Pattern(kPayload, 1)) << fragment;
    const bool is_cut = kBegin / fragment != (kBegin + kPayload - 1) / fragment;
    ASSERT_TRUE(!is_cut || diverter.diverted(0).empty()) << fragment;
  }
}

TEST(Diversion, IsNotOfferedToACallThatMayNot) {
  Exchange exchange(Options());
  exchange.channel().set_receive_ahead(kHeadBytes);
  exchange.Call(kMemory);
  exchange.Receive(ReplyRecord(exchange.SendCalls()[0], 1), CutAt(kHeadBytes));
  ASSERT_EQ(exchange.outcomes().size(), 1u);
  EXPECT_EQ(exchange.outcomes()[0].payload, Pattern(kPayload, 1));
}

TEST(Diversion, OfAPayloadLongerThanTheMemoryIsOfAsMuchAsFits) {
  Diverter diverter(1);
  const Bytes record = ReplyRecord(diverter.SendCalls()[0], 1, kMemory + 20);
  diverter.Receive(record, 0, {});
  Bytes expected = Pattern(kMemory + 20, 1);
  expected.resize(kMemory);
  EXPECT_EQ(diverter.diverted(0), expected);
  EXPECT_TRUE(diverter.HasAllReplies());
}

TEST(Diversion, OfAReplyThatIsAnErrorIsNot) {
  Diverter diverter(1);
  const uint32_t xid = diverter.SendCalls()[0];
  diverter.Receive(AsRecord(SuccessReply(xid, Words({5, 0}))), 0, {});
  EXPECT_TRUE(diverter.HasAllReplies());
  EXPECT_EQ(diverter.reply(0)->payload_bytes, 0u);
}

// What was diverted before is in memory as well: whoever diverted it knows how much.
TEST(Diversion, OfAConnectionThatIsLostAtAnyByteIsFollowedByTheWholeReply) {
  for (size_t diverts = 1; diverts <= kPayload; ++diverts) {
    Diverter diverter(2);
    const Bytes stream = TwoReplies(diverter);
    const xdr::ByteView before = xdr::ByteView(stream).first(kHeadBytes + diverts);
    diverter.Receive(before, 0, {.step = 1});
    ASSERT_EQ(diverter.diverted(0).size(), diverts);
    diverter.channel().OnConnectionLost(TestTime());
    EXPECT_FALSE(diverter.channel().arrival().has_value());
    diverter.Receive(TwoReplies(diverter), 0, {.keeps_after = 0});
    ASSERT_TRUE(diverter.HasAllReplies());
    ASSERT_TRUE(diverter.HasInMemory(0, Pattern(kPayload, 1))) << diverts;
    ASSERT_TRUE(diverter.HasInMemory(1, Pattern(kPayload, 2))) << diverts;
  }
}

TEST(Diversion, ThatIsNotDecidedYetHoldsUpWhatIsBehindIt) {
  Diverter diverter(1);
  const Bytes record = ReplyRecord(diverter.SendCalls()[0], 1);
  diverter.Receive(xdr::ByteView(record).first(kHeadBytes), 0, {});
  const std::optional<Arrival> arrival = diverter.channel().arrival();
  ASSERT_TRUE(arrival.has_value());
  EXPECT_EQ(arrival->tag, 0u);
  EXPECT_EQ(arrival->payload_bytes, kPayload);
  EXPECT_EQ(arrival->left, kPayload);
  EXPECT_EQ(Bytes(arrival->results.begin(), arrival->results.end()),
            ReadResultsHead(kPayload, true, false));
  EXPECT_FALSE(diverter.channel().NextReply().has_value());
  EXPECT_TRUE(diverter.channel().arrival().has_value());
}

TEST(DiversionDeathTest, OfMoreThanIsLeftIsTheCallersMistake) {
#ifdef NDEBUG
  GTEST_SKIP() << "assertions are compiled out";
#endif
  Diverter diverter(1);
  const Bytes record = ReplyRecord(diverter.SendCalls()[0], 1);
  diverter.Receive(xdr::ByteView(record).first(kHeadBytes), 0, {});
  EXPECT_DEATH(diverter.channel().OnDiverted(kPayload + 1), "");
}

}  // namespace
}  // namespace rpc
