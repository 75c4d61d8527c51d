// The server over real TCP, also before a client that is not ours.
#include "tests/server/loopback_server.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/server/tcp_client.h"

namespace server {
namespace {

constexpr uint64_t kBigSize = (3 << 20) + 5;

class LoopbackServerTest : public testing::Test {
 protected:
  LoopbackServerTest() {
    served_.tree().AddFile("/export/hello", BytesContents("hello\n"));
    served_.tree().AddFile("/export/big", PatternContents(kBigSize));
  }

  void Start(const ListenOptions& options = {}) {
    auto started = LoopbackServer::Start(served_, options);
    ASSERT_TRUE(started.ok()) << started.status();
    loopback_ = *std::move(started);
  }
  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  nfs3::Read3Args BigArgs(uint64_t offset, uint32_t count) {
    return {served_.tree().Handle("/export/big"), offset, count};
  }
  // Asks for the start of the big file, and checks it.
  void ReadBig(TcpClient& client, uint32_t count = 1 << 20) {
    client.Call(nfs3::kRead, BigArgs(0, count));
    ExpectBig(client, count);
  }
  void ExpectBig(TcpClient& client, uint32_t count) {
    const std::vector<Reply> replies = client.ReceiveReply();
    ASSERT_EQ(replies.size(), 1u);
    Bytes expected(count);
    FillPattern(0, expected);
    EXPECT_TRUE(SameBytes(replies[0].As<nfs3::Read3Res>().data.view(), expected));
  }

