// What each action of a script does, on the wire. The rules are those of
// script_parser.h.
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

constexpr size_t kHeaderBytes = 24;  // of an accepted reply with an empty verifier

class ActionsTest : public testing::Test {
 protected:
  ActionsTest() { served_.tree().AddFile("/export/file", BytesContents("0123456789")); }

  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }
  nfs3::FileHandle3 File() { return served_.tree().Handle("/export/file"); }
  nfs3::Read3Args ReadArgs(uint32_t count = 4) { return {File(), 0, count}; }
  uint32_t SendRead(uint32_t count = 4) { return talk_.Send(nfs3::kRead, ReadArgs(count)); }
  Reply Read(uint32_t count = 4) { return talk_.Call(nfs3::kRead, ReadArgs(count)); }
  nfs3::Lookup3Res Lookup() {
    return talk_.Ask<nfs3::Lookup3Res>(
        nfs3::kLookup,
        nfs3::Lookup3Args{served_.tree().Handle("/export"), nfs3::FileName3("file")});
  }
  // The bytes of the reply to one READ.
  Bytes ReadBytes(uint32_t count = 4) {
    SendRead(count);
    return talk_.TakeBytes();
  }
  // The same without any rule.
  Bytes HonestBytes(uint32_t count = 4) {
    Server honest;
    honest.tree().AddFile("/export/file", BytesContents("0123456789"));
    Conversation talk(honest);
    talk.Send(nfs3::kRead, nfs3::Read3Args{honest.tree().Handle("/export/file"), 0, count});
    return talk.TakeBytes();
  }
  Verdict::Kind verdict() { return talk_.connection().verdict().kind; }

  Server served_;
  Conversation talk_{served_};
};

