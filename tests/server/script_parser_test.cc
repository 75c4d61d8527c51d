#include "tests/server/script_parser.h"

#include <string>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"

namespace server {
namespace {

using testing::HasSubstr;

Rule Parsed(absl::string_view line) {
  const absl::StatusOr<Rule> rule = ParseRule(line);
  EXPECT_TRUE(rule.ok()) << rule.status();
  return rule.value_or(Rule());
}
Conditions ConditionsOf(absl::string_view line) { return Parsed(line).conditions; }
Actions ActionsOf(absl::string_view line) { return Parsed(line).actions; }

std::string ErrorOf(absl::string_view line) {
  const absl::StatusOr<Rule> rule = ParseRule(line);
  EXPECT_FALSE(rule.ok()) << line;
  return std::string(rule.status().message());
}

TEST(ParseRule, KnowsWho) {
  EXPECT_EQ(ConditionsOf("READ").procedure, nfs3::kRead.number);
  EXPECT_EQ(ConditionsOf("MNT").program, mount3::kProgram);
  EXPECT_EQ(ConditionsOf("MOUNT.NULL").program, mount3::kProgram);
  EXPECT_EQ(ConditionsOf("GETPORT").program, rpc::kRpcbindProgram);
  EXPECT_EQ(ConditionsOf("NFS").program, nfs3::kProgram);
  EXPECT_EQ(ConditionsOf("NFS").procedure, std::nullopt);
  EXPECT_EQ(ConditionsOf("*").program, std::nullopt);
  EXPECT_TRUE(ConditionsOf("CONNECT").is_connect);
}

TEST(ParseRule, KnowsConditions) {
  const Conditions conditions = ConditionsOf(
      "READ transport=tcp connection=2 port=1024.. offset=4K..8K nth=..9 every=3 chance=0.5");
  EXPECT_EQ(conditions.transport, Transport::kTcp);
  EXPECT_EQ(conditions.connection.first, 2u);
  EXPECT_EQ(conditions.connection.last, 2u);
  EXPECT_EQ(conditions.source_port.first, 1024u);
  EXPECT_EQ(conditions.source_port.last, UINT64_MAX);
  EXPECT_EQ(conditions.offset.first, 4096u);
  EXPECT_EQ(conditions.offset.last, 8192u);
  EXPECT_EQ(conditions.nth.last, 9u);
  EXPECT_EQ(conditions.every, 3u);
  EXPECT_EQ(conditions.chance, 0.5);
  EXPECT_EQ(ConditionsOf("MOUNT transport=udp nth=1 drop").transport, Transport::kUdp);
  EXPECT_EQ(ConditionsOf("READ").transport, std::nullopt);
  EXPECT_EQ(ConditionsOf("MNT uid=0").uid.last, 0u);
  EXPECT_EQ(ConditionsOf("LOOKUP name=a%20b%ff").name, "a b\xff");
}

TEST(ParseRule, KnowsStatuses) {
  EXPECT_EQ(ActionsOf("READ status=70").status, 70u);
  EXPECT_EQ(ActionsOf("READ status=0x41414141").status, 0x41414141u);
  EXPECT_EQ(ActionsOf("READ status=STALE").status, 70u);
  EXPECT_EQ(ActionsOf("READ status=NFS3ERR_JUKEBOX").status, 10008u);
  EXPECT_EQ(ActionsOf("READ status=OK").status, 0u);
  EXPECT_EQ(ActionsOf("MNT status=MNT3ERR_ACCES").status, 13u);
  EXPECT_EQ(ActionsOf("READ stale").status, 70u);
}

TEST(ParseRule, CountsJukeboxesFromTheNth) {
  const Rule rule = Parsed("READ jukebox=3");
  EXPECT_EQ(rule.actions.status, 10008u);
  EXPECT_EQ(rule.conditions.nth.first, 1u);
  EXPECT_EQ(rule.conditions.nth.last, 3u);
  EXPECT_EQ(ConditionsOf("READ jukebox=3 nth=5").nth.last, 7u);
  EXPECT_EQ(ConditionsOf("READ nth=5.. jukebox=3").nth.last, 7u);
}

TEST(ParseRule, KnowsResultActions) {
  const Actions actions =
      ActionsOf("READ noattr short=0x10 over=1K eof=false poke=data:7 poke=eof:2");
  EXPECT_EQ(actions.no_attributes, "");
  EXPECT_EQ(actions.short_read, 16u);
  EXPECT_EQ(actions.over, 1024u);
  EXPECT_EQ(actions.eof, false);
  ASSERT_EQ(actions.pokes->size(), 2u);
  EXPECT_EQ((*actions.pokes)[0].field, "data");
  EXPECT_EQ((*actions.pokes)[0].value, 7u);
}

TEST(ParseRule, KnowsWhichAttributesAreAbsent) {
  EXPECT_EQ(ActionsOf("LOOKUP noattr=obj_attributes").no_attributes, "obj_attributes");
  EXPECT_EQ(ActionsOf("NFS noattr=file_attributes").no_attributes, "file_attributes");
  EXPECT_FALSE(ParseRule("READ noattr=obj_attributes").ok());
  EXPECT_FALSE(ParseRule("READ noattr=size").ok());
  EXPECT_FALSE(ParseRule("READ noattr=").ok());
}

TEST(ParseRule, KnowsUniversalAddresses) {
  EXPECT_EQ(ActionsOf("GETADDR uaddr=::.256.1").universal_address, "::.256.1");
  EXPECT_EQ(ActionsOf("GETADDR uaddr=").universal_address, "");
  EXPECT_FALSE(ParseRule("READ uaddr=x").ok());
  EXPECT_FALSE(ParseRule("GETADDR uaddr=" + std::string(1025, 'x')).ok());
}

TEST(ParseRule, KnowsFileChanges) {
  using Kind = FileChange::Kind;
  EXPECT_EQ(ActionsOf("READ append=100").file_change->kind, Kind::kAppend);
  EXPECT_EQ(ActionsOf("READ append=100").file_change->bytes, 100u);
  EXPECT_EQ(ActionsOf("READ truncate=0").file_change->kind, Kind::kTruncate);
  EXPECT_EQ(ActionsOf("GETATTR rewrite").file_change->kind, Kind::kRewrite);
  EXPECT_EQ(ActionsOf("READ replace").file_change->kind, Kind::kReplace);
  EXPECT_EQ(ActionsOf("ACCESS remove").file_change->kind, Kind::kRemove);
}

TEST(ParseRule, KnowsWhatHappensToTheServer) {
  EXPECT_EQ(ActionsOf("READ nth=5 expire").expire, true);
  EXPECT_EQ(ActionsOf("* boot").boot, true);
}

TEST(ParseRule, KnowsRpcActions) {
  EXPECT_EQ(ActionsOf("* deny=AUTH_TOOWEAK").deny, 5u);
  EXPECT_EQ(ActionsOf("* deny=99").deny, 99u);
  EXPECT_EQ(ActionsOf("* accept=GARBAGE_ARGS").accept, 4u);
  EXPECT_EQ(ActionsOf("* rpc_mismatch=2:3").rpc_mismatch->high, 3u);
  EXPECT_EQ(ActionsOf("* prog_mismatch=4:4").prog_mismatch->low, 4u);
  EXPECT_EQ(ActionsOf("* verifier=2:401").verifier->bytes, 401u);
}

TEST(ParseRule, KnowsRecordActions) {
  EXPECT_EQ(ActionsOf("* junk=3").junk, 3u);
  EXPECT_EQ(ActionsOf("* cut=28").cut, 28);
  EXPECT_EQ(ActionsOf("* cut=-2").cut, -2);
  EXPECT_EQ(*ActionsOf("* frag=9,0,14").fragments, (std::vector<size_t>{9, 0, 14}));
  EXPECT_EQ(ActionsOf("* raw=HTTP/1.1%0d%0a").raw, "HTTP/1.1\r\n");
}

TEST(ParseRule, KnowsWhen) {
  const Actions actions = ActionsOf("* delay=1.5s dup=10ms hold=3 order=2,0");
  EXPECT_EQ(actions.delay, absl::Milliseconds(1500));
  EXPECT_EQ(actions.duplicate, absl::Milliseconds(10));
  EXPECT_EQ(actions.hold->replies, 3u);
  EXPECT_EQ(actions.hold->order, (std::vector<size_t>{2, 0}));
  EXPECT_EQ(ActionsOf("* drop").drop, true);
}

TEST(ParseRule, KnowsConnectionActions) {
  EXPECT_EQ(ActionsOf("* fin").ending->kind, Ending::Kind::kFin);
  EXPECT_EQ(ActionsOf("* fin").ending->after_bytes, SIZE_MAX);
  EXPECT_EQ(ActionsOf("* rst=7").ending->kind, Ending::Kind::kReset);
  EXPECT_EQ(ActionsOf("* rst=7").ending->after_bytes, 7u);
  EXPECT_EQ(ActionsOf("* rst refuse=5s").refuse, absl::Seconds(5));
  EXPECT_EQ(*ActionsOf("* split=1,2").split, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(ActionsOf("CONNECT silent").silent, true);
  EXPECT_EQ(ActionsOf("CONNECT idle=2s").idle, absl::Seconds(2));
  EXPECT_EQ(ActionsOf("CONNECT slow_read=2K:1ms").slow_read->bytes, 2048u);
  EXPECT_EQ(ActionsOf("CONNECT slow_read=2K:1ms").slow_read->each, absl::Milliseconds(1));
  EXPECT_EQ(ActionsOf("CONNECT raw=%ff delay=1s split=1 fin").delay, absl::Seconds(1));
}

TEST(ParseRule, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorOf("READ statos=3"), HasSubstr("\"statos=3\" is neither a condition nor"));
  EXPECT_THAT(ErrorOf("READ status"), HasSubstr("needs a status"));
  EXPECT_THAT(ErrorOf("READ status=NOPE"), HasSubstr("it takes a status, like 70 or STALE"));
  EXPECT_THAT(ErrorOf("REED"), HasSubstr("\"REED\" is no procedure"));
  EXPECT_THAT(ErrorOf("NULL"), HasSubstr("\"NULL\" is no procedure"));
  EXPECT_THAT(ErrorOf("READ delay=1s delay=2s"), HasSubstr("is there already"));
  EXPECT_THAT(ErrorOf("READ drop=1"), HasSubstr("takes no value"));
  EXPECT_THAT(ErrorOf("READ poke=sise:1"), HasSubstr("\"sise\" is no field of these replies"));
  EXPECT_THAT(ErrorOf("LOOKUP short=1"), HasSubstr("has no effect on these"));
}

TEST(ParseRule, RefusesNonsense) {
  for (const char* line : {"",
                           "read",
                           "READ nth=0",
                           "READ nth=",
                           "READ nth=x",
                           "READ nth=3..2",
                           "READ nth=..",
                           "READ nth=1..2..3",
                           "READ every=0",
                           "READ chance=2",
                           "READ chance=nan",
                           "READ short=-1",
                           "READ short=4G",
                           "READ short= 5",
                           "READ over=1KB",
                           "READ eof=maybe",
                           "READ eof=1",
                           "READ delay=5",
                           "READ delay=-1s",
                           "READ delay=",
                           "READ frag=",
                           "READ frag=1,,2",
                           "READ frag=1,0",
                           "READ split=0",
                           "READ split=1,0",
                           "READ cut=--1",
                           "READ cut=x",
                           "READ poke=size",
                           "READ poke=:1",
                           "READ poke=size:",
                           "READ raw=%4",
                           "READ raw=%zz",
                           "READ verifier=2",
                           "READ verifier=2:2M",
                           "READ deny=NOPE",
                           "READ accept=9999999999",
                           "READ rpc_mismatch=2",
                           "READ order=1,0",
                           "READ refuse=1s",
                           "READ fin=",
                           "READ rst=x",
                           "READ =3",
                           "READ nth=2..3 jukebox=2",
                           "READ jukebox=0",
                           "READ stale=1",
                           "READ offset=18446744073709551616",
                           "READ offset=17179869184G",
                           "MNT eof=true",
                           "MNT noattr",
                           "GETATTR noattr",
                           "MNT jukebox=1",
                           "MNT append=1",
                           "UMNT status=1",
                           "LOOKUP append=1",
                           "NFS.NULL status=5",
                           "READ name=x",
                           "READ silent",
                           "READ idle=1s",
                           "READ poke=fhandle.data:1",
                           "CONNECT status=5",
                           "CONNECT drop",
                           "CONNECT delay=1s",
                           "CONNECT split=1",
                           "CONNECT name=x",
                           "CONNECT expire",
                           "CONNECT boot",
                           "READ boot=1",
                           "CONNECT slow_read=5",
                           "CONNECT slow_read=0:1s",
                           "CONNECT slow_read=5:0s",
                           "CONNECT slow_read=1s:5",
                           "READ slow_read=5:1s",
                           "CONNECT transport=tcp",
                           "READ transport=sctp",
                           "READ transport=udp frag=1",
                           "READ transport=udp split=1",
                           "READ transport=udp fin",
                           "READ transport=udp rst=0 refuse=1s",
                           "READ transport=udp connection=1",
                           "GETPORT status=5",
                           "RPCBIND stale"}) {
    EXPECT_FALSE(ParseRule(line).ok()) << line;
  }
}

TEST(ParseRule, PokesWhatTheRepliesHave) {
  for (const char* line : {"READ poke=data:1",
                           "READ poke=file_attributes.size:1",
                           "READ poke=file_attributes:0",
                           "LOOKUP poke=object.data:65",
                           "LOOKUP poke=dir_attributes.type:9",
                           "MNT poke=auth_flavors:1",
                           "MNT poke=auth_flavors.[]:6",
                           "EXPORT poke=ex_groups.[].gr_name:1",
                           "FSINFO poke=rtmax:0",
                           "GETPORT poke=port:0",
                           "READ poke=xid:0",
                           "* poke=verf.body:401",
                           "* poke=size:0",
                           "* poke=mismatch.low:0",
                           "READLINK poke=data:0xffffffff",
                           "GETATTR poke=uid:0xfffffffe",
                           "GETATTR poke=mtime.nseconds:3507880968",
                           "GETATTR poke=mtime.seconds:0xffffffff",
                           "LOOKUP poke=obj_attributes.nlink:0",
                           "LOOKUP poke=fileid:0 poke=type:9",
                           "READ poke=used:0",
                           "NFS poke=size:0xffffffffffffffff",
                           "FSINFO poke=rtmult:0x80000000",
                           "EXPORT poke=ex_dir:0xfffffffc",
                           "GETADDR poke=uaddr:0x7fffffff"}) {
    EXPECT_TRUE(ParseRule(line).ok()) << line << ": " << ParseRule(line).status();
  }
}

TEST(ParseScript, TakesLines) {
  const auto rules = ParseScript("# comment\n\n  READ status=5  \r\nMNT\tstatus=13\n");
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_EQ(rules->size(), 2u);
  EXPECT_EQ((*rules)[1].actions.status, 13u);
  EXPECT_EQ(ParseScript("")->size(), 0u);
}

TEST(ParseScript, SaysWhichLineIsWrong) {
  EXPECT_THAT(ParseScript("READ drop\n\nREAD dorp\n").status().message(), HasSubstr("line 3: "));
}

}  // namespace
}  // namespace server
