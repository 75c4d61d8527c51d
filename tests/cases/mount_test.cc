// Port mappers, MOUNT, authentication and paths: what servers do that breaks a naive
// client, in a simulated network.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/errors.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "client/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/rpcbind.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"
#include "tests/server/service.h"

namespace nfs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kFile[] = "/export/dir/file";

class MountCase : public testing::Test {
 protected:
  MountCase() { world_.tree().AddFile(kFile, server::BytesContents("hello")); }

  void Rules(const std::string& rules) {
    ASSERT_TRUE(world_.server().AddRules(rules).ok()) << rules;
  }

  void ExpectOpens(absl::string_view path = kFile) {
    const auto session = world_.Open(path);
    EXPECT_TRUE(session.ok()) << path << ": " << session.status();
  }

  std::string ExpectFails(absl::string_view path, ErrorKind kind) {
    const absl::Status status = world_.Open(path).status();
    EXPECT_EQ(KindOf(status), kind) << path << ": " << status;
    return std::string(status.message());
  }

  // As a user types it.
  absl::Status OpenUrl(const std::string& text) {
    const auto target = ParseTarget(text);
    return target.ok() ? world_.Open(target->path).status() : target.status();
  }

  std::vector<server::Call> Calls(const rpc::Procedure& procedure) {
    return world_.server().log().calls(procedure);
  }
  std::vector<std::string> NamesIn(const rpc::Procedure& procedure) {
    std::vector<std::string> names;
    for (const server::Call& call : Calls(procedure)) names.push_back(call.arguments.name);
    return names;
  }

  absl::Duration Elapsed() { return world_.network().now() - start_; }

  SimulatedWorld world_;
  const absl::Time start_ = world_.network().now();
};

// --- Port mappers ------------------------------------------------------------------------

// One port for everything, which a rootless server or a container offers.
class NoUsablePortMapper : public MountCase {
 protected:
  NoUsablePortMapper() { world_.simulated().Listen(world_.At(nfs3::kPort), {}); }
};

TEST_F(NoUsablePortMapper, ThatRefusesLeavesTheUsualPort) {
  world_.network().StopListening(world_.At(rpc::kRpcbindPort));
  ExpectOpens();
  EXPECT_LT(Elapsed(), absl::Seconds(1));
}

TEST_F(NoUsablePortMapper, ThatAFirewallHidesCostsSecondsAndNotMinutes) {
  world_.SetLink(rpc::kRpcbindPort, {.answers = false});
  ExpectOpens();
  EXPECT_LE(Elapsed(), absl::Seconds(6));
}

TEST_F(NoUsablePortMapper, ThatTakesTheConnectionAndIsSilentCostsSecondsToo) {
  Rules("GETPORT drop\nGETADDR drop");
  ExpectOpens();
  EXPECT_LE(Elapsed(), absl::Seconds(12));
}

TEST_F(NoUsablePortMapper, ThatKnowsNothingLeavesTheUsualPort) {
  world_.server().SetRegistrations({});
  ExpectOpens();
}

TEST_F(NoUsablePortMapper, WithoutAServerThereSaysWhatToGive) {
  world_.network().StopListening(world_.At(rpc::kRpcbindPort));
  world_.network().StopListening(world_.At(nfs3::kPort));
  EXPECT_THAT(ExpectFails(kFile, ErrorKind::kUnreachable),
              AllOf(HasSubstr("rpcbind: "), HasSubstr("ECONNREFUSED (111)"),
                    HasSubstr("give --port and --mountport")));
}

TEST_F(MountCase, APortMapperThatKnowsMountButNotNfsLeavesItsUsualPort) {
  world_.server().SetRegistrations(
      {{.program = mount3::kProgram, .version = 3, .port = SimulatedWorld::kMountPort}});
  ExpectOpens();
  world_.network().StopListening(world_.At(nfs3::kPort));
  EXPECT_THAT(ExpectFails(kFile, ErrorKind::kUnreachable),
              HasSubstr("program 100003 version 3 is not registered"));
}

// --- IPv6 --------------------------------------------------------------------------------

