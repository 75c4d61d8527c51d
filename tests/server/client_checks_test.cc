// Servers that look at who the client is: its port, and its uid.
#include <string>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "tests/server/conversation.h"
#include "tests/server/server_datagrams.h"

namespace server {
namespace {

class ServerThatChecksItsClients : public testing::Test {
 protected:
  ServerThatChecksItsClients() {
    served_.tree().AddFile("/export/file", BytesContents("0123456789"));
  }

  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  mount3::Status Mnt(Conversation& talk, const rpc::OpaqueAuth& who = User(0, 0)) {
    const mount3::DirPath path = {xdr::String<1024>("/export")};
    return talk.Ask<mount3::Mountres3>(mount3::kMnt, path, who).status;
  }
  Reply Getattr(Conversation& talk) {
    return talk.Call(nfs3::kGetattr, nfs3::Getattr3Args{served_.tree().Handle("/export/file")});
  }
  nfs3::Status GetattrStatus(Conversation& talk) {
    return Getattr(talk).As<nfs3::Getattr3Res>().status;
  }

  Server served_;
  Conversation reserved_{served_, Programs(), {.source_port = 1023, .address = "127.0.0.1"}};
  Conversation high_{served_, Programs(), {.source_port = 1024, .address = "127.0.0.1"}};
};

TEST_F(ServerThatChecksItsClients, MountdWantsAReservedPort) {
  AddRules("MNT port=1024.. status=ACCES");
  EXPECT_EQ(Mnt(reserved_), mount3::Status::kOk);
  EXPECT_EQ(Mnt(high_), mount3::Status::kAcces);
  EXPECT_EQ(GetattrStatus(high_), nfs3::Status::kOk);
}

TEST_F(ServerThatChecksItsClients, NfsdWantsAReservedPortAndSaysPerm) {
  AddRules("NFS port=1024.. status=PERM");
  EXPECT_EQ(GetattrStatus(reserved_), nfs3::Status::kOk);
  EXPECT_EQ(GetattrStatus(high_), nfs3::Status::kPerm);
  EXPECT_EQ(Mnt(high_), mount3::Status::kOk);
  EXPECT_TRUE(high_.Call(nfs3::kNull, nfs3::Void()).results().empty());
}

TEST_F(ServerThatChecksItsClients, NfsdWantsAReservedPortAndSaysTooWeak) {
  AddRules("NFS port=1024.. deny=AUTH_TOOWEAK");
  EXPECT_EQ(GetattrStatus(reserved_), nfs3::Status::kOk);
  EXPECT_EQ(Getattr(high_).header.auth, rpc::AuthState::kTooWeak);
}

TEST_F(ServerThatChecksItsClients, MountdWantsAReservedPortByUdpToo) {
  AddRules("MNT port=1024.. transport=udp status=ACCES");
  ServerDatagrams datagrams(served_, Programs());
  const mount3::DirPath path = {xdr::String<1024>("/export")};
  const Bytes call = EncodeCall(7, mount3::kMnt, path, User(0, 0));
  const auto status_from = [&](uint16_t port) {
    const Peer peer = {0, port, "127.0.0.1", Transport::kUdp};
    datagrams.OnDatagram(xdr::ByteView(call).subspan(4), peer, high_.now());
    const Datagram reply = *datagrams.TakeDatagram(high_.now());
    const xdr::ByteView bytes = reply.bytes.view();
    return DecodeReply({bytes.begin(), bytes.end()}).As<mount3::Mountres3>().status;
  };
  EXPECT_EQ(status_from(1023), mount3::Status::kOk);
  EXPECT_EQ(status_from(1024), mount3::Status::kAcces);
  EXPECT_EQ(Mnt(high_), mount3::Status::kOk);
}

TEST_F(ServerThatChecksItsClients, MountdLooksAtTheUid) {
  AddRules("MNT uid=0 status=ACCES\nMNT uid=65534 deny=AUTH_TOOWEAK");
  EXPECT_EQ(Mnt(high_, User(0, 0)), mount3::Status::kAcces);
  EXPECT_EQ(Mnt(high_, User(1000, 0)), mount3::Status::kOk);
  const mount3::DirPath path = {xdr::String<1024>("/export")};
  EXPECT_EQ(high_.Call(mount3::kMnt, path, rpc::AuthNone()).header.auth, rpc::AuthState::kTooWeak);
}

TEST_F(ServerThatChecksItsClients, TheLogSaysWhoItWas) {
  Mnt(high_, User(1000, 100, {5}));
  const Call call = served_.log().calls().at(0);
  EXPECT_EQ(call.peer.address, "127.0.0.1");
  EXPECT_EQ(call.peer.source_port, 1024);
  EXPECT_EQ(LogLine(call),
            "tcp #2 127.0.0.1 port 1024: MOUNT.MNT xid 0x65 \"/export\" AUTH_SYS uid 1000");
}

}  // namespace
}  // namespace server
