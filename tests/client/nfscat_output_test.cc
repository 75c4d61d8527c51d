// The program itself, with its output going to a regular file: replies in any order, disks
// that are full, streams that break, and files that somebody else has a part of.
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/served_export.h"
#include "tests/server/contents.h"
#include "tests/server/server.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

using support::Outcome;
using testing::HasSubstr;
using testing::Not;

constexpr char kNfscat[] = "client/tools/nfscat";
constexpr uint64_t kSize = 20'000'001;

std::string PatternText(size_t bytes) { return nfs::PatternText(0, bytes); }

class File : public testing::TestWithParam<const char*>, protected ServedExport {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    served_.tree().AddFile("/export/hello", server::BytesContents("hello\n"));
    served_.tree().AddFile("/export/empty", server::BytesContents(""));
    Serve();
    path_ = testing::TempDir() + "out" + (GetParam() + 5);
    std::remove(path_.c_str());
  }

  // For the shell.
  std::string Url(const char* path) { return "'" + ServedExport::Url(path) + "'"; }

  // A command of the shell, in which NFSCAT and OUT are what they say.
  Outcome Shell(const std::string& script) {
    return support::RunProgram(
        {.argv = {"/bin/sh", "-c", script},
         .environment = {std::string("NFSCAT=") + kNfscat + " " + GetParam(), "OUT=" + path_}});
  }
  // nfscat --rsize=64K of the large file, to the file.
  Outcome Copy(const std::string& before = "", const std::string& options = "") {
    return Shell(before + "exec $NFSCAT --rsize=64K -o $OUT " + options + " " +
                 Url("/export/file"));
  }

  std::string Contents() {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  // The file is a right beginning of the one served, and takes no more of the disk.
  void ExpectWhole(uint64_t bytes) {
    EXPECT_TRUE(Contents() == PatternText(bytes)) << Contents().size() << " bytes";
    struct stat about = {};
    ASSERT_EQ(stat(path_.c_str(), &about), 0);
    EXPECT_LE(about.st_blocks * 512, static_cast<blkcnt_t>(bytes + (1 << 20)));
  }

  // The number before " bytes are whole".
  static uint64_t ToldWhole(const Outcome& outcome) {
    const size_t at = outcome.err.find("its first ");
    return at == std::string::npos ? UINT64_MAX : std::stoull(outcome.err.substr(at + 10));
  }

  std::string path_;
};

TEST_P(File, IsWholeWhateverTheSizeOfReads) {
  for (const char* rsize : {"4K", "64K", "1M"}) {
    for (const char* readahead : {"0", "1M", "64M"}) {
      const Outcome outcome = Shell(std::string("$NFSCAT -o $OUT --rsize=") + rsize +
                                    " --readahead=" + readahead + " " + Url("/export/file"));
      EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
      EXPECT_TRUE(Contents() == PatternText(kSize)) << rsize << " " << readahead;
    }
  }
}

TEST_P(File, IsWholeWhenRepliesComeInAnotherOrder) {
  Rules("READ hold=4 order=3,2,1,0");
  EXPECT_EQ(Copy().err, "");
  ExpectWhole(kSize);
}

TEST_P(File, IsWholeWhenConnectionsAreLostInTheMiddleAndReadsAreShort) {
  Rules("READ nth=30 rst=50000");
  Rules("READ nth=90 fin=10000");
  Rules("READ every=4 short=10001");
  Rules("READ every=5 delay=3ms");
  EXPECT_EQ(Copy().err, "");
  ExpectWhole(kSize);
}

TEST_P(File, MayBeOfNoBytesOrFew) {
  EXPECT_EQ(Shell("$NFSCAT -o $OUT " + Url("/export/empty")).exit_status, 0);
  EXPECT_EQ(Contents(), "");
  EXPECT_EQ(Shell("$NFSCAT -o $OUT " + Url("/export/hello")).exit_status, 0);
  EXPECT_EQ(Contents(), "hello\n");
}

