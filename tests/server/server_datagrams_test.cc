// The server over UDP, datagram by datagram: server_datagrams.h.
#include "tests/server/server_datagrams.h"

#include <string>
#include <vector>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/server/conversation.h"

namespace server {
namespace {

using nfs3::Status;

class ServerDatagramsTest : public testing::Test {
 protected:
  ServerDatagramsTest() {
    served_.tree().AddFile("/export/file", PatternContents(uint64_t{1} << 30));
    served_.tree().AddSymlink("/export/long", std::string(65536, 'x'));
  }

  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  nfs3::FileHandle3 File() { return served_.tree().Handle("/export/file"); }

  template <typename Args>
  uint32_t Send(const rpc::Procedure& procedure, const Args& args, uint16_t port = 800) {
    const Bytes record = EncodeCall(++xid_, procedure, args, User(0, 0));
    FromPort(port, xdr::ByteView(record).subspan(4));
    return xid_;
  }
  uint32_t SendRead(uint32_t count = 8, uint16_t port = 800) {
    return Send(nfs3::kRead, nfs3::Read3Args{File(), 0, count}, port);
  }
  void FromPort(uint16_t port, xdr::ByteView bytes) {
    datagrams_.OnDatagram(bytes, {0, port, "127.0.0.1", Transport::kUdp}, now_);
  }

  // What can be sent now.
  std::vector<Datagram> Take() {
    std::vector<Datagram> taken;
    while (std::optional<Datagram> next = datagrams_.TakeDatagram(now_)) {
      taken.push_back(*std::move(next));
    }
    return taken;
  }
  Bytes TakeOne() {
    const std::vector<Datagram> taken = Take();
    EXPECT_EQ(taken.size(), 1u);
    if (taken.empty()) return {};
    const xdr::ByteView bytes = taken[0].bytes.view();
    return {bytes.begin(), bytes.end()};
  }
  Reply TakeReply() { return DecodeReply(TakeOne()); }
  Reply Read(uint32_t count = 8) {
    SendRead(count);
    return TakeReply();
  }
  std::vector<uint32_t> TakeXids() {
    std::vector<uint32_t> xids;
    for (const Datagram& datagram : Take()) {
      xids.push_back(xdr::LoadUint32(datagram.bytes.view().data()));
    }
    return xids;
  }

  Server served_;
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  uint32_t xid_ = 0;
  ServerDatagrams datagrams_{served_, {.rpcbind = true}};
};

TEST_F(ServerDatagramsTest, AnswersADatagramWithADatagram) {
  const Reply reply = Read(100);
  Bytes expected(100);
  FillPattern(0, expected);
  EXPECT_EQ(reply.header.xid, 1u);
  EXPECT_TRUE(SameBytes(reply.As<nfs3::Read3Res>().data.view(), expected));
}

TEST_F(ServerDatagramsTest, AnswersWhoeverAsked) {
  SendRead(8, 800);
  SendRead(8, 900);
  const std::vector<Datagram> taken = Take();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].to.source_port, 800);
  EXPECT_EQ(taken[1].to.source_port, 900);
  EXPECT_EQ(taken[1].to.address, "127.0.0.1");
}

