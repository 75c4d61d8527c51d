// What befalls a real server in the middle of a file of 2 GiB: every byte arrives, once,
// or nfscat says why not.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ganesha/interrupted_stream.h"
#include "tests/ganesha/nfscat_site.h"
#include "tests/support/packet_filter.h"
#include "tests/support/pattern_file.h"
#include "tests/support/subprocess.h"

namespace ganesha {
namespace {

using support::Outcome;
using support::PacketFilter;
using ::testing::HasSubstr;

constexpr char kNotResponding[] = "nfs: server 127.0.0.1 not responding, still trying\n";
constexpr char kRespondsAgain[] = "nfs: server 127.0.0.1 OK\n";

// The file that is read, and what it is compared with when it does not stay as it was.
const std::string& File() {
  static const auto* const path = new std::string(absl::StrCat(kWatchedExport, "/2GiB"));
  return *path;
}

const std::string& FileDigest() {
  static const auto* const digest = new std::string(support::FileSha256(File()));
  return *digest;
}

// A loaded machine may make the server's absence long enough to be told.
std::string WithoutNotices(const std::string& err) {
  std::string rest = err;
  for (const std::string notice : {kNotResponding, kRespondsAgain}) {
    for (size_t at; (at = rest.find(notice)) != std::string::npos;) rest.erase(at, notice.size());
  }
  return rest;
}

void ExpectExact(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out_bytes, kInterruptedSize);
  EXPECT_EQ(outcome.out_sha256, FileDigest());
  EXPECT_EQ(WithoutNotices(outcome.err), "");
}

// What came is the beginning of `path`, and only that.
void ExpectPrefix(const Outcome& outcome, const std::string& path) {
  EXPECT_GE(outcome.out_bytes, kMiddle);
  EXPECT_LT(outcome.out_bytes, kInterruptedSize);
  EXPECT_EQ(outcome.out_sha256, support::FileSha256(path, 0, outcome.out_bytes));
}

class RestartsTest : public NfscatTest {
 protected:
  void SetUp() override {
    NfscatTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    static const bool written = (WriteInterruptedFile(File()), true);
    ASSERT_TRUE(written && !FileDigest().empty());
  }