class OverIpv6 : public MountCase {
 protected:
  OverIpv6() : home_(io::Resolve("::1", 0)->front()) {
    world_.SetAddresses({home_});
    world_.simulated().Listen(home_.WithPort(rpc::kRpcbindPort),
                              {.nfs = false, .mount = false, .rpcbind = true});
    world_.simulated().Listen(home_.WithPort(20636), {.nfs = false, .mount = true});
    world_.simulated().Listen(home_.WithPort(20490), {.nfs = true, .mount = false});
  }

  void Register(const char* netid, uint16_t mount_port, uint16_t nfs_port) {
    world_.server().Register({mount3::kProgram, 3, netid, "::", mount_port});
    world_.server().Register({nfs3::kProgram, 3, netid, "::", nfs_port});
  }

  const io::Address home_;
};

// GETPORT, whose answer is for IPv4, would say 635 and 2049.
TEST_F(OverIpv6, AServiceWithAnotherPortThanOnIpv4IsFound) {
  Register("tcp6", 20636, 20490);
  ExpectOpens();
}

TEST_F(OverIpv6, APortMapperThatKnowsIpv4OnlyIsAskedForThat) {
  Register("tcp", 20636, 20490);
  ExpectOpens();
}

TEST_F(OverIpv6, TheHostOfAUniversalAddressIsNotHeeded) {
  world_.simulated().Listen(home_.WithPort(nfs3::kPort), {});
  for (const char* uaddr : {"::.8.1", "fe80::1.8.1", "0.0.0.0.8.1", "2001:db8::5.8.1"}) {
    world_.server().script().Clear();
    Rules(absl::StrCat("GETADDR uaddr=", uaddr));
    ExpectOpens();
  }
}

TEST_F(OverIpv6, AnAddressThatIsNoneMeansNotRegistered) {
  world_.server().SetRegistrations({});
  for (const std::string& uaddr :
       {std::string(".1"), std::string("::.256.1"), std::string("::.-1.5"), std::string("::"),
        std::string(300, '1'), std::string(300, '.')}) {
    world_.server().script().Clear();
    Rules("GETADDR uaddr=" + uaddr);
    EXPECT_THAT(ExpectFails(kFile, ErrorKind::kUnreachable), HasSubstr("is not registered"))
        << uaddr;
  }
}

TEST(LinkLocalAddress, KeepsItsScopeForEveryPort) {
  const auto addresses = io::Resolve("fe80::7%lo", 0);
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  for (uint16_t port : {rpc::kRpcbindPort, SimulatedWorld::kMountPort, nfs3::kPort}) {
    EXPECT_EQ(addresses->front().WithPort(port).ToString(), absl::StrCat("[fe80::7%lo]:", port));
  }
}

// --- RPC says no -------------------------------------------------------------------------

struct Refusal {
  const char* rule;
  ErrorKind kind;
  const char* words;
};

const Refusal kNotExecuted[] = {
    {"accept=PROG_UNAVAIL", ErrorKind::kUnreachable, "PROG_UNAVAIL (1)"},
    {"prog_mismatch=1:2", ErrorKind::kUnreachable, "it has versions 1 to 2"},
    {"accept=PROC_UNAVAIL", ErrorKind::kUnreachable, "PROC_UNAVAIL (3)"},
    {"accept=GARBAGE_ARGS", ErrorKind::kProtocol, "GARBAGE_ARGS (4)"},
    {"accept=SYSTEM_ERR", ErrorKind::kUnreachable, "SYSTEM_ERR (5)"},
};

// None of them is an error of this machine.
TEST(CallsThatTheServerDoesNotExecute, AreToldWithProcedureStateAndServer) {
  for (const Refusal& refusal : kNotExecuted) {
    for (const auto& [who, port] : {std::pair("MNT", 635), std::pair("READ", 2049)}) {
      SimulatedWorld world;
      world.tree().AddFile(kFile, server::BytesContents("hello"));
      ASSERT_TRUE(world.server().AddRules(absl::StrCat(who, " ", refusal.rule)).ok());
      const absl::Status status = world.Stream(kFile).status;
      EXPECT_EQ(KindOf(status), refusal.kind) << status;
      EXPECT_THAT(std::string(status.message()),
                  AllOf(HasSubstr(absl::StrCat(who, ": RPC: ")), HasSubstr(refusal.words),
                        HasSubstr(absl::StrCat("[127.0.0.1:", port, "]"))));
    }
  }
}

