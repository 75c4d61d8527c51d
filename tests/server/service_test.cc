// What an unscripted server answers, procedure by procedure.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/server/conversation.h"

namespace server {
namespace {

using nfs3::Status;

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    tree().AddFile("/export/hello", BytesContents("hello\n"));
    tree().AddFile("/export/secret", BytesContents("s"), {.mode = 0640, .uid = 10, .gid = 20});
    tree().AddDirectory("/export/shut", {.mode = 0700, .uid = 10, .gid = 20});
    tree().AddFile("/export/shut/in", BytesContents("i"));
    tree().AddSymlink("/export/link", "hello");
  }

  FileTree& tree() { return served_.tree(); }
  nfs3::FileHandle3 Handle(absl::string_view path) { return tree().Handle(path); }

  nfs3::Lookup3Res Lookup(absl::string_view dir, const std::string& name,
                          const rpc::OpaqueAuth& who = User(0, 0)) {
    return talk_.Ask<nfs3::Lookup3Res>(nfs3::kLookup,
                                       nfs3::Lookup3Args{Handle(dir), nfs3::FileName3(name)}, who);
  }
  Reply Read(absl::string_view path, uint64_t offset, uint32_t count,
             const rpc::OpaqueAuth& who = User(0, 0)) {
    return talk_.Call(nfs3::kRead, nfs3::Read3Args{Handle(path), offset, count}, who);
  }
  Status ReadStatus(absl::string_view path, const rpc::OpaqueAuth& who) {
    return Read(path, 0, 10, who).As<nfs3::Read3Res>().status;
  }
  mount3::Mountres3 Mnt(const std::string& path) {
    return talk_.Ask<mount3::Mountres3>(mount3::kMnt, mount3::DirPath{xdr::String<1024>(path)});
  }

  Server served_;
  Conversation talk_{served_};
};

TEST_F(ServiceTest, Null) {
  for (const rpc::Procedure& null : {nfs3::kNull, mount3::kNull}) {
    const Reply reply = talk_.Call(null, nfs3::Void());
    EXPECT_EQ(reply.header.accept, rpc::AcceptState::kSuccess);
    EXPECT_TRUE(reply.results().empty());
  }
}

TEST_F(ServiceTest, Getattr) {
  const auto results =
      talk_.Ask<nfs3::Getattr3Res>(nfs3::kGetattr, nfs3::Getattr3Args{Handle("/export/hello")});
  EXPECT_EQ(results.status, Status::kOk);
  EXPECT_EQ(results.attributes.size, 6u);
  EXPECT_EQ(results.attributes.type, nfs3::FileType3::kReg);
}

TEST_F(ServiceTest, Lookup) {
  const nfs3::Lookup3Res results = Lookup("/export", "hello");
  EXPECT_EQ(results.status, Status::kOk);
  EXPECT_EQ(results.object, Handle("/export/hello"));
  EXPECT_EQ(results.obj_attributes->size, 6u);
  EXPECT_EQ(results.dir_attributes->type, nfs3::FileType3::kDir);
  EXPECT_EQ(Lookup("/export", "no").status, Status::kNoEnt);
  EXPECT_TRUE(Lookup("/export", "no").dir_attributes.has_value());
  EXPECT_EQ(Lookup("/export/hello", "x", User(9, 9)).status, Status::kNotDir);
  EXPECT_EQ(Lookup("/export/shut", "in", User(9, 9)).status, Status::kAcces);
  EXPECT_EQ(Lookup("/export/shut", "in", User(10, 9)).status, Status::kOk);
}

TEST_F(ServiceTest, Readlink) {
  const auto results =
      talk_.Ask<nfs3::Readlink3Res>(nfs3::kReadlink, nfs3::Readlink3Args{Handle("/export/link")});
  EXPECT_EQ(results.data.text(), "hello");
}

TEST_F(ServiceTest, ReadlinkGivesTargetsOfAnyLength) {
  for (const size_t size : {1u, 3u, 4u, 1023u, 4096u, 65536u}) {
    const std::string path = absl::StrCat("/export/link", size);
    tree().AddSymlink(path, std::string(size, 'x'));
    const Reply reply = talk_.Call(nfs3::kReadlink, nfs3::Readlink3Args{Handle(path)});
    EXPECT_EQ(reply.results().size(), 4 + 88 + 4 + xdr::PaddedSize(size));
  }
}