TEST_F(ServerDatagramsTest, SpeaksMountAndRpcbindToo) {
  Send(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_EQ(TakeReply().As<mount3::Mountres3>().handle, served_.tree().Handle("/export"));
  served_.Register({.program = mount3::kProgram, .version = 3, .netid = "udp", .port = 20048});
  rpc::Mapping mapping = {mount3::kProgram, 3, rpc::IpProtocol::kUdp, 0};
  Send(rpc::kGetport, mapping);
  EXPECT_EQ(TakeReply().As<rpc::GetportResult>().port, 20048u);
  mapping.protocol = rpc::IpProtocol::kTcp;
  Send(rpc::kGetport, mapping);
  EXPECT_EQ(TakeReply().As<rpc::GetportResult>().port, 0u);
}

TEST_F(ServerDatagramsTest, SaysNothingToWhatIsNoCall) {
  FromPort(800, xdr::BytesOf("GET / HTTP/1.1\r\n\r\n"));
  FromPort(800, {});
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(served_.log().counters().garbage_records, 2u);
  EXPECT_EQ(Read().As<nfs3::Read3Res>().count, 8u);
}

TEST_F(ServerDatagramsTest, GivesNoMoreThanFitsIntoADatagram) {
  const Reply reply = Read(1 << 20);
  EXPECT_EQ(reply.As<nfs3::Read3Res>().count, 32u << 10);
  EXPECT_FALSE(reply.As<nfs3::Read3Res>().eof);
  served_.SetNfs({.max_read = 512});
  EXPECT_EQ(Read(1 << 20).As<nfs3::Read3Res>().count, 512u);
}

TEST_F(ServerDatagramsTest, LosesWhatIsTooLongForADatagram) {
  Send(nfs3::kReadlink, nfs3::Readlink3Args{served_.tree().Handle("/export/long")});
  EXPECT_TRUE(Take().empty());
}

TEST_F(ServerDatagramsTest, LogsWhereACallCameFrom) {
  SendRead();
  const Call call = served_.log().calls().at(0);
  EXPECT_EQ(call.peer.transport, Transport::kUdp);
  EXPECT_EQ(call.peer.address, "127.0.0.1");
  EXPECT_EQ(LogLine(call).substr(0, 32), "udp 127.0.0.1 port 800: NFS.READ");
  EXPECT_EQ(served_.log().counters().connections, 0u);
}

TEST_F(ServerDatagramsTest, CountsReadsInFlight) {
  AddRules("READ nth=1 delay=1s\nREAD nth=2 drop");
  for (int i = 0; i < 3; ++i) SendRead();
  EXPECT_EQ(served_.log().counters().reads_in_flight, 3u);
  EXPECT_EQ(Take().size(), 1u);
  EXPECT_EQ(served_.log().counters().reads_in_flight, 1u);
  now_ = datagrams_.NextTime();
  EXPECT_EQ(Take().size(), 1u);
  EXPECT_EQ(served_.log().counters().reads_in_flight, 0u);
}

TEST_F(ServerDatagramsTest, DropsTheFirstDatagramOnly) {
  AddRules("READ nth=1 drop");
  SendRead();
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(Read().As<nfs3::Read3Res>().count, 8u);
}

TEST_F(ServerDatagramsTest, DelaysAndDuplicates) {
  AddRules("READ delay=50ms dup=20ms");
  const uint32_t xid = SendRead();
  EXPECT_TRUE(Take().empty());
  const absl::Time sent = now_;
  EXPECT_EQ(datagrams_.NextTime(), sent + absl::Milliseconds(50));
  now_ = datagrams_.NextTime();
  EXPECT_EQ(TakeXids(), std::vector<uint32_t>{xid});
  EXPECT_EQ(datagrams_.NextTime(), sent + absl::Milliseconds(70));
  now_ = datagrams_.NextTime();
  EXPECT_EQ(TakeXids(), std::vector<uint32_t>{xid});
  EXPECT_EQ(datagrams_.NextTime(), absl::InfiniteFuture());
}

TEST_F(ServerDatagramsTest, HoldsAndReordersOverAllClients) {
  AddRules("READ hold=3 order=2,0");
  SendRead(8, 800);
  SendRead(8, 900);
  EXPECT_TRUE(Take().empty());
  SendRead(8, 800);
  EXPECT_EQ(TakeXids(), (std::vector<uint32_t>{3, 1, 2}));
}

TEST_F(ServerDatagramsTest, BendsResultsAndHeaders) {
  AddRules(
      "READ nth=1 status=IO\nREAD nth=2 short=3\nREAD nth=3 deny=AUTH_TOOWEAK\n"
      "READ nth=4 accept=SYSTEM_ERR\nREAD nth=5 verifier=2:5\nREAD nth=6 poke=xid:77\n"
      "READ nth=7 noattr");
  EXPECT_EQ(Read().As<nfs3::Read3Res>().status, Status::kIo);
  EXPECT_EQ(Read().As<nfs3::Read3Res>().count, 3u);
  EXPECT_EQ(Read().header.auth, rpc::AuthState::kTooWeak);
  EXPECT_EQ(Read().header.accept, rpc::AcceptState::kSystemErr);
  EXPECT_EQ(Read().header.verifier.body.size(), 5u);
  EXPECT_EQ(Read().header.xid, 77u);
  EXPECT_FALSE(Read().As<nfs3::Read3Res>().file_attributes.has_value());
}

TEST_F(ServerDatagramsTest, CutsJunksAndReplacesTheDatagram) {
  const size_t honest = Read().record.size();
  AddRules("READ nth=1 cut=28\nREAD nth=2 cut=-5\nREAD nth=3 junk=3\nREAD nth=4 raw=%ff%00no");
  SendRead();
  EXPECT_EQ(TakeOne().size(), 28u);
  SendRead();
  EXPECT_EQ(TakeOne().size(), honest - 5);
  SendRead();
  EXPECT_EQ(TakeOne().size(), honest + 3);
  SendRead();
  EXPECT_EQ(xdr::TextOf(TakeOne()), absl::string_view("\xff\0no", 4));
}

TEST_F(ServerDatagramsTest, TakesNoNoticeOfWhatIsAboutStreams) {
  const size_t honest = Read().record.size();
  AddRules("READ frag=1 split=2 rst=3 refuse=1h\nCONNECT silent");
  EXPECT_EQ(Read().record.size(), honest);
}

TEST_F(ServerDatagramsTest, RulesTellUdpFromTcp) {
  AddRules("READ transport=udp status=IO\nREAD transport=tcp status=STALE");
  EXPECT_EQ(Read().As<nfs3::Read3Res>().status, Status::kIo);
  Conversation talk(served_);
  const auto read = talk.Call(nfs3::kRead, nfs3::Read3Args{File(), 0, 8}).As<nfs3::Read3Res>();
  EXPECT_EQ(read.status, Status::kStale);
}

TEST_F(ServerDatagramsTest, RulesAboutConnectionsAreNotForUdp) {
  AddRules("READ connection=1.. status=IO\nREAD connection=..9 status=IO");
  EXPECT_EQ(Read().As<nfs3::Read3Res>().status, Status::kOk);
}

}  // namespace
}  // namespace server
