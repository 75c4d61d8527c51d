// Calls that come again, and calls that only seem to.
#include "tests/server/duplicate_request_cache.h"

#include <string>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "tests/server/conversation.h"
#include "tests/server/server_datagrams.h"

namespace server {
namespace {

class DuplicateRequestCacheTest : public testing::Test {
 protected:
  DuplicateRequestCacheTest() {
    served_.tree().AddFile("/export/file", BytesContents("0123456789"));
    served_.SetDuplicateRequestCache(3);
  }

  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  static Peer Client(const char* address, uint16_t port) {
    return {.source_port = port, .address = address};
  }
  // The reply to a READ of 4 bytes from `offset` on.
  Reply Read(Conversation& talk, uint32_t xid, uint64_t offset) {
    const nfs3::Read3Args args = {served_.tree().Handle("/export/file"), offset, 4};
    talk.Feed(EncodeCall(xid, nfs3::kRead, args, User(0, 0)));
    std::vector<Reply> replies = talk.Take();
    EXPECT_EQ(replies.size(), 1u);
    return replies.empty() ? Reply() : std::move(replies[0]);
  }
  std::string DataOf(const Reply& reply) {
    return std::string(xdr::TextOf(reply.As<nfs3::Read3Res>().data.view()));
  }
  std::string ReadData(Conversation& talk, uint32_t xid, uint64_t offset) {
    return DataOf(Read(talk, xid, offset));
  }

  Server served_;
  Conversation talk_{served_};
};

TEST_F(DuplicateRequestCacheTest, ACallThatComesAgainIsNotExecutedAgain) {
  AddRules("READ append=5");
  const Reply first = Read(talk_, 7, 0);
  EXPECT_EQ(Read(talk_, 7, 0).record, first.record);
  EXPECT_EQ(first.As<nfs3::Read3Res>().file_attributes->size, 10u);
  EXPECT_EQ(Read(talk_, 8, 0).As<nfs3::Read3Res>().file_attributes->size, 15u);
  EXPECT_EQ(served_.log().counters().replays, 1u);
  EXPECT_EQ(served_.log().counters().reads, 3u) << "but it is logged";
}

TEST_F(DuplicateRequestCacheTest, AnotherCallWithTheXidOfBeforeGetsTheOldReply) {
  EXPECT_EQ(ReadData(talk_, 7, 0), "0123");
  EXPECT_EQ(ReadData(talk_, 7, 4), "0123");
  talk_.Feed(EncodeCall(7, mount3::kNull, nfs3::Void(), rpc::AuthNone()));
  EXPECT_EQ(DataOf(talk_.Take().at(0)), "0123");
}

TEST_F(DuplicateRequestCacheTest, ClientsAreKnownByAddressAndNotByPort) {
  Conversation next_run(served_, Programs(), Client("127.0.0.1", 999));
  Conversation elsewhere(served_, Programs(), Client("127.0.0.2", 45000));
  EXPECT_EQ(ReadData(talk_, 7, 0), "0123");
  EXPECT_EQ(ReadData(next_run, 7, 4), "0123");
  EXPECT_EQ(ReadData(elsewhere, 7, 4), "4567");
}

TEST_F(DuplicateRequestCacheTest, TransportsShareIt) {
  EXPECT_EQ(ReadData(talk_, 7, 0), "0123");
  ServerDatagrams datagrams(served_, Programs());
  const Bytes call = EncodeCall(7, nfs3::kNull, nfs3::Void(), rpc::AuthNone());
  const Peer peer = {0, 800, "127.0.0.1", Transport::kUdp};
  datagrams.OnDatagram(xdr::ByteView(call).subspan(4), peer, talk_.now());
  const auto datagram = datagrams.TakeDatagram(talk_.now());
  const xdr::ByteView reply = datagram->bytes.view();
  EXPECT_EQ(DataOf(DecodeReply({reply.begin(), reply.end()})), "0123");
}

TEST_F(DuplicateRequestCacheTest, ForgetsTheOldest) {
  for (uint32_t xid = 1; xid <= 4; ++xid) EXPECT_EQ(ReadData(talk_, xid, 0), "0123");
  EXPECT_EQ(ReadData(talk_, 2, 4), "0123");
  EXPECT_EQ(ReadData(talk_, 1, 4), "4567");
}

TEST_F(DuplicateRequestCacheTest, IsOffUnlessAskedFor) {
  served_.SetDuplicateRequestCache(0);
  EXPECT_EQ(ReadData(talk_, 7, 0), "0123");
  EXPECT_EQ(ReadData(talk_, 7, 4), "4567");
  EXPECT_EQ(served_.log().counters().replays, 0u);
}

TEST_F(DuplicateRequestCacheTest, KeepsRepliesThatWereLost) {
  AddRules("READ nth=1 drop append=5");
  const nfs3::Read3Args args = {served_.tree().Handle("/export/file"), 0, 4};
  talk_.Feed(EncodeCall(7, nfs3::kRead, args, User(0, 0)));
  EXPECT_TRUE(talk_.Take().empty());
  EXPECT_EQ(Read(talk_, 7, 0).As<nfs3::Read3Res>().file_attributes->size, 10u);
}

TEST_F(DuplicateRequestCacheTest, KeepsErrorsToo) {
  AddRules("READ nth=1 jukebox=1");
  EXPECT_EQ(Read(talk_, 7, 0).As<nfs3::Read3Res>().status, nfs3::Status::kJukebox);
  EXPECT_EQ(Read(talk_, 7, 0).As<nfs3::Read3Res>().status, nfs3::Status::kJukebox);
  EXPECT_EQ(Read(talk_, 8, 0).As<nfs3::Read3Res>().status, nfs3::Status::kOk);
}

TEST_F(DuplicateRequestCacheTest, ABootForgetsIt) {
  AddRules("READ nth=2 boot");
  EXPECT_EQ(ReadData(talk_, 7, 0), "0123");
  EXPECT_EQ(ReadData(talk_, 8, 0), "0123");
  EXPECT_EQ(ReadData(talk_, 7, 4), "4567");
  EXPECT_EQ(ReadData(talk_, 8, 4), "4567");
}

}  // namespace
}  // namespace server
