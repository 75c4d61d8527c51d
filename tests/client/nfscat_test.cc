// The program itself, against the embedded server on loopback: what comes out, what the
// shell sees, what it says.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
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
#include "tests/support/sha256.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

using support::Command;
using support::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kNfscat[] = "client/tools/nfscat";

class NfscatTest : public testing::Test, protected ServedExport {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    served_.tree().AddFile("/export/hello", server::BytesContents("hello\n"));
    Serve();
  }

  Command CommandOf(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), kNfscat);
    return {.argv = arguments};
  }
  Outcome Run(const std::vector<std::string>& arguments) {
    return support::RunProgram(CommandOf(arguments));
  }
  std::string TempFile(const char* name) { return testing::TempDir() + name; }

  void ExpectExit(const std::vector<std::string>& arguments, int status, const char* words) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.exit_status, status) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_THAT(outcome.err, StartsWith("nfscat: "));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }

  static constexpr uint64_t kSize = 5'000'001;
};

std::string FileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// --- What comes out ----------------------------------------------------------------

TEST_F(NfscatTest, WritesExactlyTheFileWithEveryEngineSizeAndWindow) {
  const std::string expected = PatternText(0, kSize);
  for (const char* io : {"--io=auto", "--io=poll"}) {
    for (const char* rsize : {"--rsize=4K", "--rsize=32K", "--rsize=1M"}) {
      for (const char* slots : {"--slots=1", "--slots=2", "--slots=64"}) {
        for (const char* readahead : {"--readahead=0", "--readahead=64K", "--readahead=16M"}) {
          const Outcome outcome = Run({io, rsize, slots, readahead, Url("/export/file")});
          EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
          EXPECT_TRUE(outcome.out == expected) << io << rsize << slots << readahead;
        }
      }
    }
  }
}

TEST_F(NfscatTest, SaysAtTheEndWhatWasMeasured) {
  const Outcome text = Run({"--stats", "--rsize=64K", Url("/export/file")});
  EXPECT_THAT(text.err, StartsWith("5000001 bytes in "));
  EXPECT_THAT(text.err, HasSubstr("READs:       77 of 65536 bytes; 0 short, 0 sent again"));
  EXPECT_THAT(text.err, HasSubstr("limited by:  "));
  EXPECT_TRUE(text.out == PatternText(0, kSize));
}

TEST_F(NfscatTest, SaysItForMachinesInOneLineForEachTarget) {
  const Outcome json =
      Run({"--stats=json", "--slots=8", Url("/export/file"), Url("/export/hello")});
  EXPECT_EQ(std::ranges::count(json.err, '\n'), 2) << json.err;
  EXPECT_THAT(json.err, StartsWith("{\"bytes\":5000001,\"seconds\":"));
  EXPECT_THAT(json.err, HasSubstr("\n{\"bytes\":6,"));
  EXPECT_THAT(json.err, HasSubstr("\"slots\":8,"));
}

