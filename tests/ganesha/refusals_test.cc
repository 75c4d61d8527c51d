// What nfscat says, and how it exits, when a real server does not give the file.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ganesha/nfscat_site.h"
#include "tests/support/pattern_file.h"
#include "tests/support/subprocess.h"

namespace ganesha {
namespace {

using support::Outcome;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// The exit statuses of the command-line contract.
constexpr int kMountRefused = 4;
constexpr int kNfsError = 5;

class RefusalsTest : public NfscatTest {
 protected:
  void SetUp() override {
    NfscatTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::filesystem::create_directories(InExport("folder"));
    support::WritePatternFile(InExport("file"), 5000);
  }

  static std::string InExport(const std::string& name) {
    return std::string(kDeepExport) + "/" + name;
  }

  static void Link(const std::string& name, const std::string& destination) {
    unlink(InExport(name).c_str());
    ASSERT_EQ(symlink(destination.c_str(), InExport(name).c_str()), 0) << name;
  }

  static void WriteForOwnerOnly(const std::string& path) {
    support::WritePatternFile(path, 100);
    ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  }

  // One line: the target, the procedure, what is wrong, and the server. No output.
  static void ExpectRefusal(const Outcome& outcome, int exit_status, const std::string& target,
                            const std::string& procedure, const std::string& words) {
    EXPECT_EQ(outcome.exit_status, exit_status);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, MatchesRegex("nfscat: [^\n]*\n"));
    EXPECT_THAT(outcome.err, HasSubstr("nfscat: " + target + ": "));
    EXPECT_THAT(outcome.err, ContainsRegex(": " + procedure + ": "));
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_THAT(outcome.err, ContainsRegex("\\[127\\.0\\.0\\.1:[0-9]+\\]"));
  }

  static void ExpectNfsError(const std::string& path, const std::string& procedure,
                             const std::string& words) {
    ExpectRefusal(Nfscat({Url(path)}), kNfsError, Url(path), procedure, words);
  }
};

// The path.

TEST_F(RefusalsTest, ADirectoryIsNoFile) {
  ExpectNfsError(InExport("folder"), "[A-Z]+", "NFS3ERR_ISDIR (21): Is a directory");
}

TEST_F(RefusalsTest, TheExportItselfIsNoFile) {
  ExpectNfsError(kDeepExport, "[A-Z]+", "NFS3ERR_ISDIR (21): Is a directory");
}

TEST_F(RefusalsTest, AFileThatIsMissing) {
  ExpectNfsError(InExport("missing"), "LOOKUP", "NFS3ERR_NOENT (2): No such file or directory");
}

TEST_F(RefusalsTest, AFileInAFolderThatIsMissing) {
  ExpectNfsError(InExport("missing/file"), "LOOKUP",
                 "NFS3ERR_NOENT (2): No such file or directory");
}

TEST_F(RefusalsTest, APathThroughAFile) {
  ExpectNfsError(InExport("file/below"), "LOOKUP", "NFS3ERR_NOTDIR (20): Not a directory");
}

TEST_F(RefusalsTest, TheTargetIsNamedAsItWasTyped) {
  const std::string target = "127.0.0.1:" + InExport("missing");
  ExpectRefusal(Nfscat({target}), kNfsError, target, "LOOKUP", "NFS3ERR_NOENT (2)");
}

TEST_F(RefusalsTest, OneOfSeveralTargetsIsMissing) {
  const Outcome outcome =
      Nfscat({Url(InExport("file")), Url(InExport("missing")), Url(InExport("file"))});
  EXPECT_EQ(outcome.exit_status, kNfsError);
  EXPECT_EQ(outcome.out_bytes, 2 * 5000u);
  EXPECT_THAT(outcome.err, HasSubstr("missing: LOOKUP: NFS3ERR_NOENT (2)"));
}

// The identity.

TEST_F(RefusalsTest, AFileThatAnotherUserOwns) {
  const std::string path = InExport("private");
  WriteForOwnerOnly(path);
  ExpectRefusal(Nfscat({"--uid=12345", "--gid=12345", Url(path)}), kNfsError, Url(path), "[A-Z]+",
                "NFS3ERR_ACCES (13): Permission denied");
}

TEST_F(RefusalsTest, AFileInAFolderThatAnotherUserOwns) {
  std::filesystem::create_directories(InExport("closed"));
  support::WritePatternFile(InExport("closed/file"), 100);
  ASSERT_EQ(chmod(InExport("closed").c_str(), 0700), 0);
  const std::string target = Url(InExport("closed/file"));
  ExpectRefusal(Nfscat({"--uid=12345", "--gid=12345", target}), kNfsError, target, "LOOKUP",
                "NFS3ERR_ACCES (13): Permission denied");
}

TEST_F(RefusalsTest, RootIsNobodyWhereItIsSquashed) {
  const std::string path = std::string(kSquashedExport) + "/private";
  WriteForOwnerOnly(path);
  ExpectRefusal(Nfscat({"--uid=0", "--gid=0", Url(path)}), kNfsError, Url(path), "[A-Z]+",
                "NFS3ERR_ACCES (13): Permission denied");
}

// The mount.

TEST_F(RefusalsTest, AnExportThatIsMissingAndThoseThatThereAre) {
  const std::string path = std::string(kNotExported) + "/file";
  const Outcome outcome = Nfscat({Url(path)});
  ExpectRefusal(outcome, kMountRefused, Url(path), "MNT", "MNT3ERR_");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(kDeepExport), HasSubstr(kOtherExport)));
}

TEST_F(RefusalsTest, AParentOfAnExportIsNone) {
  ExpectRefusal(Nfscat({Url("/srv/x/file")}), kMountRefused, Url("/srv/x/file"), "MNT", "MNT3ERR_");
}

TEST_F(RefusalsTest, AnExportForAnotherFlavor) {
  const std::string path = std::string(kAnonymousExport) + "/file";
  support::WritePatternFile(path, 100);
  const Outcome outcome = Nfscat({"--sec=sys", Url(path)});
  EXPECT_EQ(outcome.exit_status, kMountRefused);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("AUTH_SYS"));
}

TEST_F(RefusalsTest, AnExportForReservedSourcePorts) {
  const std::string path = std::string(kReservedExport) + "/file";
  support::WritePatternFile(path, 100);
  const Outcome outcome = Nfscat({"--noresvport", Url(path)});
  EXPECT_EQ(outcome.exit_status, kMountRefused);
  EXPECT_EQ(outcome.out, "");
}

// Symbolic links.

TEST_F(RefusalsTest, LinksThatGoInACircle) {
  Link("chicken", "egg");
  Link("egg", "chicken");
  ExpectNfsError(InExport("chicken"), "READLINK", "levels of symbolic links");
}

TEST_F(RefusalsTest, ALinkThatLeadsNowhere) {
  Link("dangling", "missing");
  ExpectNfsError(InExport("dangling"), "LOOKUP", "NFS3ERR_NOENT (2)");
}

TEST_F(RefusalsTest, AnAbsoluteLinkOutOfTheExport) {
  Link("outside", std::string(kNotExported) + "/file");
  ExpectNfsError(InExport("outside"), "READLINK", "leads outside the export");
}

TEST_F(RefusalsTest, ARelativeLinkOutOfTheExport) {
  Link("above", "../../secret/file");
  ExpectNfsError(InExport("above"), "[A-Z]+", "leads outside the export");
}

}  // namespace
}  // namespace ganesha
