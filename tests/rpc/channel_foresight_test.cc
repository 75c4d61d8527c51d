// Replies that the channel foresees, and those that come instead.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"

namespace rpc {
namespace {

constexpr size_t kDataBytes = 16;
constexpr size_t kReads = 3;

Channel::Options Foreseeing() {
  Channel::Options options;
  options.slots = 8;
  options.payload_bytes = 64;
  options.foresee_from = 4;
  return options;
}

Bytes DataOf(size_t read) { return Pattern(kDataBytes, static_cast<uint32_t>(read + 1)); }

// What a server may answer to a READ.
enum class Kind : uint8_t { kWhole, kShort, kOdd, kWithoutAttributes, kError, kTwice, kCount };
constexpr int kKinds = static_cast<int>(Kind::kCount);

Bytes Cut(Bytes bytes, size_t size) {
  bytes.resize(size);
  return bytes;
}

Bytes MessageOf(Kind kind, size_t read, uint32_t xid) {
  const Bytes data = DataOf(read);
  switch (kind) {
    case Kind::kShort: return SuccessReply(xid, ReadResults(Cut(data, 8)));
    case Kind::kOdd: return SuccessReply(xid, ReadResults(Cut(data, 13)));
    case Kind::kWithoutAttributes: return SuccessReply(xid, ReadResults(data, false));
    case Kind::kError: return SuccessReply(xid, Words({70, 0}));
    default: return SuccessReply(xid, ReadResults(data));
  }
}

size_t DataBytesOf(Kind kind) {
  if (kind == Kind::kError) return 0;
  return kind == Kind::kShort ? 8 : kind == Kind::kOdd ? 13 : kDataBytes;
}

// One READ whose reply is all that there is; a head like its is foreseen from then on.
void Learn(Exchange& exchange) {
  exchange.Call(kDataBytes);
  const uint32_t xid = exchange.SendCalls().front();
  exchange.Receive(AsRecord(SuccessReply(xid, ReadResults(DataOf(0)))), Whole());
  ASSERT_EQ(exchange.outcomes().size(), 1u);
}

struct Answers {
  std::vector<size_t> order;
  std::vector<Kind> kinds;  // by read
};

Bytes StreamOf(const Answers& answers, const std::vector<uint32_t>& xids) {
  Bytes stream;
  for (const size_t read : answers.order) {
    const Kind kind = answers.kinds[read];
    const Bytes record = AsRecord(MessageOf(kind, read, xids[read]));
    Append(stream, record);
    if (kind == Kind::kTwice) Append(stream, record);
  }
  return stream;
}

void Check(const Exchange& exchange, const Answers& answers) {
  ASSERT_EQ(exchange.outcomes().size(), 1 + kReads);
  for (size_t i = 0; i < kReads; ++i) {
    const size_t read = answers.order[i];
    const Outcome& outcome = exchange.outcomes()[1 + i];
    EXPECT_EQ(outcome.tag, 1 + read);
    EXPECT_EQ(outcome.payload, Cut(DataOf(read), DataBytesOf(answers.kinds[read])));
  }
}

// `cut`: where the stream is cut in two; past its end: not at all. False: it was.
bool Try(const Answers& answers, size_t cut, Waits waits) {
  Exchange exchange(Foreseeing());
  Learn(exchange);
  for (size_t i = 0; i < kReads; ++i) exchange.Call(kDataBytes);
  const Bytes stream = StreamOf(answers, exchange.SendCalls());
  exchange.Receive(stream, CutAt(cut), waits);
  Check(exchange, answers);
  return cut < stream.size();
}

constexpr size_t kStep = 11;

TEST(ForeseenReplies, AreRightWhateverComesInstead) {
  Answers answers = {{0, 1, 2}, {}};
  do {
    for (int kinds = 0; kinds < kKinds * kKinds * kKinds; ++kinds) {
      answers.kinds = {static_cast<Kind>(kinds % kKinds),
                       static_cast<Kind>(kinds / kKinds % kKinds),
                       static_cast<Kind>(kinds / kKinds / kKinds)};
      SCOPED_TRACE(testing::Message()
                   << "order " << testing::PrintToString(answers.order) << ", kinds " << kinds);
      // With another first cut for each, all positions are tried.
      const size_t first = static_cast<size_t>(kinds) % kStep;
      for (size_t cut = first; Try(answers, cut, Waits::kForAByte); cut += kStep * kEvery) {
        if (HasFailure()) return;
      }
    }
  } while (std::ranges::next_permutation(answers.order).found);
}

TEST(ForeseenReplies, AreReceivedTogetherEachToItsPlace) {
  Channel channel(Foreseeing());
  Bytes memory[4];
  for (size_t i = 0; i < 4; ++i) {
    memory[i].resize(kDataBytes);
    if (i == 0) continue;
    Request request = {.procedure = kTestRead, .tag = i, .locate = &LocateReadData};
    request.payload = memory[i];
    channel.Call(request, NoArgs(), TestTime());
  }
  const std::vector<SentCall> calls = SendAllCalls(channel);
  const Bytes first = AsRecord(SuccessReply(calls[0].header.xid, ReadResults(DataOf(0))));
  channel.OnReceived(CopyInto(channel.GetReceiveSpans(), first));
  ASSERT_TRUE(channel.NextReply().has_value());
  ASSERT_FALSE(channel.NextReply().has_value());

  const ReceiveSpans spans = channel.GetReceiveSpans();
  ASSERT_EQ(spans.more.size(), 4u);
  EXPECT_EQ(spans.second.size(), first.size() - kDataBytes);
  EXPECT_EQ(spans.more[0].data(), memory[2].data());
  EXPECT_EQ(spans.more[2].data(), memory[3].data());
  EXPECT_EQ(spans.promised, 1u);
  EXPECT_EQ(spans.expected, 1 + first.size());
}

}  // namespace
}  // namespace rpc