TEST_P(File, GetsSeveralTargetsOneBehindTheOther) {
  const Outcome outcome =
      Shell("$NFSCAT -o $OUT " + Url("/export/file") + " " + Url("/export/empty") + " " +
            Url("/export/hello") + " " + Url("/export/file"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(Contents() == PatternText(kSize) + "hello\n" + PatternText(kSize));
}

TEST_P(File, AsStandardOutputIsWrittenFromItsPositionOn) {
  Rules("READ hold=4 order=2,3,1,0");
  const Outcome outcome = Shell("( echo begin; $NFSCAT " + Url("/export/file") + "; $NFSCAT " +
                                Url("/export/hello") + "; echo end ) > $OUT");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(Contents() == "begin\n" + PatternText(kSize) + "hello\nend\n");
}

TEST_P(File, ThatOthersAppendToIsAppendedTo) {
  const Outcome outcome =
      Shell("echo begin > $OUT; $NFSCAT " + Url("/export/file") + " >> $OUT; echo end >> $OUT");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(Contents() == "begin\n" + PatternText(kSize) + "end\n");
}

TEST_P(File, KeepsTheBytesBehindThoseThatAreWritten) {
  Rules("READ offset=13107200.. drop");
  std::ofstream(path_) << std::string(kSize + 10, 'x');
  const Outcome outcome =
      Shell("$NFSCAT -q --rsize=64K --timeo=3 --retrans=0 " + Url("/export/file") + " 1<> $OUT");
  EXPECT_EQ(outcome.exit_status, 6) << outcome.err;
  EXPECT_TRUE(Contents() == PatternText(13107200) + std::string(kSize + 10 - 13107200, 'x'));
}

// --- Errors ------------------------------------------------------------------------

TEST_P(File, ThatMayNotGrowAnyMoreIsCutToWhatIsWholeAndTheErrorSaysHowMuchThatIs) {
  Rules("READ hold=4 order=3,2,1,0");
  const Outcome outcome = Copy("ulimit -f 20000; ");  // of 512 bytes each
  EXPECT_EQ(outcome.exit_status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(path_ + ": write: EFBIG (27): File too large; its first "));
  const uint64_t whole = ToldWhole(outcome);
  EXPECT_LE(whole, 20000u * 512);
  EXPECT_GT(whole, 1'000'000u);
  ExpectWhole(whole);
}

TEST_P(File, OnAFullDiskIsCutToWhatIsWholeAndTheErrorSaysHowMuchThatIs) {
  Rules("READ hold=4 order=3,2,1,0");
  const std::string disk = path_ + ".disk";
  const Outcome outcome =
      Shell("mkdir -p " + disk + "; export disk=" + disk + " url=" + Url("/export/file") +
            "; exec unshare -m sh -c 'mount -t tmpfs -o size=8m none $disk || exit 77; "
            "$NFSCAT --rsize=64K -o $disk/out $url; status=$?; cp $disk/out $OUT; exit $status'");
  if (outcome.exit_status == 77 || outcome.err.find("unshare") != std::string::npos) {
    GTEST_SKIP() << "NOT TESTED here: no file systems to be mounted: " << outcome.err;
  }
  EXPECT_EQ(outcome.exit_status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("/out: write: ENOSPC (28): No space left on device; its "));
  EXPECT_GT(ToldWhole(outcome), 1'000'000u);
  ExpectWhole(ToldWhole(outcome));
}

TEST_P(File, IsCutToWhatIsWholeWhenTheServerStopsAnswering) {
  Rules("READ offset=6553600..6619135 drop");
  const Outcome outcome = Copy("", "-v --timeo=3 --retrans=0");
  EXPECT_EQ(outcome.exit_status, 6) << outcome.err;
  EXPECT_EQ(ToldWhole(outcome), 6553600u);
  ExpectWhole(6553600);
}

TEST_P(File, IsCutToWhatIsWholeOfTheFileThatShrinksWhileItIsRead) {
  Rules("READ hold=4 order=3,2,1,0");
  Rules("READ nth=100 truncate=7000000");
  const Outcome outcome = Copy("", "-v");
  EXPECT_EQ(outcome.exit_status, 7) << outcome.err;
  ASSERT_LE(ToldWhole(outcome), 100u * 65536);
  ExpectWhole(ToldWhole(outcome));
}

TEST_P(File, IsCutToWhatIsWholeWhenASignalEndsTheProgram) {
  Rules("READ offset=6553600..6619135 drop");
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Outcome outcome = Shell("exec timeout -s " + std::string(signal) +
                                  " 1 $NFSCAT --rsize=64K -o $OUT " + Url("/export/file"));
    EXPECT_EQ(outcome.exit_status, 124) << outcome.err;
    EXPECT_EQ(outcome.err, "") << signal;
    const size_t whole = Contents().size();  // less where a second is too short
    EXPECT_LE(whole, 6553600u);
    ExpectWhole(whole);
  }
}

TEST_P(File, GetsTheNextTargetBehindWhatIsWholeOfOneThatFailed) {
  Rules("READ offset=6553600..6619135 status=IO");
  const Outcome outcome =
      Shell("$NFSCAT --rsize=64K -o $OUT " + Url("/export/file") + " " + Url("/export/hello"));
  EXPECT_EQ(outcome.exit_status, 5) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("whole"))) << "only when asked";
  const size_t whole = Contents().size() - 6;
  EXPECT_LE(whole, 6553600u);
  EXPECT_TRUE(Contents() == PatternText(whole) + "hello\n");
}

INSTANTIATE_TEST_SUITE_P(Engines, File, testing::Values("--io=auto", "--io=poll"),
                         [](const auto& test) { return std::string(test.param + 5); });

}  // namespace
}  // namespace nfs