TEST_F(ServiceTest, ReadGivesDataAndTheEnd) {
  const Reply reply = Read("/export/hello", 1, 3);
  const auto part = reply.As<nfs3::Read3Res>();
  EXPECT_EQ(part.status, Status::kOk);
  EXPECT_EQ(part.count, 3u);
  EXPECT_FALSE(part.eof);
  EXPECT_EQ(xdr::TextOf(part.data.view()), "ell");
  const Reply end = Read("/export/hello", 4, 3);
  EXPECT_EQ(xdr::TextOf(end.As<nfs3::Read3Res>().data.view()), "o\n");
  EXPECT_TRUE(end.As<nfs3::Read3Res>().eof);
  const Reply beyond = Read("/export/hello", UINT64_MAX, 3);
  EXPECT_EQ(beyond.As<nfs3::Read3Res>().count, 0u);
  EXPECT_TRUE(beyond.As<nfs3::Read3Res>().eof);
  EXPECT_TRUE(Read("/export/hello", 0, 6).As<nfs3::Read3Res>().eof);
}

TEST_F(ServiceTest, ReadGivesNoMoreThanItsLimit) {
  served_.SetNfs({.max_read = 4});
  EXPECT_EQ(Read("/export/hello", 0, 100).As<nfs3::Read3Res>().count, 4u);
}

TEST_F(ServiceTest, ReadRefusesDirectoriesAndLinks) {
  EXPECT_EQ(ReadStatus("/export", User(0, 0)), Status::kIsDir);
  EXPECT_EQ(ReadStatus("/export/link", User(0, 0)), Status::kInval);
}

TEST_F(ServiceTest, ReadIsForThoseWhoMay) {
  EXPECT_EQ(ReadStatus("/export/secret", User(0, 0)), Status::kOk);
  EXPECT_EQ(ReadStatus("/export/secret", User(10, 9)), Status::kOk);
  EXPECT_EQ(ReadStatus("/export/secret", User(9, 20)), Status::kOk);
  EXPECT_EQ(ReadStatus("/export/secret", User(9, 9, {1, 20})), Status::kOk);
  EXPECT_EQ(ReadStatus("/export/secret", User(9, 9)), Status::kAcces);
  EXPECT_EQ(ReadStatus("/export/secret", rpc::AuthNone()), Status::kAcces);
  served_.SetNfs({.root_squash = true});
  EXPECT_EQ(ReadStatus("/export/secret", User(0, 0)), Status::kAcces);
}

TEST_F(ServiceTest, OwnersReadWhateverTheMode) {
  tree().SetOwnership("/export/secret", {.mode = 0, .uid = 10, .gid = 20});
  EXPECT_EQ(ReadStatus("/export/secret", User(10, 20)), Status::kOk);
}

TEST_F(ServiceTest, Access) {
  const auto ask = [&](absl::string_view path, const rpc::OpaqueAuth& who) {
    return talk_.Ask<nfs3::Access3Res>(nfs3::kAccess, nfs3::Access3Args{Handle(path), 0x3f}, who)
        .access;
  };
  EXPECT_EQ(ask("/export/secret", User(10, 0)), 0x0du);
  EXPECT_EQ(ask("/export/secret", User(9, 20)), 0x01u);
  EXPECT_EQ(ask("/export/secret", User(9, 9)), 0u);
  EXPECT_EQ(ask("/export", User(9, 9)), 0x03u);
  EXPECT_EQ(ask("/export", User(0, 0)), 0x1fu);
}

TEST_F(ServiceTest, Fsinfo) {
  NfsSettings settings;
  settings.fsinfo.rtmax = 12345;
  served_.SetNfs(settings);
  const auto results =
      talk_.Ask<nfs3::Fsinfo3Res>(nfs3::kFsinfo, nfs3::Fsinfo3Args{Handle("/export")});
  EXPECT_EQ(results.info.rtmax, 12345u);
  EXPECT_TRUE(results.obj_attributes.has_value());
}

TEST_F(ServiceTest, StaleHandles) {
  const nfs3::FileHandle3 old = Handle("/export/hello");
  tree().Change("/export/hello", {FileChange::Kind::kReplace});
  const Reply read = talk_.Call(nfs3::kRead, nfs3::Read3Args{old, 0, 10});
  EXPECT_EQ(read.As<nfs3::Read3Res>().status, Status::kStale);
  EXPECT_EQ(talk_.Ask<nfs3::Getattr3Res>(nfs3::kGetattr, nfs3::Getattr3Args{old}).status,
            Status::kStale);
  EXPECT_EQ(talk_.Ask<nfs3::Access3Res>(nfs3::kAccess, nfs3::Access3Args{old, 1}).status,
            Status::kStale);
}

TEST_F(ServiceTest, MntGivesTheHandleAndFlavors) {
  const mount3::Mountres3 results = Mnt("/export");
  EXPECT_EQ(results.status, mount3::Status::kOk);
  EXPECT_EQ(results.handle, Handle("/export"));
  EXPECT_EQ(results.auth_flavors.elements,
            (std::vector{rpc::AuthFlavor::kSys, rpc::AuthFlavor::kNone}));
}