TEST_F(MountCase, AMountPortWhereMountIsNotSpokenIsToldWithItsPort) {
  world_.options().mount_port = nfs3::kPort;
  EXPECT_THAT(ExpectFails(kFile, ErrorKind::kUnreachable),
              AllOf(HasSubstr("MNT: RPC: PROG_UNAVAIL (1)"), HasSubstr("[127.0.0.1:2049]")));
}

TEST_F(MountCase, GoodbyeIsNeverSaidOnTheNfsConnection) {
  ExpectOpens();
  const auto unmounts = Calls(mount3::kUmnt);
  ASSERT_EQ(unmounts.size(), 1u);
  for (const server::Call& call : world_.server().log().calls()) {
    if (call.program == nfs3::kProgram) {
      EXPECT_NE(call.peer.connection, unmounts[0].peer.connection);
    }
  }
}

TEST(CallsThatAreDenied, NameTheReasonAndAreMadeOnceMoreOnlyForNewCredentials) {
  for (uint32_t reason : {1, 2, 3, 4, 5, 6, 7, 13, 99}) {
    const size_t calls = reason == 2 || reason == 4 ? 2 : 1;
    for (const rpc::Procedure& who : {mount3::kMnt, nfs3::kLookup, nfs3::kRead}) {
      SimulatedWorld world;
      world.tree().AddFile("/export/file", server::BytesContents("hello"));
      ASSERT_TRUE(world.server().AddRules(absl::StrCat(who.name, " deny=", reason)).ok());
      const absl::Status status = world.Stream("/export/file").status;
      EXPECT_EQ(KindOf(status), ErrorKind::kMountRefused) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat(" (", reason, "): ")));
      EXPECT_EQ(world.server().log().calls(who).size(), calls) << who.name << " " << reason;
    }
  }
}

TEST_F(MountCase, NewCredentialsAreEnoughForAServerThatHasForgottenTheOld) {
  Rules("MNT nth=1 deny=AUTH_REJECTEDCRED\nLOOKUP nth=1 deny=AUTH_REJECTEDVERF");
  ExpectOpens();
}

TEST_F(MountCase, AServerOfAnotherRpcVersionIsUnreachable) {
  Rules("MNT rpc_mismatch=3:4");
  EXPECT_THAT(ExpectFails(kFile, ErrorKind::kUnreachable), HasSubstr("it has versions 3 to 4"));
}

TEST_F(MountCase, OfManyGroupsSixteenTravelAndTheNameOfNoGroupDoesNot) {
  world_.options().groups.emplace();
  for (uint32_t group = 100; group < 164; ++group) world_.options().groups->push_back(group);
  world_.options().groups->front() = 0xffffffff;
  ExpectOpens();
  for (const server::Call& call : Calls(nfs3::kLookup)) {
    EXPECT_EQ(call.identity.groups.size(), 16u);
    EXPECT_EQ(call.identity.groups.front(), 101u);
  }
  EXPECT_EQ(world_.server().log().counters().garbage_records, 0u);
}

// --- Reserved ports ----------------------------------------------------------------------

class SecureExport : public MountCase, public testing::WithParamInterface<const char*> {};

TEST_P(SecureExport, IsReadWithThePrivilegeAndSaysWhatIsMissingWithout) {
  Rules(GetParam());
  EXPECT_TRUE(world_.Stream(kFile).status.ok());
  world_.network().set_privileged(false);
  const auto session = world_.Open(kFile);
  const absl::Status status =
      session.ok() ? (*session)->WithHint(world_.Stream(kFile).status) : session.status();
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("from port "), HasSubstr("below 1024"), HasSubstr("\"insecure\"")));
}

INSTANTIATE_TEST_SUITE_P(Checks, SecureExport,
                         testing::Values("MNT port=1024.. status=ACCES",
                                         "LOOKUP port=1024.. status=PERM",
                                         "NFS port=1024.. deny=AUTH_TOOWEAK",
                                         "READ port=1024.. status=PERM"));

