// How calls become bytes in time: server_connection.h.
#include "tests/server/server_connection.h"

#include <algorithm>
#include <string>
#include <vector>

#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "tests/server/conversation.h"

namespace server {
namespace {

class ServerConnectionTest : public testing::Test {
 protected:
  ServerConnectionTest() {
    served_.tree().AddFile("/export/file", PatternContents(uint64_t{1} << 30));
  }

  nfs3::Read3Args ReadArgs(uint64_t offset, uint32_t count) {
    return {served_.tree().Handle("/export/file"), offset, count};
  }
  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::vector<uint32_t> XidsOf(const std::vector<Reply>& replies) {
    std::vector<uint32_t> xids;
    for (const Reply& reply : replies) xids.push_back(reply.header.xid);
    return xids;
  }

  Server served_;
};

TEST_F(ServerConnectionTest, TakesCallsInAnyPieces) {
  Conversation talk(served_);
  Bytes calls;
  for (uint32_t xid = 1; xid <= 3; ++xid) {
    const Bytes call = EncodeCall(xid, nfs3::kRead, ReadArgs(xid * 8, 8), User(0, 0));
    calls.insert(calls.end(), call.begin(), call.end());
  }
  std::vector<uint32_t> xids;
  for (const std::byte byte : calls) {
    talk.Feed(xdr::ByteView(&byte, 1));
    for (const Reply& reply : talk.Take()) xids.push_back(reply.header.xid);
  }
  EXPECT_EQ(xids, (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(ServerConnectionTest, TakesFragmentedCalls) {
  Conversation talk(served_);
  const Bytes call = EncodeCall(9, nfs3::kRead, ReadArgs(0, 8), User(0, 0));
  Bytes fragments;
  for (size_t i = 4; i < call.size(); ++i) {
    std::byte mark[4];
    xdr::StoreUint32(mark, i + 1 == call.size() ? 0x80000001 : 1);
    fragments.insert(fragments.end(), mark, mark + 4);
    fragments.push_back(call[i]);
  }
  talk.Feed(fragments);
  EXPECT_EQ(XidsOf(talk.Take()), std::vector<uint32_t>{9});
}

TEST_F(ServerConnectionTest, HangsUpOnWhatIsNoRpc) {
  Conversation talk(served_);
  talk.Feed(xdr::BytesOf("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_TRUE(talk.TakeBytes().empty());
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kFin);
  Conversation reply_to_us(served_);
  Bytes reply = EncodeCall(9, nfs3::kNull, nfs3::Void(), rpc::AuthNone());
  reply[4 + 7] = std::byte{1};  // REPLY instead of CALL
  reply_to_us.Feed(reply);
  EXPECT_TRUE(reply_to_us.TakeBytes().empty());
  EXPECT_EQ(reply_to_us.connection().verdict().kind, Verdict::Kind::kFin);
}

TEST_F(ServerConnectionTest, CountsGarbage) {
  const auto garbage = [&] { return served_.log().counters().garbage_records; };
  Conversation talk(served_);
  talk.Call(nfs3::kRead, ReadArgs(0, 8));
  talk.Call(rpc::Procedure{100021, 4, 0, "NLM"}, nfs3::Void());
  EXPECT_EQ(garbage(), 0u) << "calls that the server does not have are none";
  talk.Call(nfs3::kNull, uint32_t{7});  // too many arguments
  EXPECT_EQ(garbage(), 1u);
  rpc::OpaqueAuth cut_short = User(0, 0);
  cut_short.body.Assign(cut_short.body.view().first(10));
  talk.Call(nfs3::kNull, nfs3::Void(), cut_short);
  EXPECT_EQ(garbage(), 2u);
  Bytes call = EncodeCall(5, nfs3::kNull, nfs3::Void(), rpc::AuthNone());
  xdr::StoreUint32(call.data() + 4 + 8, 3);  // the version of RPC
  talk.Feed(call);
  EXPECT_EQ(garbage(), 3u);
  talk.Feed(xdr::BytesOf("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(garbage(), 4u);
}

TEST_F(ServerConnectionTest, SendsTheRightBytes) {
  Conversation talk(served_);
  for (const uint32_t count : {1u, 7u, 4096u, 1u << 20}) {
    const Reply reply = talk.Call(nfs3::kRead, ReadArgs(12345, count));
    Bytes expected(count);
    FillPattern(12345, expected);
    EXPECT_TRUE(SameBytes(reply.As<nfs3::Read3Res>().data.view(), expected)) << count;
  }
}

TEST_F(ServerConnectionTest, DelaysCallsBesideEachOther) {
  AddRules("READ delay=50ms");
  Conversation talk(served_);
  const absl::Time start = talk.now();
  for (int i = 0; i < 16; ++i) talk.Send(nfs3::kRead, ReadArgs(0, 8));
  talk.Advance(absl::Milliseconds(10));
  talk.Send(nfs3::kRead, ReadArgs(0, 8));
  EXPECT_TRUE(talk.Take().empty());
  const std::vector<Reply> replies = talk.TakeDuring(absl::Seconds(1));
  ASSERT_EQ(replies.size(), 17u);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(replies[i].came - start, absl::Milliseconds(50)) << i;
  EXPECT_EQ(replies[16].came - start, absl::Milliseconds(60));
  EXPECT_EQ(served_.log().counters().max_reads_in_flight, 17u);
  EXPECT_EQ(served_.log().counters().reads_in_flight, 0u);
}

TEST_F(ServerConnectionTest, LetsOthersPassADelayedCall) {
  AddRules("READ nth=1 delay=50ms");
  Conversation talk(served_);
  const uint32_t first = talk.Send(nfs3::kRead, ReadArgs(0, 8));
  const uint32_t second = talk.Send(nfs3::kRead, ReadArgs(0, 8));
  EXPECT_EQ(XidsOf(talk.TakeDuring(absl::Seconds(1))), (std::vector<uint32_t>{second, first}));
}

TEST_F(ServerConnectionTest, DoesNotMakeRepliesBeforeTheyCanBeSent) {
  Conversation talk(served_);
  for (int i = 0; i < 100; ++i) talk.Send(nfs3::kRead, ReadArgs(0, 1 << 20));
  size_t ready = 0;
  for (xdr::ByteView part : talk.connection().Sendable(talk.now())) ready += part.size();
  EXPECT_GT(ready, size_t{4} << 20);
  EXPECT_LT(ready, size_t{6} << 20);
  EXPECT_EQ(talk.Take().size(), 100u);
}

TEST_F(ServerConnectionTest, CountsReadsInFlightUntilTheyAreSentOrLost) {
  AddRules("READ nth=2 drop\nREAD nth=4 delay=1s");
  const auto in_flight = [&] { return served_.log().counters().reads_in_flight; };
  {
    Conversation talk(served_);
    for (int i = 0; i < 3; ++i) talk.Send(nfs3::kRead, ReadArgs(0, 8));
    EXPECT_EQ(in_flight(), 3u);
    EXPECT_EQ(talk.Take().size(), 2u);
    EXPECT_EQ(in_flight(), 0u);
    talk.Send(nfs3::kRead, ReadArgs(0, 8));
    talk.Send(nfs3::kRead, ReadArgs(0, 8));
    talk.connection().Sendable(talk.now());
    EXPECT_EQ(in_flight(), 2u);
  }
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(ServerConnectionTest, NumbersConnections) {
  Conversation one(served_), two(served_);
  two.Send(nfs3::kNull, nfs3::Void());
  EXPECT_EQ(served_.log().calls().at(0).peer.connection, 2u);
  EXPECT_EQ(served_.log().counters().connections, 2u);
}

TEST_F(ServerConnectionTest, ForgetsTheLogOnDemand) {
  Conversation talk(served_);
  talk.Call(nfs3::kNull, nfs3::Void());
  served_.log().Clear();
  EXPECT_TRUE(served_.log().calls().empty());
  EXPECT_EQ(served_.log().counters().calls, 0u);
}

}  // namespace
}  // namespace server
