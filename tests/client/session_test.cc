// The opening story over a simulated network: ports, exports, paths, refusals.
#include "client/session/session.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"
#include "tests/server/service.h"

namespace nfs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  SessionTest() { world_.tree().AddFile("/export/dir/file", server::BytesContents("hello")); }

  void Rules(const char* rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()) << rules; }

  void ExpectOpens(absl::string_view path, uint64_t size = 5) {
    const auto session = world_.Open(path);
    ASSERT_TRUE(session.ok()) << path << ": " << session.status();
    EXPECT_EQ((*session)->file().attributes.size, size);
  }

  void ExpectFails(absl::string_view path, ErrorKind kind, const char* words) {
    const auto session = world_.Open(path);
    EXPECT_EQ(KindOf(session.status()), kind) << path << ": " << session.status();
    EXPECT_THAT(std::string(session.status().message()), HasSubstr(words)) << path;
  }

  std::vector<std::string> MountedPaths() {
    std::vector<std::string> paths;
    for (const server::Call& call : world_.server().log().calls(mount3::kMnt)) {
      paths.push_back(call.arguments.name);
    }
    return paths;
  }

  size_t CallsOf(const rpc::Procedure& procedure) {
    const std::vector<server::Call> calls = world_.server().log().calls(procedure);
    return static_cast<size_t>(std::ranges::count_if(
        calls, [&](const server::Call& call) { return call.version == procedure.version; }));
  }

  SimulatedWorld world_;
};

// --- Ports -----------------------------------------------------------------------

TEST_F(SessionTest, FindsItsPortsByOneConnectionToRpcbind) {
  ExpectOpens("/export/dir/file");
  EXPECT_EQ(CallsOf(rpc::kGetport), 2u);
  // rpcbind, MOUNT, NFS, and MOUNT again to say goodbye.
  EXPECT_LE(world_.server().log().counters().connections, 4u);
}

TEST_F(SessionTest, WithBothPortsGivenDoesNotAskRpcbind) {
  world_.SetLink(rpc::kRpcbindPort, {.answers = false});
  world_.options().port = 2049;
  world_.options().mount_port = SimulatedWorld::kMountPort;
  ExpectOpens("/export/dir/file");
}

TEST_F(SessionTest, AsksVersionFourWhenVersionTwoKnowsNothing) {
  Rules("GETPORT poke=port:0");
  ExpectOpens("/export/dir/file");
  EXPECT_EQ(CallsOf(rpc::kGetaddr), 2u);
}

TEST_F(SessionTest, WithoutRpcbindTriesMountOnTheNfsPort) {
  world_.simulated().Listen(world_.At(20490), {.nfs = true, .mount = true});
  world_.SetLink(rpc::kRpcbindPort, {.answers = false});
  world_.options().port = 20490;
  ExpectOpens("/export/dir/file");
}

TEST_F(SessionTest, WithoutRpcbindAndWithoutMountOnTheNfsPortSaysWhatWouldHelp) {
  world_.SetLink(rpc::kRpcbindPort, {.answers = false});
  ExpectFails("/export/dir/file", ErrorKind::kUnreachable, "give --port and --mountport");
}

TEST_F(SessionTest, AnUnregisteredProgramIsUnreachable) {
  world_.server().SetRegistrations({{.program = nfs3::kProgram, .version = 3, .port = 2049}});
  ExpectFails("/export/dir/file", ErrorKind::kUnreachable, "program 100005 version 3");
}

TEST_F(SessionTest, AServerThatIsNotThereIsUnreachable) {
  world_.simulated().Stop();
  ExpectFails("/export/dir/file", ErrorKind::kUnreachable, "ECONNREFUSED");
}

TEST_F(SessionTest, AServerThatNeverAnswersAConnectFailsWithinTheTimeout) {
  world_.SetLinks({.answers = false});
  world_.options().port = 2049;
  world_.options().mount_port = SimulatedWorld::kMountPort;
  world_.options().connect_timeout = absl::Seconds(3);
  const absl::Time start = world_.network().now();
  ExpectFails("/export/dir/file", ErrorKind::kUnreachable, "no answer within 3s");
  // EXPORT and MNT each try to connect.
  EXPECT_LE(world_.network().now() - start, 2 * absl::Seconds(3));
}

TEST_F(SessionTest, AServerThatAcceptsAndIsSilentTimesOut) {
  Rules("CONNECT silent");
  world_.options().timeout = absl::Seconds(1);
  world_.options().retransmissions = 1;
  world_.options().mount_port = SimulatedWorld::kMountPort;
  ExpectFails("/export/dir/file", ErrorKind::kTimedOut, "MNT: RPC: no reply within 2s");
}

TEST_F(SessionTest, TheReservedPortIsUsedWhenThereIsTheRight) {
  ExpectOpens("/export/dir/file");
  for (const server::Call& call : world_.server().log().calls()) {
    const bool is_reserved = call.peer.source_port < 1024;
    // The reserved ports are few, and rpcbind does not ask for them.
    EXPECT_EQ(is_reserved, call.program != rpc::kRpcbindProgram) << server::LogLine(call);
  }
}