TEST_F(NfscatTest, SaysItAfterAnErrorToo) {
  ASSERT_TRUE(served_.AddRules("READ offset=1048576.. status=NFS3ERR_IO").ok());
  const Outcome outcome = Run({"--stats=json", "--rsize=64K", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("{\"bytes\":1048576,"));
  EXPECT_THAT(outcome.err, HasSubstr("NFS3ERR_IO (5)"));
}

// One that takes too long is measured all the same.
TEST_F(NfscatTest, SaysWhatItMeasuredWhenASignalEndsIt) {
  Rules("READ offset=1M.. drop");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    support::Subprocess program(CommandOf({"--stats=json", "--rsize=64K", Url("/export/file")}));
    ASSERT_TRUE(program.AwaitOutput(1 << 20));
    program.Signal(signal);
    const Outcome outcome = program.Finish();
    EXPECT_EQ(outcome.signal, signal) << outcome.exit_status;
    EXPECT_THAT(outcome.err, StartsWith("{\"bytes\":1048576,"));
    EXPECT_THAT(outcome.err, HasSubstr("\"bottleneck\":"));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
}

TEST_F(NfscatTest, ExplainsWhatLimitedIt) {
  const Outcome outcome = Run({"--explain", "--rsize=64K", Url("/export/file")});
  EXPECT_THAT(outcome.err, StartsWith("What limited " + Url("/export/file") + ": "));
  EXPECT_THAT(outcome.err, HasSubstr("\n  because "));
}

TEST_F(NfscatTest, WritesExactlyTheFileOverAnyNumberOfConnections) {
  const std::string expected = PatternText(0, kSize);
  for (const char* io : {"--io=auto", "--io=poll"}) {
    for (const char* nconnect : {"--nconnect=2", "--nconnect=4", "--nconnect=16"}) {
      for (const char* rsize : {"--rsize=4K", "--rsize=256K"}) {
        const Outcome outcome = Run({io, nconnect, rsize, Url("/export/file")});
        EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
        EXPECT_TRUE(outcome.out == expected) << io << nconnect << rsize;
      }
    }
  }
}

TEST_F(NfscatTest, SaysOnRequestWhichConnectionCouldNotBeMadeAgain) {
  Rules("READ connection=4 nth=1 rst=0 refuse=1h");
  const Outcome outcome = Run({"-v", "--nconnect=4", "--rsize=64K", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out == PatternText(0, kSize));
  EXPECT_THAT(outcome.err, HasSubstr("a connection is given up, "));
}

TEST_F(NfscatTest, WritesSeveralTargetsInTheirOrder) {
  EXPECT_EQ(Run({Url("/export/hello"), Url("/export/hello")}).out, "hello\nhello\n");
}

TEST_F(NfscatTest, WritesTheOthersWhenOneFailsAndExitsWithTheFirstError) {
  const Outcome outcome =
      Run({Url("/export/hello"), Url("/export/missing"), Url("/export/hello"), Url("/nowhere/x")});
  EXPECT_EQ(outcome.out, "hello\nhello\n");
  EXPECT_EQ(outcome.exit_status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("missing"));
  EXPECT_THAT(outcome.err, HasSubstr("MNT3ERR_"));
}

TEST_F(NfscatTest, WritesARangeOfTheFile) {
  EXPECT_EQ(Run({"--offset=1M", "--length=100", Url("/export/file")}).out,
            PatternText(1 << 20, 100));
}

TEST_F(NfscatTest, WritesToAFileWhichItEmptiesFirst) {
  const std::string path = TempFile("out");
  std::ofstream(path) << std::string(10'000'000, 'x');
  const Outcome outcome = Run({"-o", path, Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(FileText(path) == PatternText(0, kSize));
}

TEST_F(NfscatTest, LeavesNoMountBehind) {
  Run({Url("/export/hello")});
  EXPECT_EQ(served_.log().counters().mounts, 1u);
  EXPECT_EQ(served_.log().counters().unmounts, 1u);
}

TEST_F(NfscatTest, PipelinesOverRealTcpToo) {
  Rules("READ delay=50ms");
  served_.tree().AddFile("/export/big", server::PatternContents(64 << 20));
  const Outcome outcome =
      Run({"--rsize=1M", "--readahead=16M", "--no-progress", Url("/export/big")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out_bytes, 64u << 20);
  EXPECT_EQ(served_.log().counters().reads, 64u);
  EXPECT_GE(served_.log().counters().max_reads_in_flight, 15u);
}

// --- Usage -------------------------------------------------------------------------

TEST_F(NfscatTest, ABadOptionOrTargetExitsWithTwoAndOneLine) {
  ExpectExit({}, 2, "no target");
  ExpectExit({"--bogus", Url("/export/hello")}, 2, "there is no option '--bogus'");
  ExpectExit({"--rsize=banana", Url("/export/hello")}, 2, "rsize: 'banana' is not a size");
  ExpectExit({"http://server/file"}, 2, "give nfs://host/path");
  ExpectExit({"/etc/passwd"}, 2, "give nfs://host/path");
  ExpectExit({Url("/export/hello") + "&bogus=1"}, 2, "unknown URL key 'bogus'");
}

TEST_F(NfscatTest, ABadTargetIsFoundBeforeAnythingIsWritten) {
  const Outcome outcome = Run({Url("/export/hello"), "nonsense"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_EQ(outcome.out, "");
}

TEST_F(NfscatTest, HelpAndVersionGoToStandardOutput) {
  const Outcome help = Run({"--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_THAT(help.out, StartsWith("Usage: nfscat"));
  EXPECT_THAT(Run({"--version"}).out, StartsWith("nfscat "));
}

TEST_F(NfscatTest, AKeyOfLibnfsWithoutEffectWarnsUnlessQuiet) {
  const std::string url = Url("/export/hello") + "&autoreconnect=3";
  const Outcome outcome = Run({url});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "hello\n");
  EXPECT_EQ(outcome.err, "nfscat: URL key 'autoreconnect' has no effect\n");
  EXPECT_EQ(Run({"-q", url}).err, "");
}

// --- Servers that are not what they should be -----------------------------------------

TEST_F(NfscatTest, AServerThatIsNotThereExitsWithThree) {
  const std::string url = Url("/export/hello");
  loopback_.reset();
  ExpectExit({url}, 3, "ECONNREFUSED (111)");
}

TEST_F(NfscatTest, AHostThatDoesNotExistExitsWithThree) {
  ExpectExit({"nfs://no-such-host.invalid/export/hello"}, 3, "no-such-host.invalid");
}

TEST_F(NfscatTest, ASilentServerExitsWithSixWithinItsTime) {
  Rules("CONNECT silent");
  ExpectExit({"-q", "--timeo=3", "--retrans=1", Url("/export/hello")}, 6, "no reply within");
}

TEST_F(NfscatTest, ASilentServerIsToldOfInTheWordsOfTheKernelsClient) {
  Rules("READ nth=2 delay=6s");
  const Outcome outcome = Run({"--rsize=4K", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.err,
            "nfs: server 127.0.0.1 not responding, still trying\nnfs: server 127.0.0.1 OK\n");
}

TEST_F(NfscatTest, AServerThatStopsAnsweringExitsWithSixAfterWhatCame) {
  Rules("READ offset=65536.. drop");
  const Outcome outcome = Run({"--rsize=4K", "--timeo=3", "--retrans=1", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 6) << outcome.err;
  EXPECT_EQ(outcome.out, PatternText(0, 65536));
}

TEST_F(NfscatTest, AServerThatSpeaksHttpExitsWithEight) {
  Rules("CONNECT raw=HTTP/1.1%20400%20Bad%20Request%0d%0a%0d%0a");
  ExpectExit({Url("/export/hello")}, 8, "does not speak ONC RPC");
}

TEST_F(NfscatTest, AnAbsurdRecordExitsWithEightAndLittleMemory) {
  Rules("READ nth=1 raw=%ff%ff%ff%ffxxxx");
  const Outcome outcome = Run({Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 8) << outcome.err;
  if (support::kPeakIsTheProgramsOwn) {
    EXPECT_LT(outcome.peak_resident_bytes, 64u << 20);
  }
}

TEST_F(NfscatTest, AReplyCutShortIsNeverPassedOnAsData) {
  Rules("READ offset=65536.. fin=2000");
  const Outcome outcome = Run({"--rsize=4K", "--timeo=5", "--retrans=1", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 6) << outcome.err;
  EXPECT_EQ(outcome.out.size() % 4096, 0u);
  EXPECT_EQ(outcome.out, PatternText(0, outcome.out.size()));
}

TEST_F(NfscatTest, AFileThatShrinksExitsWithSeven) {
  Rules("READ nth=3 truncate=20000");
  const Outcome outcome = Run({"--rsize=4K", "--readahead=0", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 7) << outcome.err;
}

TEST_F(NfscatTest, ErrorsOfTheServerHaveTheFormThatScriptsKnow) {
  Rules("READ status=STALE");
  const Outcome outcome = Run({Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 5);
  const std::string server = "[127.0.0.1:" + std::to_string(loopback_->nfs_port()) + "]\n";
  EXPECT_EQ(outcome.err, "nfscat: " + Url("/export/file") +
                             ": READ: NFS3ERR_STALE (70): Stale file handle " + server);
}

// --- Outputs that fail -----------------------------------------------------------------

TEST_F(NfscatTest, AFullDiskExitsWithOne) {
  for (const char* io : {"--io=auto", "--io=poll"}) {
    const Outcome outcome = Run({io, "-o", "/dev/full", Url("/export/file")});
    EXPECT_EQ(outcome.exit_status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("/dev/full: write: ENOSPC (28)"));
    Command to_full = CommandOf({io, Url("/export/hello")});
    to_full.stdout_path = "/dev/full";
    EXPECT_EQ(support::RunProgram(to_full).exit_status, 1);
  }
}

TEST_F(NfscatTest, AnOutputFileThatCannotBeMadeExitsWithOne) {
  ExpectExit({"-o", "/no/such/folder/out", Url("/export/hello")}, 1,
             "/no/such/folder/out: open: ENOENT (2)");
}

TEST_F(NfscatTest, AClosedPipeEndsItQuietlyBySigpipe) {
  // More than a pipe holds, which is much by splice: a page of it may lend 64 KiB.
  served_.tree().AddFile("/export/large", server::PatternContents(uint64_t{1} << 30));
  for (const char* io : {"--io=auto", "--io=poll"}) {
    // The shell's own words for the exit status of the first in a pipe.
    const std::string script = "{ '" + std::string(kNfscat) + "' " + io + " '" +
                               Url("/export/large") + "'; echo $? >&2; } | head -c 10";
    const Outcome outcome = support::RunProgram({.argv = {"/bin/sh", "-c", script}});
    EXPECT_EQ(outcome.out, PatternText(0, 10));
    EXPECT_EQ(outcome.err, std::to_string(128 + SIGPIPE) + "\n") << io;
  }
}

TEST_F(NfscatTest, AClosedStandardOutputExitsWithOne) {
  const std::string script =
      "exec '" + std::string(kNfscat) + "' '" + Url("/export/hello") + "' >&-";
  const Outcome outcome = support::RunProgram({.argv = {"/bin/sh", "-c", script}});
  EXPECT_EQ(outcome.exit_status, 1) << outcome.err;
}

TEST_F(NfscatTest, TheExampleCountsLines) {
  served_.tree().AddFile("/export/lines", server::BytesContents("a\nb\nc\n"));
  const Outcome outcome =
      support::RunProgram({.argv = {"client/examples/count_lines", Url("/export/lines")}});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "3\n");
  EXPECT_EQ(support::RunProgram({.argv = {"client/examples/count_lines", "nonsense"}}).exit_status,
            1);
}

}  // namespace
}  // namespace nfs