TEST_F(ActionsTest, Status) {
  AddRules("LOOKUP status=ACCES\nREAD status=IO\nMNT status=13");
  EXPECT_EQ(Lookup().status, Status::kAcces);
  EXPECT_TRUE(Lookup().dir_attributes.has_value());
  const auto read = Read().As<nfs3::Read3Res>();
  EXPECT_EQ(read.status, Status::kIo);
  EXPECT_TRUE(read.file_attributes.has_value());
  const auto mnt =
      talk_.Ask<mount3::Mountres3>(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_EQ(mnt.status, mount3::Status::kAcces);
}

TEST_F(ActionsTest, Jukebox) {
  AddRules("READ jukebox=2");
  EXPECT_EQ(Read().As<nfs3::Read3Res>().status, Status::kJukebox);
  EXPECT_EQ(Read().As<nfs3::Read3Res>().status, Status::kJukebox);
  EXPECT_EQ(Read().As<nfs3::Read3Res>().status, Status::kOk);
}

TEST_F(ActionsTest, NoAttributes) {
  AddRules("NFS noattr");
  EXPECT_FALSE(Lookup().dir_attributes.has_value());
  EXPECT_FALSE(Lookup().obj_attributes.has_value());
  const Reply reply = Read();
  const auto read = reply.As<nfs3::Read3Res>();
  EXPECT_FALSE(read.file_attributes.has_value());
  EXPECT_EQ(xdr::TextOf(read.data.view()), "0123");
  EXPECT_EQ(reply.record.size(), kHeaderBytes + 20 + 4);
}

TEST_F(ActionsTest, NoAttributesOfOneKind) {
  AddRules("LOOKUP noattr=obj_attributes every=2");
  EXPECT_FALSE(Lookup().obj_attributes.has_value());
  EXPECT_TRUE(Lookup().obj_attributes.has_value());
  EXPECT_FALSE(Lookup().obj_attributes.has_value());
  EXPECT_TRUE(Lookup().dir_attributes.has_value());
}

TEST_F(ActionsTest, ShortRead) {
  AddRules("READ short=3");
  EXPECT_EQ(Read(10).As<nfs3::Read3Res>().count, 3u);
  EXPECT_FALSE(Read(10).As<nfs3::Read3Res>().eof);
  EXPECT_EQ(Read(2).As<nfs3::Read3Res>().count, 2u);
}

TEST_F(ActionsTest, ShortReadOfNothing) {
  AddRules("READ short=0");
  EXPECT_EQ(Read(10).As<nfs3::Read3Res>().count, 0u);
  EXPECT_FALSE(Read(10).As<nfs3::Read3Res>().eof);
}

TEST_F(ActionsTest, Over) {
  AddRules("READ over=3");
  const Reply inside = Read(4);
  EXPECT_EQ(inside.As<nfs3::Read3Res>().count, 7u);
  EXPECT_EQ(xdr::TextOf(inside.As<nfs3::Read3Res>().data.view()), "0123456");
  EXPECT_FALSE(inside.As<nfs3::Read3Res>().eof);
  const Reply at_end = Read(100);
  EXPECT_EQ(xdr::TextOf(at_end.As<nfs3::Read3Res>().data.view()), "0123456789\xee\xee\xee");
  EXPECT_TRUE(at_end.As<nfs3::Read3Res>().eof);
}

TEST_F(ActionsTest, Eof) {
  AddRules("READ nth=1 eof=true\nREAD nth=2 eof=false");
  EXPECT_TRUE(Read(4).As<nfs3::Read3Res>().eof);
  EXPECT_FALSE(Read(10).As<nfs3::Read3Res>().eof);
}

TEST_F(ActionsTest, PokeNumbers) {
  AddRules("LOOKUP poke=obj_attributes.size:0x100000002 poke=fileid:0 poke=type:9");
  const nfs3::Lookup3Res results = Lookup();
  EXPECT_EQ(results.obj_attributes->size, 0x100000002u);
  EXPECT_EQ(results.obj_attributes->fileid, 0u);
  EXPECT_EQ(results.dir_attributes->fileid, 0u);
  EXPECT_EQ(results.dir_attributes->type, nfs3::FileType3(9));
  EXPECT_NE(results.dir_attributes->size, 0x100000002u);
}

TEST_F(ActionsTest, PokeLengths) {
  AddRules("READ poke=data:0xffffffff\nMNT poke=fhandle.data:0x80000000");
  const Reply read = Read();
  EXPECT_EQ(xdr::LoadUint32(read.results().data() + 4 + 4 + 84 + 8), 0xffffffffu);
  const Reply mnt = talk_.Call(mount3::kMnt, mount3::DirPath{xdr::String<1024>("/export")});
  EXPECT_EQ(xdr::LoadUint32(mnt.results().data() + 4), 0x80000000u);
}

TEST_F(ActionsTest, PokeTransferSizes) {
  const uint32_t sizes[] = {0, 1, 511, 512, 8192, 0xffffffff};
  const nfs3::Fsinfo3Args args = {served_.tree().Handle("/export")};
  for (const uint32_t rtmax : sizes) {
    for (const uint32_t rtpref : sizes) {
      served_.script().Clear();
      AddRules(absl::StrCat("FSINFO poke=rtmax:", rtmax, " poke=rtpref:", rtpref));
      const auto info = talk_.Ask<nfs3::Fsinfo3Res>(nfs3::kFsinfo, args).info;
      EXPECT_EQ(info.rtmax, rtmax);
      EXPECT_EQ(info.rtpref, rtpref);
    }
  }
}

TEST_F(ActionsTest, ReadsFromTheEndOnMayBeAnsweredWrongly) {
  AddRules("READ offset=10.. nth=1 status=INVAL\nREAD offset=10.. nth=2 over=4");
  const nfs3::Read3Args at_end = {File(), 10, 100};
  EXPECT_EQ(talk_.Call(nfs3::kRead, at_end).As<nfs3::Read3Res>().status, Status::kInval);
  const Reply garbage = talk_.Call(nfs3::kRead, at_end);
  EXPECT_EQ(xdr::TextOf(garbage.As<nfs3::Read3Res>().data.view()), "\xee\xee\xee\xee");
  EXPECT_EQ(Read(10).As<nfs3::Read3Res>().count, 10u);
}

TEST_F(ActionsTest, PokeTheHeader) {
  AddRules("READ poke=xid:5");
  EXPECT_EQ(Read().header.xid, 5u);
}

TEST_F(ActionsTest, UniversalAddressesOfAnyForm) {
  served_.Register({.program = nfs3::kProgram, .version = 3, .port = 2049});
  const rpc::Rpcb rpcb = {nfs3::kProgram, 3, rpc::RpcbString("tcp"), {}, {}};
  const rpc::Mapping mapping = {nfs3::kProgram, 3, rpc::IpProtocol::kTcp, 0};
  for (const std::string& address :
       {std::string("::.8.1"), std::string("fe80::1.8.1"), std::string(""), std::string(".1"),
        std::string("::.256.1"), std::string("::.-1.5"), std::string(300, '9')}) {
    served_.script().Clear();
    AddRules("GETADDR uaddr=" + address);
    EXPECT_EQ(talk_.Ask<rpc::GetaddrResult>(rpc::kGetaddr, rpcb).address.text(), address);
    EXPECT_EQ(talk_.Ask<rpc::GetportResult>(rpc::kGetport, mapping).port, 2049u);
  }
}

TEST_F(ActionsTest, AFileThatGrowsWithEachReadUntilItStops) {
  AddRules("READ nth=..50 append=100");
  uint64_t offset = 0;
  for (bool eof = false; !eof;) {
    const nfs3::Read3Args args = {File(), offset, 60};
    const auto read = talk_.Call(nfs3::kRead, args).As<nfs3::Read3Res>();
    offset += read.count;
    eof = read.eof && served_.log().counters().reads > 50;
    ASSERT_LT(served_.log().counters().reads, 200u);
  }
  EXPECT_EQ(offset, 10u + 50 * 100);
}

TEST_F(ActionsTest, FileChanges) {
  AddRules("READ nth=1 append=5\nREAD nth=2 truncate=2\nREAD nth=3 remove");
  EXPECT_EQ(Read(100).As<nfs3::Read3Res>().count, 10u);
  EXPECT_EQ(Read(100).As<nfs3::Read3Res>().count, 15u);
  const nfs3::Read3Args args = ReadArgs();
  EXPECT_EQ(talk_.Call(nfs3::kRead, args).As<nfs3::Read3Res>().count, 2u);
  EXPECT_EQ(talk_.Call(nfs3::kRead, args).As<nfs3::Read3Res>().status, Status::kStale);
}

TEST_F(ActionsTest, ExpiredHandlesAreStaleUntilThereAreNewOnes) {
  AddRules("READ nth=2 expire");
  const auto mount = [&] {
    const mount3::DirPath path = {xdr::String<1024>("/export")};
    return talk_.Ask<mount3::Mountres3>(mount3::kMnt, path).handle;
  };
  const auto lookup = [&](const nfs3::FileHandle3& root) {
    return talk_.Ask<nfs3::Lookup3Res>(nfs3::kLookup,
                                       nfs3::Lookup3Args{root, nfs3::FileName3("file")});
  };
  const auto read = [&](const nfs3::FileHandle3& file) {
    return talk_.Call(nfs3::kRead, nfs3::Read3Args{file, 0, 4}).As<nfs3::Read3Res>().status;
  };
  const nfs3::FileHandle3 root = mount(), file = lookup(root).object;
  EXPECT_EQ(read(file), Status::kOk);
  EXPECT_EQ(read(file), Status::kOk);
  EXPECT_EQ(read(file), Status::kStale);
  EXPECT_EQ(lookup(root).status, Status::kStale);
  const nfs3::FileHandle3 again = lookup(mount()).object;
  EXPECT_NE(again, file);
  EXPECT_EQ(read(again), Status::kOk);
}

TEST_F(ActionsTest, Deny) {
  AddRules("READ deny=AUTH_TOOWEAK");
  const Reply reply = Read();
  EXPECT_EQ(reply.header.state, rpc::ReplyState::kDenied);
  EXPECT_EQ(reply.header.auth, rpc::AuthState::kTooWeak);
  EXPECT_TRUE(reply.results().empty());
}

TEST_F(ActionsTest, Mismatches) {
  AddRules("READ rpc_mismatch=3:4\nLOOKUP prog_mismatch=4:5");
  const Reply denied = Read();
  EXPECT_EQ(denied.header.reject, rpc::RejectState::kRpcMismatch);
  EXPECT_EQ(denied.header.supported.high, 4u);
  const Reply accepted = talk_.Call(nfs3::kLookup, nfs3::Lookup3Args{File(), nfs3::FileName3("x")});
  EXPECT_EQ(accepted.header.accept, rpc::AcceptState::kProgMismatch);
  EXPECT_EQ(accepted.header.supported.high, 5u);
}

TEST_F(ActionsTest, Accept) {
  AddRules("READ accept=SYSTEM_ERR");
  const Reply reply = Read();
  EXPECT_EQ(reply.header.accept, rpc::AcceptState::kSystemErr);
  EXPECT_TRUE(reply.results().empty());
}

TEST_F(ActionsTest, VerifiersOfAnyLength) {
  AddRules("READ nth=1 verifier=2:5\nREAD nth=2 verifier=0:401");
  const Reply reply = Read();
  EXPECT_EQ(reply.header.verifier.flavor, rpc::AuthFlavor::kShort);
  EXPECT_EQ(reply.header.verifier.body.size(), 5u);
  EXPECT_EQ(reply.As<nfs3::Read3Res>().count, 4u);
  EXPECT_EQ(ReadBytes().size(), HonestBytes().size() + 404);
}

TEST_F(ActionsTest, Junk) {
  AddRules("READ junk=3");
  const Reply reply = Read();
  EXPECT_EQ(reply.record.size() + 4, HonestBytes().size() + 3);
  EXPECT_EQ(xdr::TextOf(xdr::ByteView(reply.record).last(3)), "\xee\xee\xee");
}

TEST_F(ActionsTest, Cut) {
  AddRules("READ nth=1 cut=28\nREAD nth=2 cut=-5\nREAD nth=3 cut=99999\nREAD nth=4 cut=0");
  EXPECT_EQ(ReadBytes().size(), 4u + 28);
  EXPECT_EQ(ReadBytes().size(), HonestBytes().size() - 5);
  EXPECT_EQ(ReadBytes().size(), HonestBytes().size());
  EXPECT_EQ(ReadBytes().size(), 4u);
}

TEST_F(ActionsTest, CutAfterTheStatus) {
  AddRules("LOOKUP status=NOENT cut=28");
  const Reply reply = talk_.Call(nfs3::kLookup, nfs3::Lookup3Args{File(), nfs3::FileName3("x")});
  EXPECT_EQ(reply.results().size(), 4u);
}

TEST_F(ActionsTest, Fragments) {
  AddRules("READ frag=9,0,14");
  const Bytes bytes = ReadBytes();
  EXPECT_EQ(xdr::LoadUint32(bytes.data()), 9u);
  EXPECT_EQ(xdr::LoadUint32(bytes.data() + 4 + 9), 0u);
  EXPECT_EQ(xdr::LoadUint32(bytes.data() + 4 + 9 + 4), 14u);
  const std::vector<Reply> replies = DecodeReplies(bytes);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(xdr::TextOf(replies[0].As<nfs3::Read3Res>().data.view()), "0123");
}

TEST_F(ActionsTest, FragmentsOfEverySize) {
  const size_t size = HonestBytes().size() - 4;
  for (size_t each = 1; each <= size + 1; ++each) {
    served_.script().Clear();
    served_.script().Add({{}, {.fragments = {{each}}}});
    EXPECT_EQ(ReadBytes().size(), size + 4 * ((size + each - 1) / each)) << each;
    EXPECT_EQ(Read().As<nfs3::Read3Res>().count, 4u) << each;
  }
}

TEST_F(ActionsTest, Raw) {
  AddRules("READ nth=1 raw=HTTP/1.1%20400%0d%0a\nREAD nth=2 raw=%ff%ff%ff%ff");
  EXPECT_EQ(xdr::TextOf(ReadBytes()), "HTTP/1.1 400\r\n");
  EXPECT_EQ(xdr::TextOf(ReadBytes()), "\xff\xff\xff\xff");
  EXPECT_EQ(Read().As<nfs3::Read3Res>().count, 4u);
}

TEST_F(ActionsTest, Drop) {
  AddRules("READ nth=1 drop");
  SendRead();
  EXPECT_TRUE(talk_.TakeDuring(absl::Hours(1)).empty());
  EXPECT_EQ(verdict(), Verdict::Kind::kOpen);
  EXPECT_EQ(Read().As<nfs3::Read3Res>().count, 4u);
}

TEST_F(ActionsTest, Duplicate) {
  AddRules("READ dup=20ms append=1");
  const uint32_t xid = SendRead(100);
  EXPECT_EQ(talk_.Take().size(), 1u);
  const std::vector<Reply> again = talk_.TakeDuring(absl::Milliseconds(20));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].header.xid, xid);
  EXPECT_EQ(served_.log().counters().reads_in_flight, 0u);
  // The file has grown once.
  served_.script().Clear();
  EXPECT_EQ(Read(100).As<nfs3::Read3Res>().count, 11u);
}