TEST_F(ServiceTest, MntTakesPathsByteByByte) {
  EXPECT_EQ(Mnt("/export/shut").handle, Handle("/export/shut"));
  EXPECT_EQ(Mnt("/export/hello").status, mount3::Status::kNotDir);
  for (const char* path :
       {"", "/", "export", "/export/", "//export", "/exports", "/export//shut"}) {
    EXPECT_EQ(Mnt(path).status, mount3::Status::kNoEnt) << path;
  }
}

TEST_F(ServiceTest, MntDependsOnTheExport) {
  tree().AddDirectory("/under/data/foo");
  tree().AddDirectory("/elsewhere");
  served_.SetExports({{.path = "/", .root = "/under"},
                      {.path = "/only", .root = "/under", .subdirectories = false},
                      {.path = "/data/foo", .root = "/elsewhere"},
                      {.path = "/no", .refusal = mount3::Status::kAcces}});
  EXPECT_EQ(Mnt("/").handle, Handle("/under"));
  EXPECT_EQ(Mnt("/data").handle, Handle("/under/data"));
  EXPECT_EQ(Mnt("/data/foo").handle, Handle("/elsewhere"));
  EXPECT_EQ(Mnt("/only").handle, Handle("/under"));
  EXPECT_EQ(Mnt("/only/data").status, mount3::Status::kNoEnt);
  EXPECT_EQ(Mnt("/no").status, mount3::Status::kAcces);
}

TEST_F(ServiceTest, ExportsHaveNamesOfAnyBytes) {
  const std::vector<std::string> names = {"/", "/a b", "/sh%re", "/x/\xc3\xbc", "/e\r", "/e"};
  std::vector<Export> exports;
  for (const std::string& name : names) {
    exports.push_back({.path = name, .root = absl::StrCat("/roots/", exports.size())});
    exports.back().subdirectories = false;
    tree().AddDirectory(exports.back().root);
  }
  served_.SetExports(exports);
  for (const Export& exported : exports) {
    EXPECT_EQ(Mnt(exported.path).handle, Handle(exported.root)) << exported.path;
    EXPECT_EQ(served_.log().calls(mount3::kMnt).back().arguments.name, exported.path);
  }
  for (const char* path : {"", "//", "/a%20b", "/share", "/x/u\xcc\x88", "/x", "/E", "/e\n"}) {
    EXPECT_EQ(Mnt(path).status, mount3::Status::kNoEnt) << path;
  }
}

TEST_F(ServiceTest, NamesAreBytes) {
  const std::vector<std::string> names = {"\xff\xfe",  "\xc3\xbc", "u\xcc\x88",
                                          "new\nline", "\xfc",     std::string(255, 'n')};
  for (const std::string& name : names) {
    tree().AddFile(absl::StrCat("/export/", name), BytesContents(name));
  }
  for (const std::string& name : names) {
    EXPECT_EQ(Lookup("/export", name).object, Handle(absl::StrCat("/export/", name))) << name;
  }
}

TEST_F(ServiceTest, ExportListsWhatThereIs) {
  served_.SetExports({{.path = "/a", .groups = {"10.0.0.0/8", "host"}}, {.path = "/b"}});
  const auto results = talk_.Ask<mount3::Exports>(mount3::kExport, nfs3::Void());
  ASSERT_EQ(results.exports.elements.size(), 2u);
  EXPECT_EQ(results.exports.elements[0].dir.text(), "/a");
  EXPECT_EQ(results.exports.elements[0].groups.elements[1].name.text(), "host");
}