TEST_F(MountCase, TheReservedPortIsKeptWhenTheConnectionIsMadeAgain) {
  world_.tree().AddFile("/export/long", server::PatternContents(200000));
  world_.options().rsize = 8192;
  Rules("READ nth=4 rst=0\nREAD nth=40 rst=0");
  EXPECT_TRUE(world_.Stream("/export/long").status.ok());
  for (const server::Call& call : Calls(nfs3::kRead)) EXPECT_LT(call.peer.source_port, 1024);
}

// --- Lookups while connected -------------------------------------------------------------

class PortsThatWorked : public MountCase {
 protected:
  PortsThatWorked() {
    world_.tree().AddFile("/export/long", server::PatternContents(200000));
    world_.options().rsize = 8192;
    world_.options().readahead = 16384;
  }

  // At the ninth READ the server goes away for five seconds, and rpcbind has forgotten
  // everything, for good, when it is back.
  void Restart(bool forgets_handles) {
    world_.server().log().SetListener(
        [this, forgets_handles, reads = 0](const server::Call& call) mutable {
          if (!call.Is(nfs3::kRead) || ++reads != 9) return;
          world_.network().After(absl::ZeroDuration(), [this, forgets_handles] {
            world_.simulated().Stop();
            world_.server().SetRegistrations({});
            if (forgets_handles) world_.tree().ExpireHandles();
          });
          world_.network().After(absl::Seconds(5), [this] { world_.simulated().Start(); });
        });
  }

  void ExpectWhole() {
    const auto outcome = world_.Stream("/export/long");
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, 200000));
    EXPECT_LT(outcome.streaming, absl::Seconds(10));
  }
};

TEST_F(PortsThatWorked, AreUsedAgainWithoutAskingWhenTheServerIsBack) {
  Restart(/*forgets_handles=*/false);
  ExpectWhole();
  EXPECT_EQ(Calls(rpc::kGetport).size(), 2u);
}

TEST_F(PortsThatWorked, AreNotForgottenWhenThePortMapperHasForgottenThem) {
  Restart(/*forgets_handles=*/true);
  // MOUNT comes back later than NFS.
  world_.network().After(absl::Milliseconds(5001),
                         [this] { world_.network().StopListening(world_.At(635)); });
  world_.network().After(absl::Seconds(8), [this] { world_.simulated().Start(); });
  ExpectWhole();
}

// --- Paths -------------------------------------------------------------------------------

class PathForms : public MountCase {
 protected:
  PathForms() {
    for (const char* directory : {"/", "/a b", "/sh%re", "/x/\xc3\xbc", "/e\r"}) {
      exports_.push_back({.path = directory, .subdirectories = false});
    }
    world_.server().SetExports(exports_);
    for (const char* file : {"/top", "/a b/f", "/sh%re/f", "/x/\xc3\xbc/f", "/a b/what?",
                             "/a b/50%", "/a b/#1", "/a b/c:d@e&f=g"}) {
      world_.tree().AddFile(file, server::BytesContents("hello"));
    }
  }

  std::vector<server::Export> exports_;
};

TEST_F(PathForms, AreMountedInTheServersSpellingHoweverTheyAreTyped) {
  const std::pair<const char*, const char*> kForms[] = {
      {"nfs://h/top", "/"},
      {"nfs://h//top", "/"},
      {"nfs://h/top/", "/"},
      {"h:/top", "/"},
      {"nfs://h/a%20b/f", "/a b"},
      {"nfs://h//a%20b//f", "/a b"},
      {"h:/a b/f", "/a b"},
      {"nfs://h/sh%25re/f", "/sh%re"},
      {"h:/sh%re/f", "/sh%re"},
      {"nfs://h/x/%C3%BC/f", "/x/\xc3\xbc"},
      {"nfs://h/x/\xc3\xbc/f?rsize=4K", "/x/\xc3\xbc"},
      {"nfs://h/a%20b/what%3F", "/a b"},
      {"nfs://h/a%20b/50%25", "/a b"},
      {"nfs://h/a%20b/#1", "/a b"},
      {"nfs://h/a%20b/c:d@e&f=g", "/a b"},
      {"nfs://h/a%20b/../a%20b/f", "/a b"},
  };
  for (const auto& [form, directory] : kForms) {
    world_.server().log().Clear();
    const absl::Status status = OpenUrl(form);
    if (absl::string_view(form).find("..") == absl::string_view::npos) {
      EXPECT_TRUE(status.ok()) << form << ": " << status;
    }
    EXPECT_THAT(NamesIn(mount3::kMnt), ElementsAre(directory)) << form;
  }
}