TEST_F(ActionsTest, HoldAndReorder) {
  AddRules("READ hold=3 order=2,0");
  std::vector<uint32_t> sent, came;
  for (int i = 0; i < 3; ++i) sent.push_back(SendRead());
  for (const Reply& reply : talk_.Take()) came.push_back(reply.header.xid);
  EXPECT_EQ(came, (std::vector<uint32_t>{sent[2], sent[0], sent[1]}));
}

TEST_F(ActionsTest, HoldGivesUpAfterAWhile) {
  AddRules("READ hold=4 order=3,2,1,0");
  const uint32_t first = SendRead(), second = SendRead();
  const absl::Time start = talk_.now();
  const std::vector<Reply> replies = talk_.TakeDuring(absl::Seconds(1));
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].header.xid, second);
  EXPECT_EQ(replies[1].header.xid, first);
  EXPECT_EQ(replies[0].came - start, kLongestHold);
}

TEST_F(ActionsTest, Split) {
  AddRules("READ nth=1 split=1,2");
  const size_t size = HonestBytes().size();
  SendRead();
  SendRead();
  EXPECT_EQ(talk_.TakeBytes().size(), 1u);
  EXPECT_EQ(talk_.connection().NextTime(), talk_.now() + kSplitPause);
  talk_.Advance(kSplitPause);
  EXPECT_EQ(talk_.TakeBytes().size(), 2u);
  EXPECT_EQ(talk_.TakeBytes().size(), 0u);
  talk_.Advance(kSplitPause);
  // The rest of it, and all of the next.
  EXPECT_EQ(talk_.TakeBytes().size(), size - 3 + size);
}