  Server served_;
  std::unique_ptr<LoopbackServer> loopback_;
};

TEST_F(LoopbackServerTest, Serves) {
  Start();
  TcpClient client(loopback_->nfs_port());
  ASSERT_EQ(client.error(), 0);
  const auto mnt =
      client.Ask<mount3::Mountres3>(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_EQ(mnt.handle, served_.tree().Handle("/export"));
  ReadBig(client);
  EXPECT_EQ(served_.log().calls().at(0).peer.source_port, client.local_port());
}

TEST_F(LoopbackServerTest, HasUrls) {
  Start({.ports = {{0, {.mount = false}}, {0, {.nfs = false}}}});
  const int nfs = loopback_->nfs_port(), mount = loopback_->mount_port();
  EXPECT_NE(nfs, mount);
  EXPECT_EQ(loopback_->Url("/export/hello"),
            absl::StrCat("nfs://127.0.0.1:", nfs, "/export/hello?mountport=", mount));
  EXPECT_EQ(loopback_->LibnfsUrl("/export/hello"),
            absl::StrCat("nfs://127.0.0.1/export/hello?nfsport=", nfs, "&mountport=", mount,
                         "&version=3"));
}

TEST_F(LoopbackServerTest, ServesProgramsWhereItIsTold) {
  Start({.ports = {{0, {.mount = false}},
                   {0, {.nfs = false}},
                   {0, {.nfs = false, .mount = false, .rpcbind = true}}}});
  TcpClient client(loopback_->rpcbind_port());
  const auto ask = [&](uint32_t program) {
    return client.Ask<rpc::GetportResult>(rpc::kGetport, rpc::Mapping{program, 3}).port;
  };
  EXPECT_EQ(ask(nfs3::kProgram), loopback_->nfs_port());
  EXPECT_EQ(ask(mount3::kProgram), loopback_->mount_port());
}

TEST_F(LoopbackServerTest, ServesIpv6) {
  auto started = LoopbackServer::Start(served_, {.address = "::1"});
  if (!started.ok()) GTEST_SKIP() << "no IPv6 here: " << started.status();
  TcpClient client((*started)->nfs_port(), /*ipv6=*/true);
  ReadBig(client, 100);
  EXPECT_EQ((*started)->Url("/x").substr(0, 12), "nfs://[::1]:");
}

TEST_F(LoopbackServerTest, ListensOnLoopbackOnly) {
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "localhost", ""}) {
    const auto started = LoopbackServer::Start(served_, {.address = address});
    EXPECT_EQ(started.status().code(), absl::StatusCode::kInvalidArgument) << address;
  }
}

TEST_F(LoopbackServerTest, SaysWhenAPortIsTaken) {
  Start();
  const auto second =
      LoopbackServer::Start(served_, {.ports = {{loopback_->nfs_port(), Programs()}}});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(LoopbackServerTest, StopsAndStartsAgainOnItsPort) {
  Start();
  const uint16_t port = loopback_->nfs_port();
  for (int i = 0; i < 3; ++i) {
    TcpClient client(port);
    ReadBig(client);
    loopback_.reset();
    EXPECT_TRUE(client.Receive(1).empty());
    EXPECT_EQ(TcpClient(port).error(), ECONNREFUSED);
    Start({.ports = {{port, Programs()}}});
  }
}

TEST_F(LoopbackServerTest, ServesManyConnections) {
  Start();
  std::vector<std::unique_ptr<TcpClient>> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(std::make_unique<TcpClient>(loopback_->nfs_port()));
  }
  for (auto& client : clients) client->Call(nfs3::kRead, BigArgs(0, 4096));
  for (auto& client : clients) ExpectBig(*client, 4096);
}

TEST_F(LoopbackServerTest, WaitsForSlowClients) {
  Start();
  TcpClient client(loopback_->nfs_port());
  for (int i = 0; i < 64; ++i) client.Call(nfs3::kRead, BigArgs(0, 1 << 20));
  TcpClient other(loopback_->nfs_port());
  ReadBig(other, 4096);
  for (int i = 0; i < 64; ++i) ExpectBig(client, 1 << 20);
}

TEST_F(LoopbackServerTest, SurvivesClientsThatLeave) {
  Start();
  for (int i = 0; i < 20; ++i) {
    TcpClient client(loopback_->nfs_port());
    for (int j = 0; j < 20; ++j) client.Call(nfs3::kRead, BigArgs(0, 1 << 20));
  }
  TcpClient client(loopback_->nfs_port());
  ReadBig(client);
}

TEST_F(LoopbackServerTest, Delays) {
  AddRules("READ delay=100ms");
  Start();
  TcpClient client(loopback_->nfs_port());
  const absl::Time start = absl::Now();
  for (int i = 0; i < 16; ++i) client.Call(nfs3::kRead, BigArgs(0, 4096));
  for (int i = 0; i < 16; ++i) ExpectBig(client, 4096);
  // Not sixteen times as long, on a machine as slow as may be.
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(100));
  EXPECT_LT(absl::Now() - start, absl::Milliseconds(1500));
}

TEST_F(LoopbackServerTest, ClosesAndResets) {
  AddRules("READ nth=1 fin=100\nREAD nth=2 rst=100");
  Start();
  TcpClient closed(loopback_->nfs_port());
  closed.Call(nfs3::kRead, BigArgs(0, 4096));
  EXPECT_EQ(closed.Receive(1000).size(), 100u);
  EXPECT_EQ(closed.error(), 0);
  TcpClient reset(loopback_->nfs_port());
  reset.Call(nfs3::kRead, BigArgs(0, 4096));
  // A reset may overtake what was sent before it.
  EXPECT_LE(reset.Receive(1000).size(), 100u);
  EXPECT_EQ(reset.error(), ECONNRESET);
}

TEST_F(LoopbackServerTest, RefusesForAWhile) {
  AddRules("READ nth=1 rst refuse=1s");
  Start();
  TcpClient client(loopback_->nfs_port());
  client.Call(nfs3::kRead, BigArgs(0, 8));
  client.Receive(1000);
  const absl::Time start = absl::Now();
  while (TcpClient(loopback_->nfs_port()).error() == ECONNREFUSED) {
    ASSERT_LT(absl::Now() - start, absl::Seconds(30));
    absl::SleepFor(absl::Milliseconds(20));
  }
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(700));
  TcpClient again(loopback_->nfs_port());
  ASSERT_EQ(again.error(), 0);
  ReadBig(again);
}