TEST_F(ServiceTest, UmntIsCounted) {
  talk_.Call(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  talk_.Call(mount3::kUmnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_EQ(served_.log().counters().mounts, 1u);
  EXPECT_EQ(served_.log().counters().unmounts, 1u);
}

TEST_F(ServiceTest, RpcbindKnowsPorts) {
  served_.Register({.program = nfs3::kProgram, .version = 3, .port = 1});
  served_.Register({.program = nfs3::kProgram, .version = 3, .port = 2049});
  rpc::Mapping mapping = {nfs3::kProgram, 3, rpc::IpProtocol::kTcp, 0};
  EXPECT_EQ(talk_.Ask<rpc::GetportResult>(rpc::kGetport, mapping).port, 2049u);
  mapping.protocol = rpc::IpProtocol::kUdp;
  EXPECT_EQ(talk_.Ask<rpc::GetportResult>(rpc::kGetport, mapping).port, 0u);
  rpc::Rpcb rpcb = {nfs3::kProgram, 3, rpc::RpcbString("tcp"), {}, {}};
  EXPECT_EQ(talk_.Ask<rpc::GetaddrResult>(rpc::kGetaddr, rpcb).address.text(), "0.0.0.0.8.1");
  rpcb.netid = rpc::RpcbString("tcp6");
  EXPECT_EQ(talk_.Ask<rpc::GetaddrResult>(rpc::kGetaddr, rpcb).address.text(), "");
}

TEST_F(ServiceTest, RefusesWhatItDoesNotHave) {
  const auto accept = [&](uint32_t program, uint32_t version, uint32_t procedure) {
    return talk_.Call({program, version, procedure, ""}, nfs3::Void()).header;
  };
  EXPECT_EQ(accept(100021, 4, 0).accept, rpc::AcceptState::kProgUnavail);
  EXPECT_EQ(accept(nfs3::kProgram, 3, 99).accept, rpc::AcceptState::kProcUnavail);
  EXPECT_EQ(accept(mount3::kProgram, 1, 0).accept, rpc::AcceptState::kProgMismatch);
  const rpc::ReplyHeader mismatch = accept(nfs3::kProgram, 4, 0);
  EXPECT_EQ(mismatch.accept, rpc::AcceptState::kProgMismatch);
  EXPECT_EQ(mismatch.supported.low, 3u);
  EXPECT_EQ(mismatch.supported.high, 3u);
  // Too few arguments, and too many.
  EXPECT_EQ(accept(nfs3::kProgram, 3, 1).accept, rpc::AcceptState::kGarbageArgs);
  EXPECT_EQ(talk_.Call(nfs3::kNull, uint32_t{7}).header.accept, rpc::AcceptState::kGarbageArgs);
}

TEST_F(ServiceTest, APortSpeaksItsProgramsOnly) {
  Conversation nfs_only(served_, {.mount = false});
  const Reply reply = nfs_only.Call(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_EQ(reply.header.accept, rpc::AcceptState::kProgUnavail);
}

TEST_F(ServiceTest, RefusesBadCredentials) {
  rpc::OpaqueAuth bad = User(0, 0);
  bad.body.Assign(bad.body.view().first(10));
  const Reply reply = talk_.Call(nfs3::kNull, nfs3::Void(), bad);
  EXPECT_EQ(reply.header.state, rpc::ReplyState::kDenied);
  EXPECT_EQ(reply.header.auth, rpc::AuthState::kBadCred);
  bad.flavor = rpc::AuthFlavor::kRpcSecGss;
  EXPECT_EQ(talk_.Call(nfs3::kNull, nfs3::Void(), bad).header.auth, rpc::AuthState::kRejectedCred);
}

TEST_F(ServiceTest, RefusesMoreGroupsThanThereMayBe) {
  const rpc::OpaqueAuth sixteen = User(0, 0, std::vector<uint32_t>(16, 5));
  EXPECT_EQ(talk_.Call(nfs3::kNull, nfs3::Void(), sixteen).header.state,
            rpc::ReplyState::kAccepted);
  const xdr::ByteView body = sixteen.body.view();
  Bytes one_more(body.begin(), body.end());
  one_more.resize(body.size() + 4);
  xdr::StoreUint32(one_more.data() + body.size() - 17 * 4, 17);
  rpc::OpaqueAuth seventeen = sixteen;
  seventeen.body.Assign(one_more);
  EXPECT_EQ(talk_.Call(nfs3::kNull, nfs3::Void(), seventeen).header.auth, rpc::AuthState::kBadCred);
}

TEST_F(ServiceTest, RefusesOtherVersionsOfRpc) {
  Bytes call = EncodeCall(5, nfs3::kNull, nfs3::Void(), rpc::AuthNone());
  xdr::StoreUint32(call.data() + 4 + 8, 3);
  talk_.Feed(call);
  const std::vector<Reply> replies = talk_.Take();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].header.reject, rpc::RejectState::kRpcMismatch);
  EXPECT_EQ(replies[0].header.supported.low, 2u);
}

TEST_F(ServiceTest, LogsWhatItWasAsked) {
  Read("/export/hello", 4, 2, User(7, 8, {9}));
  const std::vector<Call> calls = served_.log().calls(nfs3::kRead);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].peer.connection, 1u);
  EXPECT_EQ(calls[0].peer.source_port, 45000);
  EXPECT_EQ(calls[0].xid, 101u);
  EXPECT_EQ(calls[0].machine_name, "client.example");
  EXPECT_EQ(calls[0].identity.uid, 7u);
  EXPECT_EQ(calls[0].identity.groups, std::vector<uint32_t>{9});
  EXPECT_EQ(calls[0].arguments.handle, Handle("/export/hello"));
  EXPECT_EQ(LogLine(calls[0]),
            "tcp #1 127.0.0.1 port 45000: NFS.READ xid 0x65 offset 4 count 2 AUTH_SYS uid 7");
}

}  // namespace
}  // namespace server