TEST_F(ActionsTest, FinAfterTheReply) {
  AddRules("READ fin");
  SendRead();
  SendRead();
  EXPECT_EQ(verdict(), Verdict::Kind::kOpen);
  EXPECT_EQ(talk_.Take().size(), 1u);
  EXPECT_EQ(verdict(), Verdict::Kind::kFin);
}

TEST_F(ActionsTest, ResetInsideTheReply) {
  AddRules("READ rst=7 refuse=3s");
  EXPECT_EQ(ReadBytes().size(), 7u);
  EXPECT_EQ(verdict(), Verdict::Kind::kReset);
  EXPECT_EQ(talk_.connection().verdict().refuse, absl::Seconds(3));
}

TEST_F(ActionsTest, ResetInsteadOfTheReply) {
  AddRules("READ nth=2 rst=0");
  SendRead();
  SendRead();
  EXPECT_EQ(talk_.Take().size(), 1u);
  EXPECT_EQ(verdict(), Verdict::Kind::kReset);
}

TEST_F(ActionsTest, DropAndFinAreFinAlone) {
  AddRules("READ drop fin");
  EXPECT_EQ(ReadBytes().size(), 0u);
  EXPECT_EQ(verdict(), Verdict::Kind::kFin);
}

TEST_F(ActionsTest, SilentConnections) {
  AddRules("CONNECT nth=1 silent");
  Conversation talk(served_);  // the second: talk_ was there before the rule
  talk.Send(nfs3::kRead, ReadArgs());
  EXPECT_TRUE(talk.TakeDuring(absl::Hours(1)).empty());
  Conversation next(served_);
  EXPECT_EQ(next.Call(nfs3::kRead, ReadArgs()).As<nfs3::Read3Res>().count, 4u);
}

