// The server over real UDP, and TCP and UDP beside each other.
#include <cerrno>
#include <memory>
#include <vector>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/server/loopback_address.h"
#include "tests/server/loopback_server.h"
#include "tests/server/tcp_client.h"
#include "tests/server/udp_client.h"

namespace server {
namespace {

class LoopbackUdpTest : public testing::Test {
 protected:
  LoopbackUdpTest() { served_.tree().AddFile("/export/big", PatternContents(1 << 20)); }

  void Start(const ListenOptions& options = {}) {
    auto started = LoopbackServer::Start(served_, options);
    ASSERT_TRUE(started.ok()) << started.status();
    loopback_ = *std::move(started);
  }
  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  void ReadBig(UdpClient& client) {
    client.Call(nfs3::kRead, nfs3::Read3Args{served_.tree().Handle("/export/big"), 0, 1 << 20});
    const Reply reply = DecodeReply(client.Receive());
    Bytes expected(32 << 10);
    FillPattern(0, expected);
    EXPECT_TRUE(SameBytes(reply.As<nfs3::Read3Res>().data.view(), expected));
  }
  static mount3::DirPath Export() { return {xdr::String<1024>("/export")}; }

  Server served_;
  std::unique_ptr<LoopbackServer> loopback_;
};

TEST_F(LoopbackUdpTest, ServesTheSameByBothTransports) {
  Start();
  UdpClient by_udp(loopback_->udp().nfs);
  ReadBig(by_udp);
  TcpClient by_tcp(loopback_->tcp().nfs);
  const auto mnt = by_tcp.Ask<mount3::Mountres3>(mount3::kMnt, Export());
  EXPECT_EQ(by_udp.Ask<mount3::Mountres3>(mount3::kMnt, Export()).handle, mnt.handle);
  const Call read = served_.log().calls(nfs3::kRead).at(0);
  EXPECT_EQ(read.peer.transport, Transport::kUdp);
  EXPECT_EQ(read.peer.source_port, by_udp.local_port());
  EXPECT_EQ(read.peer.address, "127.0.0.1");
  EXPECT_EQ(served_.log().calls(mount3::kMnt).at(0).peer.address, "127.0.0.1");
}

TEST_F(LoopbackUdpTest, TellsRpcbindOfBoth) {
  Start({.ports = {{.programs = {.rpcbind = true}}}});
  UdpClient client(loopback_->udp().rpcbind);
  const auto ask = [&](uint32_t program, rpc::IpProtocol protocol) {
    return client.Ask<rpc::GetportResult>(rpc::kGetport, rpc::Mapping{program, 3, protocol}).port;
  };
  EXPECT_EQ(ask(nfs3::kProgram, rpc::IpProtocol::kTcp), loopback_->tcp().nfs);
  EXPECT_EQ(ask(nfs3::kProgram, rpc::IpProtocol::kUdp), loopback_->udp().nfs);
  EXPECT_EQ(ask(mount3::kProgram, rpc::IpProtocol::kUdp), loopback_->udp().mount);
}

TEST_F(LoopbackUdpTest, MountdMayListenOnUdpAlone) {
  Start({.ports = {{.programs = {.mount = false, .rpcbind = true}},
                   {.programs = {.nfs = false}, .tcp = false}}});
  TcpClient rpcbind(loopback_->rpcbind_port());
  const auto ask = [&](rpc::IpProtocol protocol) {
    const rpc::Mapping mapping = {mount3::kProgram, 3, protocol};
    return rpcbind.Ask<rpc::GetportResult>(rpc::kGetport, mapping).port;
  };
  EXPECT_EQ(ask(rpc::IpProtocol::kTcp), 0u);
  EXPECT_EQ(ask(rpc::IpProtocol::kUdp), loopback_->udp().mount);
  EXPECT_EQ(loopback_->tcp().mount, 0);
  EXPECT_EQ(loopback_->mount_port(), loopback_->udp().mount);
  AddRules("MOUNT transport=udp nth=1 drop");
  UdpClient client(loopback_->udp().mount);
  client.Call(mount3::kMnt, Export());
  EXPECT_EQ(client.Ask<mount3::Mountres3>(mount3::kMnt, Export()).status, mount3::Status::kOk);
}

TEST_F(LoopbackUdpTest, MayListenOnTcpAlone) {
  Start({.ports = {{.udp = false}}});
  EXPECT_EQ(loopback_->udp().nfs, 0);
  UdpClient client(loopback_->nfs_port());
  client.Call(nfs3::kNull, nfs3::Void());
  EXPECT_TRUE(client.Receive().empty());  // refused by ICMP
}

TEST_F(LoopbackUdpTest, ServesIpv6) {
  auto started = LoopbackServer::Start(served_, {.address = "::1"});
  if (!started.ok()) GTEST_SKIP() << "no IPv6 here: " << started.status();
  UdpClient client((*started)->udp().nfs, "::1");
  ReadBig(client);
  EXPECT_EQ(served_.log().calls().at(0).peer.address, "::1");
}

TEST_F(LoopbackUdpTest, SaysWhenThePortIsTakenForUdp) {
  uint16_t taken = 0;
  const auto other = ListenOn("127.0.0.1", Transport::kUdp, taken);
  ASSERT_TRUE(other.ok());
  const auto started = LoopbackServer::Start(served_, {.ports = {{.port = taken}}});
  EXPECT_EQ(started.status().code(), absl::StatusCode::kUnavailable);
  Start({.ports = {{.port = taken, .udp = false}}});
}

TEST_F(LoopbackUdpTest, DelaysInItsThread) {
  AddRules("READ delay=20ms");
  Start();
  UdpClient client(loopback_->udp().nfs);
  ReadBig(client);
}

TEST_F(LoopbackUdpTest, RefusesOnlyTheTcpOfThePort) {
  AddRules("READ transport=tcp rst refuse=1h");
  Start({.ports = {{.programs = {.mount = false}}, {.programs = {.nfs = false}}}});
  TcpClient client(loopback_->tcp().nfs);
  client.Call(nfs3::kRead, nfs3::Read3Args{served_.tree().Handle("/export/big"), 0, 8});
  client.Receive(1000);
  EXPECT_EQ(TcpClient(loopback_->tcp().nfs).error(), ECONNREFUSED);
  EXPECT_EQ(TcpClient(loopback_->tcp().mount).error(), 0);
  UdpClient by_udp(loopback_->udp().nfs);
  ReadBig(by_udp);
}

}  // namespace
}  // namespace server
