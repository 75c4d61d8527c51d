// Refusals, and what is said that may help against them.
#include "client/session/hints.h"

#include <string>

#include "client/errors.h"
#include "client/session/read_size.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/message.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr uint16_t kPrivileged = 700;
constexpr uint16_t kUnprivileged = 40000;

Options AsUser() {
  Options options;
  options.uid = 12;
  options.gid = 34;
  return options;
}

std::string Hinted(const absl::Status& status, uint16_t port, const Options& options = AsUser()) {
  const absl::Status hinted = WithHint(status, options, port);
  EXPECT_EQ(hinted.code(), status.code());
  EXPECT_EQ(KindOf(hinted), KindOf(status));
  EXPECT_EQ(NfsStatusOf(hinted), NfsStatusOf(status));
  return std::string(hinted.message());
}

absl::Status Nfs(nfs3::Status status) { return NfsError("LOOKUP", status); }

TEST(Hints, ARefusalFromAnUnprivilegedPortNamesBothReasons) {
  for (const absl::Status& refusal :
       {Nfs(nfs3::Status::kAcces), Nfs(nfs3::Status::kPerm), MountError(mount3::Status::kAcces),
        MountError(mount3::Status::kPerm), absl::UnauthenticatedError("RPC: AUTH_TOOWEAK (5)")}) {
    const std::string text = Hinted(refusal, kUnprivileged);
    EXPECT_EQ(text, std::string(refusal.message()) +
                        "; asked as uid 12, gid 34 (see --uid, --gid, --groups), from port 40000: "
                        "if the server wants one below 1024, run this with the privilege for it "
                        "(--resvport), or export with \"insecure\"");
  }
}

TEST(Hints, ARefusalFromAPrivilegedPortIsAboutTheUser) {
  for (const uint16_t port : {uint16_t{0}, uint16_t{1}, kPrivileged, uint16_t{1023}}) {
    EXPECT_THAT(Hinted(Nfs(nfs3::Status::kAcces), port),
                AllOf(HasSubstr("asked as uid 12"), Not(HasSubstr("port"))));
  }
  EXPECT_THAT(Hinted(Nfs(nfs3::Status::kAcces), 1024), HasSubstr("from port 1024"));
}

TEST(Hints, CredentialsThatAreCalledBadMayBeThoseOfAWithdrawnExport) {
  const absl::Status refusal = absl::UnauthenticatedError("RPC: AUTH_BADCRED (1)");
  EXPECT_EQ(Hinted(refusal, kPrivileged),
            "RPC: AUTH_BADCRED (1); asked as uid 12, gid 34 (see --uid, --gid, --groups); "
            "the server may not export this to us any more");
}

TEST(Hints, WithoutAnIdentityTheAskerIsNobody) {
  Options options = AsUser();
  options.security = Security::kNone;
  EXPECT_THAT(Hinted(Nfs(nfs3::Status::kAcces), kPrivileged, options),
              AllOf(HasSubstr("asked as nobody (--sec=none)"), Not(HasSubstr("uid"))));
}

TEST(Hints, OtherErrorsStayAsTheyAre) {
  for (const absl::Status& other :
       {Nfs(nfs3::Status::kNoEnt), Nfs(nfs3::Status::kStale), Nfs(nfs3::Status::kIo),
        Nfs(nfs3::Status::kIsDir), MountError(mount3::Status::kNoEnt), PathError("no such path"),
        absl::UnavailableError("connect: ECONNREFUSED"), absl::DataLossError("XDR: bad"),
        absl::DeadlineExceededError("RPC: no reply"), absl::CancelledError("cancelled"),
        FileChangedError("the file shrank"), absl::OkStatus()}) {
    EXPECT_EQ(WithHint(other, AsUser(), kUnprivileged), other);
  }
}

TEST(Hints, ThatThisMachineRefusesIsNotTheServersDoing) {
  const absl::Status own = absl::PermissionDeniedError("bind to a port below 1024: EACCES");
  EXPECT_EQ(WithHint(own, AsUser(), 0), own);
  const absl::Status output = LocalError(absl::PermissionDeniedError("write: EACCES"));
  EXPECT_EQ(WithHint(output, AsUser(), kUnprivileged), output);
}

// --- In the story ----------------------------------------------------------------

class HintsTest : public testing::Test {
 protected:
  HintsTest() {
    world_.tree().AddFile("/export/file", server::BytesContents("hello"));
    world_.options().uid = 12;
    world_.options().gid = 34;
  }