TEST_F(ActionsTest, Greetings) {
  AddRules("CONNECT nth=1 raw=hello split=2 delay=1s fin=4");
  Conversation talk(served_);
  EXPECT_TRUE(talk.TakeBytes().empty());
  talk.Advance(absl::Seconds(1));
  EXPECT_EQ(xdr::TextOf(talk.TakeBytes()), "he");
  talk.Advance(kSplitPause);
  EXPECT_EQ(xdr::TextOf(talk.TakeBytes()), "ll");
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kFin);
}

TEST_F(ActionsTest, ResetOfAConnectAtOnce) {
  AddRules("CONNECT rst");
  Conversation talk(served_);
  EXPECT_TRUE(talk.TakeBytes().empty());
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kReset);
}

TEST_F(ActionsTest, SlowReadersTakeSoManyBytesInSoMuchTime) {
  AddRules("CONNECT slow_read=100:1s");
  Conversation talk(served_);
  const Bytes call = EncodeCall(7, nfs3::kRead, ReadArgs(), User(0, 0));
  ASSERT_GT(call.size(), 100u);
  ASSERT_LT(call.size(), 200u);
  EXPECT_EQ(talk.FeedSome(call), 100u);
  EXPECT_EQ(talk.FeedSome(call), 0u);
  EXPECT_EQ(talk.connection().NextTime(), talk.now() + absl::Seconds(1));
  talk.Advance(absl::Seconds(1));
  talk.Feed(xdr::ByteView(call).subspan(100));
  EXPECT_EQ(talk.Take().size(), 1u);
  EXPECT_EQ(talk.connection().NextTime(), absl::InfiniteFuture());
}

