// The program itself, with its output going to a pipe: data that goes there without a copy,
// data that cannot, and readers that are slow, late or gone.
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/served_export.h"
#include "tests/io/child.h"
#include "tests/server/contents.h"
#include "tests/server/loopback_server.h"
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

class Pipe : public testing::TestWithParam<const char*>, protected ServedExport {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    Serve();
  }

  // nfscat -v into `reader`, a command of the shell, and the exit status of nfscat behind
  // what it said.
  Outcome RunInto(const std::string& reader) {
    const std::string script = "{ '" + std::string(kNfscat) + "' -v " + GetParam() + " '" +
                               loopback_->Url("/export/file") + "'; echo $? >&2; } | " + reader;
    return support::RunProgram({.argv = {"/bin/sh", "-c", script}});
  }

  void ExpectAllInto(const std::string& reader) {
    const Outcome outcome = RunInto(reader);
    EXPECT_TRUE(outcome.out == PatternText(kSize)) << outcome.out.size() << " bytes";
    EXPECT_THAT(outcome.err, testing::EndsWith("\n0\n"));
    EXPECT_THAT(outcome.err, HasSubstr(" of 20000001 bytes to the pipe"));
  }
};

TEST_P(Pipe, GetsAllBytesMostOfThemWithoutACopy) {
  const Outcome outcome = RunInto("cat");
  EXPECT_TRUE(outcome.out == PatternText(kSize)) << outcome.out.size() << " bytes";
  EXPECT_THAT(outcome.err, HasSubstr(" of 20000001 bytes to the pipe"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("spliced 0 of")));
}

TEST_P(Pipe, GetsAllBytesWhenItsReaderIsLateAndStopsInTheMiddle) {
  ExpectAllInto("{ sleep 0.3; head -c 1000000; sleep 0.2; head -c 7654321; sleep 0.1; cat; }");
}

TEST_P(Pipe, GetsAllBytesWhenItsReaderTakesFewAtATime) { ExpectAllInto("dd bs=1000 status=none"); }

TEST_P(Pipe, GetsAllBytesInOrderWhenRepliesAreNot) {
  Rules("READ hold=4 order=3,2,1,0");
  ExpectAllInto("cat");
}

TEST_P(Pipe, GetsAllBytesOnceWhenConnectionsAreLostInTheMiddleOfData) {
  Rules("READ nth=3 rst=500000");
  Rules("READ nth=9 fin=1000000");
  Rules("READ nth=14 rst=140");
  ExpectAllInto("cat");
}

TEST_P(Pipe, GetsAllBytesOfServersWithStrangeReplies) {
  Rules("READ every=3 frag=70000");
  Rules("READ every=4 short=100001");
  Rules("READ every=5 noattr");
  Rules("READ every=7 verifier=6:399");
  ExpectAllInto("cat");
}

TEST_P(Pipe, GetsAllBytesOfSeveralFiles) {
  const std::string url = loopback_->Url("/export/file");
  const Outcome outcome = support::RunProgram({.argv = {kNfscat, GetParam(), url, url}});
  EXPECT_TRUE(outcome.out == PatternText(kSize) + PatternText(kSize)) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST_P(Pipe, WhoseReaderLeavesEndsItQuietlyBySigpipe) {
  const std::string sigpipe = std::to_string(128 + SIGPIPE) + "\n";
  for (const char* bytes : {"10", "3000000", "12345678"}) {
    const Outcome outcome = RunInto(std::string("head -c ") + bytes);
    EXPECT_TRUE(outcome.out == PatternText(std::stoul(bytes))) << outcome.out.size() << " bytes";
    EXPECT_THAT(outcome.err, testing::EndsWith(sigpipe)) << bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Pipe, testing::Values("--io=auto", "--io=poll"),
                         [](const auto& test) { return std::string(test.param + 5); });

// As in containers whose filter of system calls is older than splice.
TEST(PipeWithoutSplice, GetsAllBytesAndStandardErrorTellsWhyWhenAsked) {
  io::ExpectPassesInChild([] {
    if (!io::BlockSystemCall(SYS_splice, ENOSYS)) return;
    server::Server served;
    served.tree().AddFile("/export/file", server::PatternContents(kSize));
    auto loopback = server::LoopbackServer::Start(served);
    ASSERT_TRUE(loopback.ok()) << loopback.status();
    const std::string url = (*loopback)->Url("/export/file");
    for (const char* option : {"-v", "-q"}) {
      const Outcome outcome = support::RunProgram({.argv = {kNfscat, option, url}});
      EXPECT_TRUE(outcome.out == PatternText(kSize)) << outcome.out.size() << " bytes";
      const char* const words = "nfscat: copying to the pipe: splice: ENOSYS (38)";
      EXPECT_EQ(outcome.err.find(words) != std::string::npos, option == std::string("-v"));
    }
  });
}

}  // namespace
}  // namespace nfs