  std::string ErrorWith(const char* rules) {
    EXPECT_TRUE(world_.server().AddRules(rules).ok());
    const auto session = world_.Open("/export/file");
    EXPECT_FALSE(session.ok());
    return std::string(session.status().message());
  }

  SimulatedWorld world_;
};

TEST_F(HintsTest, ASecureExportSeenFromAnUnprivilegedPort) {
  world_.network().set_privileged(false);
  EXPECT_THAT(ErrorWith("NFS port=1024.. status=PERM"),
              AllOf(HasSubstr("NFS3ERR_PERM (1)"), HasSubstr("from port 32")));
}

TEST_F(HintsTest, ASecureExportSeenFromAPrivilegedPortOpens) {
  EXPECT_TRUE(world_.server().AddRules("NFS port=1024.. status=PERM").ok());
  EXPECT_TRUE(world_.Open("/export/file").ok());
}

TEST_F(HintsTest, AMountRefusedToAnUnprivilegedPort) {
  world_.network().set_privileged(false);
  EXPECT_THAT(ErrorWith("MNT port=1024.. status=ACCES"),
              AllOf(HasSubstr("MNT3ERR_ACCES (13)"), HasSubstr("asked as uid 12, gid 34"),
                    HasSubstr("from port 32")));
}

TEST_F(HintsTest, AWeakAuthenticationSeenFromAnUnprivilegedPort) {
  world_.network().set_privileged(false);
  EXPECT_THAT(ErrorWith("NFS deny=AUTH_TOOWEAK"),
              AllOf(HasSubstr("AUTH_TOOWEAK (5)"), HasSubstr("from port 32")));
}

TEST_F(HintsTest, AWeakAuthenticationOfNobody) {
  world_.options().security = Security::kNone;
  EXPECT_THAT(ErrorWith("NFS deny=AUTH_TOOWEAK"), HasSubstr("asked as nobody (--sec=none)"));
}

TEST_F(HintsTest, AMissingFileHasNone) {
  world_.network().set_privileged(false);
  EXPECT_THAT(ErrorWith("LOOKUP status=NOENT"), Not(HasSubstr("asked")));
}

// --- The size of a READ, which is only advice --------------------------------------

class ReadSizeTest : public HintsTest {
 protected:
  void ExpectReads(const char* rules, uint32_t rsize, absl::Duration opening) {
    EXPECT_TRUE(world_.server().AddRules(rules).ok());
    const absl::Time start = world_.network().now();
    const auto session = world_.Open("/export/file");
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ((*session)->rsize(), rsize);
    EXPECT_EQ(world_.network().now() - start, opening);
  }
};

TEST_F(ReadSizeTest, WithoutFsinfoIsADefault) {
  for (const char* rules : {"FSINFO status=NOTSUPP", "FSINFO status=IO", "FSINFO status=ACCES",
                            "FSINFO accept=PROC_UNAVAIL", "FSINFO accept=GARBAGE_ARGS",
                            "FSINFO accept=SYSTEM_ERR", "FSINFO cut=-8"}) {
    SCOPED_TRACE(rules);
    ExpectReads(rules, 32768, absl::ZeroDuration());
    world_.server().script().Clear();
  }
}

TEST_F(ReadSizeTest, AnFsinfoThatIsNeverAnsweredCostsOneTimeout) {
  world_.options().timeout = absl::Seconds(7);
  ExpectReads("FSINFO drop", 32768, absl::Seconds(7));
}

TEST_F(ReadSizeTest, WhatTheUserAsksForIsAskedForWithoutFsinfoToo) {
  world_.options().rsize = 8192;
  ExpectReads("FSINFO accept=PROC_UNAVAIL", 8192, absl::ZeroDuration());
}

TEST_F(ReadSizeTest, AJukeboxIsAskedAgain) {
  ExpectReads("FSINFO jukebox=2", kLargestDefaultRsize, absl::Seconds(3));
}

TEST_F(ReadSizeTest, AJukeboxThatNeverPlaysIsOnlyAsDearAsOneTimeout) {
  world_.options().timeout = absl::Seconds(60);
  EXPECT_TRUE(world_.server().AddRules("FSINFO status=JUKEBOX").ok());
  const absl::Time start = world_.network().now();
  EXPECT_TRUE(world_.Open("/export/file").ok());
  EXPECT_LE(world_.network().now() - start, absl::Seconds(65));
}

TEST_F(ReadSizeTest, AServerThatDiesOverItIsAnError) {
  world_.options().timeout = absl::Seconds(1);
  world_.options().retransmissions = 0;
  EXPECT_EQ(ErrorWith("FSINFO raw=garbage! fin").find("FSINFO: "), 0u);
}

}  // namespace
}  // namespace nfs
