// nfscat finds the file that is meant on a real server: both forms of a target, ports,
// identities, and symbolic links inside the export.
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
using ::testing::HasSubstr;

constexpr uint64_t kBytes = 5000;

class PathsTest : public NfscatTest {
 protected:
  void SetUp() override {
    NfscatTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::filesystem::create_directories(InExport("folder/below"));
    Write(InExport("file"));
    Write(InExport("folder/below/file"));
  }

  void TearDown() override {
    for (const std::string& link : links_) unlink(link.c_str());
  }

  static std::string InExport(const std::string& name) {
    return std::string(kDeepExport) + "/" + name;
  }

  static void Write(const std::string& path) {
    support::WritePatternFile(path, kBytes, std::hash<std::string>()(path));
  }

  void Link(const std::string& name, const std::string& destination) {
    links_.push_back(InExport(name));
    ASSERT_EQ(symlink(destination.c_str(), links_.back().c_str()), 0) << name;
  }

  // `arguments` make nfscat write what is in the file `path`.
  static void ExpectReads(const std::string& path, const std::vector<std::string>& arguments) {
    const Outcome outcome = Nfscat(arguments);
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_EQ(outcome.out_sha256, support::FileSha256(path)) << outcome.out_bytes << " bytes";
    EXPECT_EQ(outcome.err, "");
  }

  void ExpectLinkReads(const std::string& name, const std::string& file) {
    ExpectReads(InExport(file), {Url(InExport(name))});
  }

 private:
  std::vector<std::string> links_;
};

// Targets.

TEST_F(PathsTest, AUrlNamesAFile) { ExpectReads(InExport("file"), {Url(InExport("file"))}); }

TEST_F(PathsTest, HostAndPathNameAFileAsForMount) {
  ExpectReads(InExport("file"), {"127.0.0.1:" + InExport("file")});
}

TEST_F(PathsTest, AFileIsFoundDeepInAnExport) {
  ExpectReads(InExport("folder/below/file"), {Url(InExport("folder/below/file"))});
}

TEST_F(PathsTest, TheOtherExportIsFound) {
  const std::string path = std::string(kOtherExport) + "/file";
  Write(path);
  ExpectReads(path, {Url(path)});
}

TEST_F(PathsTest, ASpaceIsEscapedInAUrlAndPlainInHostAndPath) {
  Write(InExport("two words"));
  ExpectReads(InExport("two words"), {Url(InExport("two%20words"))});
  ExpectReads(InExport("two words"), {"127.0.0.1:" + InExport("two words")});
}

TEST_F(PathsTest, SeveralTargetsAreWrittenInOrder) {
  const Outcome outcome = Nfscat({Url(InExport("file")), Url(InExport("folder/below/file"))});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            Nfscat({Url(InExport("file"))}).out + Nfscat({Url(InExport("folder/below/file"))}).out);
}

// Ports: every other test has them from rpcbind.

TEST_F(PathsTest, PortsThatAreGivenNeedNoRpcbind) {
  server().StopRpcbind();
  ExpectReads(InExport("file"),
              {"--port=" + std::to_string(kNfsPort), "--mountport=" + std::to_string(kMountPort),
               Url(InExport("file"))});
  const Outcome outcome = Nfscat({Url(InExport("file"))});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("127.0.0.1:111"));
  server().Stop();  // the next test's start makes its ports known again
}

TEST_F(PathsTest, TheNfsPortIsPartOfTheUrl) {
  ExpectReads(InExport("file"), {"nfs://127.0.0.1:" + std::to_string(kNfsPort) + InExport("file")});
}

// Identities.

TEST_F(PathsTest, TheOwnerReadsAFileThatOnlyTheOwnerMay) {
  Write(InExport("private"));
  ASSERT_EQ(chown(InExport("private").c_str(), 4242, 4242), 0);
  ASSERT_EQ(chmod(InExport("private").c_str(), 0400), 0);
  ExpectReads(InExport("private"), {"--uid=4242", "--gid=1", Url(InExport("private"))});
}

TEST_F(PathsTest, AMemberOfTheGroupReadsAFileThatOnlyTheGroupMay) {
  Write(InExport("shared"));
  ASSERT_EQ(chown(InExport("shared").c_str(), 0, 777), 0);
  ASSERT_EQ(chmod(InExport("shared").c_str(), 0040), 0);
  ExpectReads(InExport("shared"),
              {"--uid=4242", "--gid=1", "--groups=776,777", Url(InExport("shared"))});
}

TEST_F(PathsTest, AnybodyReadsAnAnonymousExport) {
  const std::string path = std::string(kAnonymousExport) + "/file";
  Write(path);
  ExpectReads(path, {"--sec=none", Url(path)});
}

TEST_F(PathsTest, AReservedSourcePortIsUsedWhereTheServerInsists) {
  const std::string path = std::string(kReservedExport) + "/file";
  Write(path);
  ExpectReads(path, {"--resvport", Url(path)});
}

// Symbolic links.

TEST_F(PathsTest, ARelativeLinkIsFollowed) {
  Link("relative", "folder/below/file");
  ExpectLinkReads("relative", "folder/below/file");
}

TEST_F(PathsTest, ALinkThatGoesUpIsFollowed) {
  Link("folder/up", "../file");
  ExpectLinkReads("folder/up", "file");
}

TEST_F(PathsTest, AnAbsoluteLinkIntoTheExportIsFollowed) {
  Link("absolute", InExport("folder/below/file"));
  ExpectLinkReads("absolute", "folder/below/file");
}

TEST_F(PathsTest, ALinkInTheMiddleOfAPathIsFollowed) {
  Link("shortcut", "folder/below");
  ExpectLinkReads("shortcut/file", "folder/below/file");
}

TEST_F(PathsTest, AChainOfFortyLinksIsFollowed) {
  Link("last", "file");
  for (int i = 0; i < 39; ++i) {
    Link("chain" + std::to_string(i), i == 0 ? "last" : "chain" + std::to_string(i - 1));
  }
  ExpectLinkReads("chain38", "file");
}

TEST_F(PathsTest, ALinkToALinkInAnotherFolderCountsFromThere) {
  Link("folder/inner", "below/file");
  Link("outer", "folder/inner");
  ExpectLinkReads("outer", "folder/below/file");
}

}  // namespace
}  // namespace ganesha