TEST_F(SessionTest, InsistingOnAReservedPortWithoutTheRightFailsHere) {
  world_.network().set_privileged(false);
  ExpectOpens("/export/dir/file");
  world_.options().reserved_port = ReservedPort::kInsist;
  ExpectFails("/export/dir/file", ErrorKind::kLocal, "");
}

// --- Exports ---------------------------------------------------------------------

TEST_F(SessionTest, MountsTheLongestExportInTheServersSpelling) {
  world_.server().SetExports({{.path = "/export"}, {.path = "/export/dir/"}, {.path = "/other"}});
  ExpectOpens("/export/dir/file");
  EXPECT_THAT(MountedPaths(), ElementsAre("/export/dir/"));
}

TEST_F(SessionTest, WithoutAListOfExportsTriesThePathFromItsWholeLengthUp) {
  Rules("EXPORT accept=PROC_UNAVAIL");
  world_.server().SetExports({{.path = "/export", .subdirectories = false}});
  ExpectOpens("/export/dir/file");
  EXPECT_THAT(MountedPaths(), ElementsAre("/export/dir/file", "/export/dir", "/export"));
}

TEST_F(SessionTest, AnExportListThatNeverComesCostsFiveSecondsAndNoMore) {
  Rules("EXPORT drop");
  const absl::Time start = world_.network().now();
  ExpectOpens("/export/dir/file");
  EXPECT_LE(world_.network().now() - start, absl::Seconds(5));
}

TEST_F(SessionTest, AMountRefusedNamesTheStatusAndWhatTheServerOffers) {
  world_.server().SetExports({{.path = "/a"}, {.path = "/b"}});
  ExpectFails("/export/dir/file", ErrorKind::kMountRefused, "MNT: MNT3ERR_");
  ExpectFails("/export/dir/file", ErrorKind::kMountRefused, "; the server exports: /a, /b");
}

TEST_F(SessionTest, ThatAPathIsForbiddenSaysMoreThanThatAnotherIsNotThere) {
  Rules("EXPORT accept=PROC_UNAVAIL\nMNT status=NOENT\nMNT name=/export status=ACCES");
  ExpectFails("/export/dir/file", ErrorKind::kMountRefused, "MNT3ERR_ACCES (13)");
}

TEST_F(SessionTest, AFlavorThatTheExportDoesNotTakeIsNamedWithThoseItTakes) {
  world_.server().SetExports(
      {{.path = "/export", .flavors = {rpc::AuthFlavor::kNone, rpc::AuthFlavor::kRpcSecGss}}});
  ExpectFails("/export/dir/file", ErrorKind::kMountRefused,
              "does not take AUTH_SYS for this export, but AUTH_NONE (0), RPCSEC_GSS (6)");
  world_.options().security = Security::kNone;
  ExpectOpens("/export/dir/file");
}

TEST_F(SessionTest, UnmountsWhenItIsClosed) {
  ExpectOpens("/export/dir/file");
  EXPECT_EQ(world_.server().log().counters().unmounts, 1u);
}

TEST_F(SessionTest, AnUnmountThatIsNeverAnsweredCostsASecond) {
  Rules("UMNT drop");
  const absl::Time start = world_.network().now();
  ExpectOpens("/export/dir/file");
  EXPECT_EQ(world_.network().now() - start, absl::Seconds(1));
}

// --- Paths -----------------------------------------------------------------------

TEST_F(SessionTest, WalksDotsAndDotDotsInsideTheExport) {
  ExpectOpens("/export/./dir/../dir/file");
  ExpectFails("/export/../secret", ErrorKind::kNfs, "\"..\" leads outside the export \"/export\"");
}

TEST_F(SessionTest, FollowsLinksInsideTheExport) {
  world_.tree().AddSymlink("/export/relative", "dir/file");
  world_.tree().AddSymlink("/export/dir/up", "../dir/file");
  world_.tree().AddSymlink("/export/absolute", "/export/dir/file");
  world_.tree().AddSymlink("/export/todir", "dir");
  world_.tree().AddSymlink("/export/chain", "relative");
  for (const char* path : {"/export/relative", "/export/dir/up", "/export/absolute",
                           "/export/todir/file", "/export/chain", "/export/todir/up"}) {
    ExpectOpens(path);
  }
}

TEST_F(SessionTest, ALinkThatLeadsOutsideSaysWhereTo) {
  world_.tree().AddSymlink("/export/away", "/etc/passwd");
  world_.tree().AddSymlink("/export/up", "../../etc/passwd");
  ExpectFails("/export/away", ErrorKind::kNfs,
              "leads outside the export \"/export\", to \"/etc/passwd\"");
  ExpectFails("/export/up", ErrorKind::kNfs, "leads outside the export");
}