TEST_F(ActionsTest, SlowReadersStillParseStrictly) {
  AddRules("CONNECT slow_read=1:1ms");
  Conversation talk(served_);
  Bytes calls = EncodeCall(7, nfs3::kRead, ReadArgs(), User(0, 0));
  const Bytes second = EncodeCall(8, nfs3::kRead, ReadArgs(), User(0, 0));
  // The start of the second is lost, as by a client that loses count.
  calls.insert(calls.end(), second.begin() + 4, second.end());
  size_t replies = 0;
  for (const std::byte& byte : calls) {
    talk.FeedSome(xdr::ByteView(&byte, 1));
    replies += talk.Take().size();
    talk.Advance(absl::Milliseconds(1));
  }
  EXPECT_EQ(replies, 1u);
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kFin);
  EXPECT_EQ(served_.log().counters().garbage_records, 1u);
}

TEST_F(ActionsTest, StopReadingAfterSoManyBytesAndReset) {
  AddRules("CONNECT slow_read=50:1h delay=2s rst");
  Conversation talk(served_);
  EXPECT_EQ(talk.FeedSome(EncodeCall(7, nfs3::kRead, ReadArgs(), User(0, 0))), 50u);
  EXPECT_TRUE(talk.TakeBytes().empty());
  EXPECT_EQ(talk.connection().NextTime(), talk.now() + absl::Seconds(2));
  talk.Advance(absl::Seconds(2));
  EXPECT_TRUE(talk.TakeBytes().empty());
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kReset);
}

TEST_F(ActionsTest, IdleConnectionsAreClosed) {
  AddRules("CONNECT idle=2s\nREAD delay=3s");
  Conversation talk(served_);
  talk.Advance(absl::Seconds(1));
  talk.Send(nfs3::kRead, ReadArgs());
  EXPECT_EQ(talk.TakeDuring(absl::Seconds(4)).size(), 1u);
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kOpen);
  talk.Advance(absl::Seconds(1));
  EXPECT_TRUE(talk.TakeBytes().empty());
  EXPECT_EQ(talk.connection().verdict().kind, Verdict::Kind::kFin);
}

}  // namespace
}  // namespace server