TEST_F(PathForms, WithoutAListOfExportsAreNeverMountedAsNothing) {
  Rules("EXPORT accept=PROC_UNAVAIL");
  EXPECT_TRUE(OpenUrl("nfs://h/top").ok());
  EXPECT_THAT(NamesIn(mount3::kMnt), ElementsAre("/top", "/"));
}

TEST_F(PathForms, ThatAreNoPathAreRefusedBeforeAnythingIsAsked) {
  for (const char* form : {"h:share", "nfs://h", "nfs://h?rsize=1", "nfs://h/a%2", "share"}) {
    EXPECT_EQ(KindOf(OpenUrl(form)), ErrorKind::kUsage) << form;
  }
  EXPECT_EQ(world_.server().log().counters().calls, 0u);
}

TEST_F(PathForms, ThatClimbOutOfTheRootSaySo) {
  EXPECT_THAT(ExpectFails("/../top", ErrorKind::kNfs), HasSubstr("leads outside the export \"/\""));
}

TEST_F(PathForms, OfTheServerAreEscapedInWhatPeopleRead) {
  world_.server().SetExports({{.path = "/e\r"}});
  EXPECT_THAT(ExpectFails("/e/f", ErrorKind::kMountRefused),
              AllOf(HasSubstr("the server exports: /e\\r"), Not(HasSubstr("\r"))));
}

// MNTPATHLEN bounds what MNT may be asked for, not what may be below it.
TEST_F(MountCase, AFileIsFoundHoweverLongItsPathIs) {
  for (const size_t bytes : {1023, 1024, 1025, 3000}) {
    std::string path = "/export";
    while (path.size() + 101 < bytes) absl::StrAppend(&path, "/", std::string(99, 'd'));
    absl::StrAppend(&path, "/", std::string(bytes - path.size() - 1, 'f'));
    ASSERT_EQ(path.size(), bytes);
    world_.tree().AddFile(path, server::BytesContents("hello"));
    ExpectOpens(path);
  }
  Rules("EXPORT accept=PROC_UNAVAIL");
  world_.server().SetExports({{.path = "/export", .subdirectories = false}});
  std::string deep = "/export";
  for (int i = 0; i < 15; ++i) absl::StrAppend(&deep, "/", std::string(99, 'd'));
  world_.tree().AddFile(deep + "/file", server::BytesContents("hello"));
  ExpectOpens(deep + "/file");
}

TEST_F(MountCase, ANameOf255BytesIsFoundAndALongerOneIsRefused) {
  world_.tree().AddFile("/export/" + std::string(255, 'x'), server::BytesContents("hello"));
  ExpectOpens("/export/" + std::string(255, 'x'));
  EXPECT_THAT(ExpectFails("/export/" + std::string(256, 'x'), ErrorKind::kNfs),
              HasSubstr("NFS3ERR_NAMETOOLONG (63)"));
}

TEST_F(MountCase, NamesAreBytesAndNothingElse) {
  for (const char* name : {"\xff\xfe", "\xc3\xa9", "e\xcc\x81", "new\nline", "\xe2\x9c\x93", "\xfc",
                           "????.txt", " "}) {
    world_.server().log().Clear();
    const std::string path = absl::StrCat("/export/", name);
    EXPECT_THAT(ExpectFails(path, ErrorKind::kNfs),
                AllOf(HasSubstr("LOOKUP: NFS3ERR_NOENT (2)"), Not(HasSubstr("\n")),
                      Not(HasSubstr("\xff")), Not(HasSubstr("\xfc"))));
    world_.tree().AddFile(path, server::BytesContents("hello"));
    ExpectOpens(path);
    EXPECT_THAT(NamesIn(nfs3::kLookup), ElementsAre(name, name));
  }
}

// --- Exports and paths below them --------------------------------------------------------