TEST_F(LoopbackServerTest, KeepsSilentAndGreets) {
  AddRules("CONNECT nth=1 raw=HTTP/1.1%20400%0d%0a fin\nCONNECT nth=2 rst");
  Start();
  TcpClient greeted(loopback_->nfs_port());
  EXPECT_EQ(xdr::TextOf(greeted.Receive(100)), "HTTP/1.1 400\r\n");
  TcpClient reset(loopback_->nfs_port());
  if (reset.error() == 0) reset.Receive(1);
  EXPECT_EQ(reset.error(), ECONNRESET);
}

TEST_F(LoopbackServerTest, ASlowReaderLetsTheClientSendNoMore) {
  AddRules("CONNECT slow_read=1:1h");
  Start();
  TcpClient client(loopback_->nfs_port());
  // The kernels' buffers take some megabytes; a server that read would take all of it.
  const Bytes calls(1 << 20);
  size_t sent = 0;
  while (const size_t size = client.SendSome(calls)) {
    sent += size;
    ASSERT_LT(sent, size_t{256} << 20);
  }
  TcpClient other(loopback_->nfs_port());
  EXPECT_EQ(other.SendSome(xdr::ByteView(calls).first(1)), 1u) << "and the server lives";
}

TEST_F(LoopbackServerTest, ReadsSlowlyToTheEnd) {
  AddRules("CONNECT slow_read=10:1ms");
  Start();
  TcpClient client(loopback_->nfs_port());
  for (int i = 0; i < 20; ++i) client.Call(nfs3::kRead, BigArgs(0, 4096));
  for (int i = 0; i < 20; ++i) ExpectBig(client, 4096);
  EXPECT_EQ(served_.log().counters().garbage_records, 0u);
}

TEST_F(LoopbackServerTest, ChangesWhileItServes) {
  Start();
  TcpClient client(loopback_->nfs_port());
  ReadBig(client, 4096);
  AddRules("READ stale");
  EXPECT_EQ(client
                .Ask<nfs3::Getattr3Res>(nfs3::kGetattr,
                                        nfs3::Getattr3Args{served_.tree().Handle("/export/hello")})
                .attributes.size,
            6u);
  client.Call(nfs3::kRead, BigArgs(0, 8));
  EXPECT_EQ(client.ReceiveReply().at(0).As<nfs3::Read3Res>().status, nfs3::Status::kStale);
}

// What a command prints, and its exit status.
std::pair<std::string, int> OutputOf(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output;
  char bytes[65536];
  while (const size_t size = std::fread(bytes, 1, sizeof(bytes), pipe)) output.append(bytes, size);
  return {output, ::pclose(pipe)};
}

// A judge from outside: libnfs, in Debian's package libnfs-utils.
TEST_F(LoopbackServerTest, SatisfiesNfsCat) {
  if (OutputOf("command -v nfs-cat").second != 0) {
    GTEST_SKIP() << "NOT TESTED: no nfs-cat here (Debian's libnfs-utils has it)";
  }
  Start();
  const auto cat = [&](const char* path) {
    return OutputOf(
        absl::StrCat("timeout 60 nfs-cat '", loopback_->LibnfsUrl(path), "' 2>/dev/null"));
  };
  EXPECT_EQ(cat("/export/hello").first, "hello\n");
  Bytes expected(kBigSize);
  FillPattern(0, expected);
  EXPECT_TRUE(cat("/export/big").first == xdr::TextOf(expected));
  EXPECT_NE(cat("/export/missing").second, 0);
  AddRules("READ frag=1000\nLOOKUP noattr");
  EXPECT_EQ(cat("/export/hello").first, "hello\n");
}

}  // namespace
}  // namespace server