TEST_F(SessionTest, FortyLinksAreFollowedAndNoMore) {
  world_.tree().AddSymlink("/export/l1", "dir/file");
  for (int i = 2; i <= 41; ++i) {
    world_.tree().AddSymlink(absl::StrCat("/export/l", i), absl::StrCat("l", i - 1));
  }
  ExpectOpens("/export/l40");
  ExpectFails("/export/l41", ErrorKind::kNfs, "more than 40 levels of symbolic links");
  world_.tree().AddSymlink("/export/loop", "loop");
  ExpectFails("/export/loop", ErrorKind::kNfs, "more than 40 levels of symbolic links");
}

TEST_F(SessionTest, APathThatEndsNowhereNamesTheProcedureAndTheName) {
  ExpectFails("/export/dir/missing", ErrorKind::kNfs,
              "LOOKUP: NFS3ERR_NOENT (2): No such file or directory: \"missing\" [127.0.0.1:2049]");
  ExpectFails("/export/dir/file/below", ErrorKind::kNfs, "NFS3ERR_NOTDIR (20)");
  ExpectFails("/export/dir/bad\x01name", ErrorKind::kNfs, "\"bad\\x01name\"");
  ExpectFails("/export/" + std::string(256, 'x'), ErrorKind::kNfs, "NFS3ERR_NAMETOOLONG (63)");
}

TEST_F(SessionTest, OnlyARegularFileIsOpened) {
  world_.tree().AddSpecial("/export/pipe", nfs3::FileType3::kFifo);
  ExpectFails("/export/dir", ErrorKind::kNfs, "READ: NFS3ERR_ISDIR (21): Is a directory");
  ExpectFails("/export", ErrorKind::kNfs, "NFS3ERR_ISDIR (21)");
  ExpectFails("/export/pipe", ErrorKind::kNfs, "named pipe, not a regular file");
}

TEST_F(SessionTest, ADirectoryThatMayNotBeSearchedNamesWhoAsked) {
  world_.tree().SetOwnership("/export/dir", {.mode = 0700, .uid = 1, .gid = 1});
  world_.options().uid = 12345;
  world_.options().gid = 678;
  ExpectFails("/export/dir/file", ErrorKind::kNfs, "LOOKUP: NFS3ERR_ACCES (13)");
  ExpectFails("/export/dir/file", ErrorKind::kNfs,
              "asked as uid 12345, gid 678 (see --uid, --gid, --groups)");
}

TEST_F(SessionTest, TheIdentityTravelsWithEveryCall) {
  world_.options().uid = 7;
  world_.options().gid = 8;
  world_.options().groups = {{9, 10}};
  ExpectOpens("/export/dir/file");
  for (const server::Call& call : world_.server().log().calls()) {
    if (call.program == rpc::kRpcbindProgram) continue;
    EXPECT_EQ(call.identity.uid, 7u) << server::LogLine(call);
    EXPECT_EQ(call.identity.gid, 8u);
    EXPECT_THAT(call.identity.groups, ElementsAre(9, 10));
  }
}

TEST_F(SessionTest, AsksForAttributesWhereLookupGivesNone) {
  Rules("LOOKUP noattr");
  ExpectOpens("/export/dir/file");
  EXPECT_GE(CallsOf(nfs3::kGetattr), 1u);
}

// --- Sizes -----------------------------------------------------------------------

TEST_F(SessionTest, ReadsAsMuchAsServerAndUserAgreeOn) {
  struct Case {
    uint32_t asked, rtpref, rtmax, expected;
  };
  constexpr uint32_t kMiB = 1 << 20;
  const Case kCases[] = {
      {0, kMiB, kMiB, kMiB},
      {0, 65536, kMiB, 65536},
      {0, 4 * kMiB, 4 * kMiB, kMiB},
      {0, kMiB, 65536, 65536},
      {0, 0, 0, 32768},
      {0, 0, 65536, 65536},
      {0, 1, 1, 4096},
      {0, 512, 0, 4096},
      {8192, kMiB, kMiB, 8192},
      {4 * kMiB, kMiB, kMiB, kMiB},
      {2 * kMiB, 0, 0, 2 * kMiB},
  };
  for (const Case& c : kCases) {
    server::NfsSettings settings;
    settings.fsinfo.rtpref = c.rtpref;
    settings.fsinfo.rtmax = c.rtmax;
    world_.server().SetNfs(settings);
    world_.options().rsize = c.asked;
    const auto session = world_.Open("/export/dir/file");
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ((*session)->rsize(), c.expected) << c.asked << " " << c.rtpref << " " << c.rtmax;
  }
}

TEST_F(SessionTest, AStaleRootIsAnErrorWhoeverFindsIt) {
  Rules("FSINFO status=STALE");
  ExpectFails("/export/dir/file", ErrorKind::kNfs, "FSINFO: NFS3ERR_STALE (70)");
}

// A session takes the same calls whatever the number of slots.
TEST_F(SessionTest, OpensWithASingleSlot) {
  world_.options().slots = 1;
  ExpectOpens("/export/dir/file");
  EXPECT_EQ(CallsOf(nfs3::kFsinfo), 1u);
}

}  // namespace
}  // namespace nfs