TEST_F(MountCase, APathBelowAnExportIsMountedFromTheParentThatIsTaken) {
  world_.server().SetExports({{.path = "/export", .subdirectories = false}});
  for (const char* refusal : {"NOENT", "ACCES", "NOTDIR"}) {
    world_.server().script().Clear();
    world_.server().log().Clear();
    Rules(absl::StrCat("EXPORT accept=PROC_UNAVAIL\nMNT name=/export/dir/file status=", refusal));
    ExpectOpens();
    EXPECT_THAT(NamesIn(mount3::kMnt), ElementsAre(kFile, "/export/dir", "/export"));
  }
}

TEST_F(MountCase, MountIsAskedByTheSameUserAsNfs) {
  world_.options().uid = 1000;
  world_.options().gid = 1000;
  Rules("MNT uid=..999 status=ACCES\nMNT uid=1001.. status=ACCES\nNFS uid=..999 status=ACCES");
  ExpectOpens();
}

class NestedExports : public MountCase {
 protected:
  // Below /data the mount point is an empty directory.
  NestedExports() {
    world_.tree().AddDirectory("/data/foo");
    world_.tree().AddFile("/data/top", server::BytesContents("hello"));
    world_.tree().AddFile("/disk/file", server::BytesContents("hello"));
    world_.server().SetExports({{.path = "/data", .subdirectories = false},
                                {.path = "/data/foo", .root = "/disk", .subdirectories = false}});
  }
};

TEST_F(NestedExports, AreEnteredByTheirOwnMount) {
  ExpectOpens("/data/foo/file");
  EXPECT_THAT(NamesIn(mount3::kMnt), ElementsAre("/data/foo"));
  ExpectOpens("/data/top");
  Rules("EXPORT accept=PROC_UNAVAIL");
  ExpectOpens("/data/foo/file");
}

TEST_F(NestedExports, AnotherFileSystemOnTheWayIsNoError) {
  world_.tree().AddDirectory("/data/.snapshot");
  world_.tree().SetFsid("/data/.snapshot", 4711);
  world_.tree().AddFile("/data/.snapshot/old", server::PatternContents(100000));
  EXPECT_TRUE(world_.Stream("/data/.snapshot/old").status.ok());
}

// --- Mount daemons that are slow ---------------------------------------------------------

TEST_F(MountCase, AnExportListThatComesVeryLateIsNotWaitedForNorInTheWay) {
  Rules("EXPORT delay=30s\nUMNT drop");
  world_.options().hard = true;
  ExpectOpens();
  EXPECT_LE(Elapsed(), absl::Seconds(7));
  EXPECT_EQ(Calls(mount3::kUmnt).size(), 1u);
}

TEST_F(MountCase, AMountThatIsNeverAnsweredTimesOut) {
  Rules("MNT drop");
  EXPECT_THAT(ExpectFails(kFile, ErrorKind::kTimedOut), HasSubstr("MNT: RPC: no reply within"));
}

// --- Symbolic links ----------------------------------------------------------------------

// A path of so many bytes that leads to /export/dir/file.
std::string PathOf(size_t bytes) {
  if (bytes < 8) return std::string(bytes, 'n');
  return "dir/" + std::string(bytes - 8, '/') + "file";
}

TEST_F(MountCase, ALinkOfAnyLengthIsFollowedByItsLength) {
  for (size_t bytes : {1, 2, 3, 4, 8, 9, 1023, 1024, 1025, 4095, 4096}) {
    const std::string link = absl::StrCat("/export/l", bytes);
    if (bytes < 8) {
      world_.tree().AddFile("/export/" + PathOf(bytes), server::BytesContents("hello"));
    }
    world_.tree().AddSymlink(link, PathOf(bytes));
    ExpectOpens(link);
  }
}

TEST_F(MountCase, ALinkThatIsNoPathIsAnErrorOfThisLink) {
  world_.tree().AddSymlink("/export/nul", absl::string_view("dir\0/file", 9));
  EXPECT_THAT(ExpectFails("/export/nul", ErrorKind::kNfs), HasSubstr("\"dir\\x00/file\""));
  world_.tree().AddSymlink("/export/endless", PathOf(65536));
  EXPECT_THAT(ExpectFails("/export/endless", ErrorKind::kProtocol), HasSubstr("READLINK: "));
}

}  // namespace
}  // namespace nfs