  static void StartAgain() {
    const absl::Status started = server().Start();
    ASSERT_TRUE(started.ok()) << started;
  }
};

// --- The server's process ----------------------------------------------------------

TEST_F(RestartsTest, AServerThatIsKilledAndComesBackIsReadOn) {
  InterruptedStream stream(File(), {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  EXPECT_LT(stream.Take(absl::Seconds(3)), kInterruptedSize);
  StartAgain();
  EXPECT_TRUE(stream.AwaitRecovery("killed"));
  ExpectExact(stream.Finish());
}

TEST_F(RestartsTest, AServerThatIsStoppedInOrderAndComesBackIsReadOn) {
  InterruptedStream stream(File(), {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Stop();
  EXPECT_LT(stream.Take(absl::Seconds(1)), kInterruptedSize);
  StartAgain();
  EXPECT_TRUE(stream.AwaitRecovery("stopped"));
  ExpectExact(stream.Finish());
}

TEST_F(RestartsTest, AServerThatRestartsTwiceIsReadOn) {
  InterruptedStream stream(File(), {"--io=poll"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  stream.Take(absl::Seconds(1));
  StartAgain();
  EXPECT_TRUE(stream.AwaitRecovery("killed_once"));
  server().Kill();
  EXPECT_LT(stream.Take(absl::Seconds(1)), kInterruptedSize);
  StartAgain();
  EXPECT_TRUE(stream.AwaitRecovery("killed_twice"));
  ExpectExact(stream.Finish());
}

TEST_F(RestartsTest, OneReadAtATimeSurvivesARestart) {
  InterruptedStream stream(File(), {"--slots=1", "--readahead=0"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  stream.Take(absl::Seconds(1));
  StartAgain();
  EXPECT_TRUE(stream.AwaitRecovery("one_read_at_a_time"));
  ExpectExact(stream.Finish());
}

// Ganesha cannot start without rpcbind, so nfscat is held for as long as both are there.
TEST_F(RestartsTest, TheServersNfsIsEnoughToReadOnWhenItsRpcbindIsGone) {
  InterruptedStream stream(File(), {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  server().StopRpcbind();
  stream.Take(absl::Seconds(1));
  stream.nfscat().Signal(SIGSTOP);
  StartAgain();
  server().StopRpcbind();
  stream.nfscat().Signal(SIGCONT);
  EXPECT_TRUE(stream.AwaitRecovery("killed_with_rpcbind"));
  ExpectExact(stream.Finish());
  server().Stop();
}

TEST_F(RestartsTest, AServerThatHangsForSecondsIsWaitedFor) {
  InterruptedStream stream(File(), {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Freeze();
  EXPECT_LT(stream.Take(absl::Seconds(2)), kInterruptedSize);
  server().Thaw();
  EXPECT_TRUE(stream.AwaitRecovery("frozen_2s"));
  ExpectExact(stream.Finish());
}

TEST_F(RestartsTest, AServerThatHangsForLongerThanTimeoIsReadOnAndItsAbsenceIsTold) {
  InterruptedStream stream(File(), {"--timeo=30"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Freeze();
  EXPECT_LT(stream.Take(absl::Seconds(5)), kInterruptedSize);
  server().Thaw();
  EXPECT_TRUE(stream.AwaitRecovery("frozen_5s_timeo_3s"));
  const Outcome outcome = stream.Finish();
  ExpectExact(outcome);
  EXPECT_THAT(outcome.err, HasSubstr(absl::StrCat(kNotResponding, kRespondsAgain)));
}

TEST_F(RestartsTest, AServerThatStaysAwayExitsWithSixAndAPrefix) {
  InterruptedStream stream(File(), {"--timeo=10", "--retrans=1"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  const Outcome outcome = stream.Finish();
  EXPECT_EQ(outcome.exit_status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("READ: RPC: no reply within 2s"));
  EXPECT_THAT(outcome.err, HasSubstr("[127.0.0.1:20490]"));
  ExpectPrefix(outcome, File());
}

TEST_F(RestartsTest, AServerThatStaysFrozenExitsWithSixAndAPrefix) {
  InterruptedStream stream(File(), {"--timeo=10", "--retrans=1"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Freeze();
  const Outcome outcome = stream.Finish();
  server().Thaw();
  EXPECT_EQ(outcome.exit_status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("READ: RPC: no reply within 2s"));
  ExpectPrefix(outcome, File());
}

TEST_F(RestartsTest, HardIsStillTryingAndEndsBySigintAtOnce) {
  InterruptedStream stream(File(), {"--hard", "--timeo=10", "--retrans=1"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  stream.Take(absl::Seconds(3));
  EXPECT_TRUE(stream.nfscat().running());
  stream.nfscat().Signal(SIGINT);
  const Outcome outcome = stream.Finish();
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_EQ(outcome.err, kNotResponding);
  ExpectPrefix(outcome, File());
}

TEST_F(RestartsTest, HardReadsOnWhereSoftHasGivenUp) {
  InterruptedStream stream(File(), {"--hard", "--timeo=10", "--retrans=1"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  server().Kill();
  stream.Take(absl::Seconds(3));
  StartAgain();
  EXPECT_TRUE(stream.AwaitRecovery("hard_killed_3s"));
  ExpectExact(stream.Finish());
}

// --- The file ----------------------------------------------------------------------

struct Change {
  const char* name;
  void (*apply)(const std::string& path);
  // When the server keeps running, and when it is restarted meanwhile.
  int exit_running;
  int exit_restarted;
  const char* text_running;
  const char* text_restarted;
};

void RewriteInPlace(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(1).put('x');
}

void Truncate(const std::string& path) { std::filesystem::resize_file(path, kMiddle + 12345); }

void ReplaceByRename(const std::string& path) {
  WriteInterruptedFile(path + ".new");
  std::filesystem::rename(path + ".new", path);
}

void Remove(const std::string& path) { std::filesystem::remove(path); }

// A file that is open on a running server stays what it was, for all who have it open.
constexpr Change kChanges[] = {
    {"RewrittenInPlace", RewriteInPlace, 7, 7, "was written to while", "was written to while"},
    {"Truncated", Truncate, 7, 7, "the file shrank while it was read", "the file shrank"},
    {"ReplacedByRename", ReplaceByRename, 0, 7, "", "its path leads to another file"},
    {"Removed", Remove, 0, 5, "", "NFS3ERR_NOENT (2)"},
};

struct ChangeCase {
  Change change;
  bool restarts;
};

class ChangesTest : public RestartsTest, public ::testing::WithParamInterface<ChangeCase> {
 public:
  static std::string Name(const ::testing::TestParamInfo<ChangeCase>& test) {
    return absl::StrCat(test.param.change.name,
                        test.param.restarts ? "WhileTheServerRestarts" : "WhileTheServerRuns");
  }

  static std::vector<ChangeCase> Cases() {
    std::vector<ChangeCase> cases;
    for (const Change& change : kChanges) {
      for (bool restarts : {false, true}) cases.push_back({change, restarts});
    }
    return cases;
  }
};

TEST_P(ChangesTest, IsSeen) {
  const auto& [change, restarts] = GetParam();
  const std::string path = absl::StrCat(kWatchedExport, "/changing");
  WriteInterruptedFile(path);
  InterruptedStream stream(path, {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  if (restarts) server().Kill();
  change.apply(path);
  if (restarts) StartAgain();
  const Outcome outcome = stream.Finish();
  const int expected = restarts ? change.exit_restarted : change.exit_running;
  EXPECT_EQ(outcome.exit_status, expected);
  EXPECT_THAT(outcome.err, HasSubstr(restarts ? change.text_restarted : change.text_running));
  if (expected == 0) return ExpectExact(outcome);
  ExpectPrefix(outcome, File());
}

INSTANTIATE_TEST_SUITE_P(OfTheFile, ChangesTest, ::testing::ValuesIn(ChangesTest::Cases()),
                         &ChangesTest::Name);

// --- The reader --------------------------------------------------------------------

// With a shorter limit for that than the site's server has. Ganesha looks for idle
// connections after every thousand messages or so, and a neighbour sends those.
TEST_F(RestartsTest, AConnectionThatTheServerClosedWhileTheReaderRestedIsReplaced) {
  server().Stop();
  server().StopRpcbind();
  GaneshaServer hasty({.exports = {{.path = kWatchedExport}},
                       .nfs_port = kNfsPort,
                       .mount_port = kMountPort,
                       .idle_timeout_s = 1});
  const absl::Status started = hasty.Start();
  ASSERT_TRUE(started.ok()) << started;
  InterruptedStream stream(File(), {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!support::PortsConnectedTo(kNfsPort).empty() && absl::Now() < deadline) {
    Nfscat({"--rsize=4K", "--slots=1", "--length=8M", Url(File())});
  }
  ASSERT_TRUE(support::PortsConnectedTo(kNfsPort).empty()) << "still open";
  ExpectExact(stream.Finish());
}

// --- The path between --------------------------------------------------------------

class CutsTest : public RestartsTest {
 protected:
  void SetUp() override {
    RestartsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const absl::Status filter = PacketFilter::Check();
    if (!filter.ok()) GTEST_SKIP() << "no packet filter here: " << filter;
  }

  static std::string ToServer(const std::string& what) {
    return absl::StrCat("tcp dport ", kNfsPort, " ", what);
  }
  static std::string FromServer(const std::string& what) {
    return absl::StrCat("tcp sport ", kNfsPort, " ", what);
  }
};

// As when a firewall between has lost its state: neither end hears of it.
TEST_F(CutsTest, AConnectionThatGoesNowhereIsReplacedByAnother) {
  InterruptedStream stream(File(), {"--timeo=30"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  const std::vector<uint16_t> ports = support::PortsConnectedTo(kNfsPort);
  ASSERT_EQ(ports.size(), 1u);
  PacketFilter cut({ToServer(absl::StrCat("tcp sport ", ports[0], " drop")),
                    FromServer(absl::StrCat("tcp dport ", ports[0], " drop"))});
  ASSERT_TRUE(cut.status().ok()) << cut.status();
  EXPECT_LT(stream.Take(absl::Milliseconds(500)), kInterruptedSize);
  EXPECT_TRUE(stream.AwaitRecovery("connection_dropped_timeo_3s"));
  ExpectExact(stream.Finish());
}

TEST_F(CutsTest, AServerBehindABlackHoleIsReadOnWhenThePathIsBack) {
  InterruptedStream stream(File(), {"--timeo=40", "--retrans=5"});
  ASSERT_TRUE(stream.IsInTheMiddle());
  PacketFilter cut({ToServer("drop"), FromServer("drop")});
  ASSERT_TRUE(cut.status().ok()) << cut.status();
  EXPECT_LT(stream.Take(absl::Seconds(8)), kInterruptedSize);
  cut.Lift();
  EXPECT_TRUE(stream.AwaitRecovery("black_hole_8s_timeo_4s"));
  const Outcome outcome = stream.Finish();
  ExpectExact(outcome);
  EXPECT_THAT(outcome.err, HasSubstr(absl::StrCat(kNotResponding, kRespondsAgain)));
}

TEST_F(CutsTest, AFirewallThatResetsConnectionsAndRefusesNewOnesIsOutlasted) {
  InterruptedStream stream(File(), {});
  ASSERT_TRUE(stream.IsInTheMiddle());
  PacketFilter cut({ToServer("reject with tcp reset")});
  ASSERT_TRUE(cut.status().ok()) << cut.status();
  EXPECT_LT(stream.Take(absl::Seconds(3)), kInterruptedSize);
  cut.Lift();
  EXPECT_TRUE(stream.AwaitRecovery("reset_3s"));
  ExpectExact(stream.Finish());
}

}  // namespace
}  // namespace ganesha
