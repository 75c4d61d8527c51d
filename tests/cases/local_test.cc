// This side of the wire: signals, outputs that fail, machines without io_uring or
// without free ports. The program itself, or the library in this process, against the
// embedded server on loopback.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "client/errors.h"
#include "client/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/unique_fd.h"
#include "rpc/rpcbind.h"
#include "tests/io/child.h"
#include "tests/server/contents.h"
#include "tests/server/loopback_server.h"
#include "tests/server/server.h"
#include "tests/support/private_machine.h"
#include "tests/support/sha256.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

using support::Command;
using support::Outcome;
using support::Subprocess;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

constexpr char kNfscat[] = "client/tools/nfscat";
constexpr uint64_t kSize = 5'000'001;
const char* const kEngines[] = {"--io=auto", "--io=poll"};

std::string PatternText(uint64_t offset, size_t bytes) {
  std::string text(bytes, '\0');
  server::FillPattern(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

class LocalCase : public testing::Test {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    served_.tree().AddFile("/export/hello", server::BytesContents("hello\n"));
    Serve({});
  }

  void Serve(const server::ListenOptions& options) {
    loopback_.reset();
    auto loopback = server::LoopbackServer::Start(served_, options);
    ASSERT_TRUE(loopback.ok()) << loopback.status();
    loopback_ = *std::move(loopback);
  }

  void Rules(const char* rules) { ASSERT_TRUE(served_.AddRules(rules).ok()); }
  std::string Url(const char* path = "/export/file") { return loopback_->Url(path); }

  static Command CommandOf(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), kNfscat);
    return {.argv = arguments};
  }
  static Outcome Run(const std::vector<std::string>& arguments) {
    return support::RunProgram(CommandOf(arguments));
  }
  // `script` with "$0" for nfscat and "$1" for the file's URL.
  Outcome Shell(const std::string& script) {
    return support::RunProgram({.argv = {"/bin/sh", "-c", script, kNfscat, Url()}});
  }

  static void ExpectWhole(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_TRUE(outcome.out == PatternText(0, kSize)) << outcome.out_bytes << " bytes";
  }

  server::Server served_;
  std::unique_ptr<server::LoopbackServer> loopback_;
};

// --- Signals -----------------------------------------------------------------------------

std::atomic<uint64_t> signals_handled = 0;

// While it lives every other thread of the process gets SIGUSR1 again and again, whose
// handler does nothing and restarts no system call.
class SignalStorm {
 public:
  SignalStorm() {
    struct sigaction action = {};
    action.sa_handler = [](int) { ++signals_handled; };
    sigaction(SIGUSR1, &action, nullptr);
    thread_ = std::thread([this] {
      while (!over_) Strike();
    });
  }
  ~SignalStorm() {
    over_ = true;
    thread_.join();
  }

 private:
  static void Strike() {
    const pid_t self = static_cast<pid_t>(syscall(SYS_gettid));
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
      const pid_t thread = std::atoi(task.path().filename().c_str());
      if (thread != self) syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::atomic<bool> over_ = false;
  std::thread thread_;
};

std::string ReadAll(const std::string& url, Engine engine, absl::Status& status) {
  Options options;
  options.engine = engine;
  options.rsize = 32768;
  options.readahead = 262144;
  std::string all;
  auto reader = FileReader::Open(url, options);
  status = reader.status();
  while (status.ok()) {
    const auto bytes = (*reader)->Next();
    status = bytes.status();
    if (!status.ok() || bytes->empty()) break;
    all.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return all;
}

TEST_F(LocalCase, AStormOfSignalsDisturbsNothing) {
  Rules("READ split=20,1000 every=3\nREAD delay=1ms");
  for (const Engine engine : {Engine::kAuto, Engine::kPoll}) {
    const uint64_t before = signals_handled;
    absl::Status status;
    {
      const SignalStorm storm;
      EXPECT_TRUE(ReadAll(Url(), engine, status) == PatternText(0, kSize));
    }
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_GT(signals_handled, before);
  }
  EXPECT_EQ(served_.log().counters().connections, 2u * 2) << "none was made again";
}

TEST_F(LocalCase, ItIsStoppedAndGoesOnWhereItWas) {
  for (const char* io : kEngines) {
    Subprocess nfscat(CommandOf({io, "--rsize=4K", Url()}));
    for (uint64_t bytes = 1000; bytes < 20000; bytes += 1000) {
      ASSERT_TRUE(nfscat.AwaitOutput(bytes));
      nfscat.Signal(SIGSTOP);
      nfscat.Signal(SIGWINCH);
      nfscat.Signal(SIGCONT);
    }
    ExpectWhole(nfscat.Finish());
  }
}

TEST_F(LocalCase, ItIsStoppedUntilTheServerHasGivenItUpAndGoesOn) {
  for (const char* io : kEngines) {
    Subprocess nfscat(CommandOf({io, "--rsize=4K", Url()}));
    ASSERT_TRUE(nfscat.AwaitOutput(1000));
    nfscat.Signal(SIGSTOP);
    const server::ListenOptions same = {.ports = {{.port = loopback_->nfs_port(), .udp = false}}};
    Serve(same);  // every connection is closed
    nfscat.Signal(SIGCONT);
    ExpectWhole(nfscat.Finish());
  }
}

TEST_F(LocalCase, ItEndsAtOnceByTheSignalThatEndsIt) {
  Rules("READ offset=65536.. drop");
  for (const char* io : kEngines) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      Subprocess nfscat(CommandOf({io, "--rsize=4K", "--hard", Url()}));
      ASSERT_TRUE(nfscat.AwaitOutput(65536));
      nfscat.Signal(signal);
      const Outcome outcome = nfscat.Finish();
      EXPECT_EQ(outcome.signal, signal);
      EXPECT_FALSE(outcome.timed_out);
      EXPECT_EQ(outcome.err, "");
    }
  }
}

// --- Peers and consumers that go away ----------------------------------------------------

TEST_F(LocalCase, TheLibraryLivesThroughResetsAndLeavesSigpipeAlone) {
  Rules("READ every=5 rst=1000\nREAD every=7 fin");
  std::signal(SIGPIPE, SIG_DFL);
  for (const Engine engine : {Engine::kAuto, Engine::kPoll}) {
    absl::Status status;
    EXPECT_TRUE(ReadAll(Url(), engine, status) == PatternText(0, kSize));
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_EQ(std::signal(SIGPIPE, SIG_DFL), SIG_DFL);
}

TEST_F(LocalCase, AConsumerThatHasEnoughEndsTheReadsToo) {
  served_.tree().AddFile("/export/big", server::PatternContents(uint64_t{1} << 40));
  for (const char* io : kEngines) {
    served_.log().Clear();
    const Outcome outcome = support::RunProgram(
        {.argv = {"/bin/sh", "-c", "\"$0\" $2 --readahead=1M --rsize=64K \"$1\" | head -c 1",
                  kNfscat, Url("/export/big"), io}});
    EXPECT_EQ(outcome.out, PatternText(0, 1));
    EXPECT_EQ(outcome.err, "");
    EXPECT_LT(served_.log().counters().reads, 200u);
  }
}

// Who ignores SIGPIPE is told by an error, as cat tells it.
TEST_F(LocalCase, AConsumerThatHasEnoughIsAnErrorWhereSigpipeIsIgnored) {
  const Outcome outcome =
      Shell("trap '' PIPE; { \"$0\" --rsize=64K \"$1\"; echo $? >&2; } | head -c 1");
  EXPECT_EQ(outcome.out, PatternText(0, 1));
  EXPECT_THAT(outcome.err, testing::AnyOf(EndsWith("\n1\n"), "1\n", "141\n")) << outcome.err;
}

// --- Outputs ---------------------------------------------------------------------------------

TEST_F(LocalCase, ADiskThatFillsUpIsToldAndHoldsTheBytesBeforeThat) {
  if (const absl::Status status = support::EnterPrivateMachine(); !status.ok()) {
    GTEST_SKIP() << "NOT TESTED here: " << status;
  }
  Serve({});
  ASSERT_EQ(mkdir("/srv/small", 0755), 0);
  ASSERT_EQ(mount("tmpfs", "/srv/small", "tmpfs", 0, "size=1m"), 0);
  for (const char* io : kEngines) {
    const Outcome outcome = Run({io, "-o", "/srv/small/out", Url()});
    EXPECT_EQ(outcome.exit_status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("/srv/small/out: write: ENOSPC (28)"));
    std::ifstream in("/srv/small/out", std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    EXPECT_TRUE(text.str() == PatternText(0, text.str().size()));
    EXPECT_GT(text.str().size(), 500'000u);
    std::filesystem::remove("/srv/small/out");
  }
}

TEST_F(LocalCase, APipeThatDoesNotBlockAndIsReadSlowlyLosesNothing) {
  for (const char* io : kEngines) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const io::UniqueFd out(ends[0]);
    io::UniqueFd in(ends[1]);
    fcntl(in.get(), F_SETFL, O_NONBLOCK);
    std::string text;
    std::thread reader([&] {
      std::vector<char> space(7000);
      for (ssize_t size; (size = read(out.get(), space.data(), space.size())) > 0;) {
        text.append(space.data(), static_cast<size_t>(size));
      }
    });
    fcntl(in.get(), F_SETFD, 0);
    const Outcome outcome = support::RunProgram(
        {.argv = {"/bin/sh", "-c", absl::StrCat("exec \"$0\" $2 \"$1\" >&", in.get()), kNfscat,
                  Url(), io}});
    in = io::UniqueFd();
    reader.join();
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_TRUE(text == PatternText(0, kSize)) << text.size();
  }
}

// --- io_uring ----------------------------------------------------------------------------------

const std::string* url_for_child = nullptr;
const char* told_in_child = nullptr;
int error_in_child = 0;

void RunWithoutUring() {
  const bool forbidden = io::BlockSystemCall(
      error_in_child == EINVAL ? SYS_io_uring_register : SYS_io_uring_setup, error_in_child);
  ASSERT_TRUE(forbidden);
  const std::string& url = *url_for_child;
  const Outcome silent = support::RunProgram({.argv = {kNfscat, url}});
  EXPECT_EQ(silent.exit_status, 0);
  EXPECT_EQ(silent.err, "");
  EXPECT_TRUE(silent.out == PatternText(0, kSize));
  EXPECT_THAT(support::RunProgram({.argv = {kNfscat, "-v", url}}).err,
              AllOf(HasSubstr("using poll: "), HasSubstr(told_in_child)));
  const Outcome forced = support::RunProgram({.argv = {kNfscat, "--io=uring", url}});
  EXPECT_EQ(forced.exit_status, 1);
  EXPECT_EQ(forced.out, "");
  EXPECT_THAT(forced.err, HasSubstr(told_in_child));
}

TEST_F(LocalCase, WithoutIoUringTheBytesAreTheSameAndNobodyIsBothered) {
  const std::string url = Url();
  url_for_child = &url;
  for (const auto& [error, told] :
       {std::pair(EPERM, "EPERM (1)"), std::pair(ENOSYS, "ENOSYS (38)"),
        std::pair(ENOMEM, "ENOMEM (12)"), std::pair(EINVAL, "does not have operation")}) {
    error_in_child = error;
    told_in_child = told;
    io::ExpectPassesInChild(RunWithoutUring);
  }
}

TEST_F(LocalCase, WithoutLockedMemoryManyRunAtATime) {
  constexpr int kPrograms = 20;
  for (const char* limit : {"0", "64"}) {
    std::vector<std::unique_ptr<Subprocess>> programs;
    for (int i = 0; i < kPrograms; ++i) {
      programs.push_back(std::make_unique<Subprocess>(Command{
          .argv = {"/bin/sh", "-c", absl::StrCat("ulimit -l ", limit, "; exec \"$0\" \"$1\""),
                   kNfscat, Url("/export/hello")}}));
    }
    for (auto& program : programs) EXPECT_EQ(program->Finish().out, "hello\n");
  }
}

// --- Reserved ports --------------------------------------------------------------------------

// Sockets on all ports below 1024 that a client may choose from, but one.
std::vector<io::UniqueFd> OccupyReservedPorts(uint16_t but) {
  std::vector<io::UniqueFd> taken;
  for (uint16_t port = 512; port < 1024; ++port) {
    if (port == but) continue;
    taken.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_port = htons(port);
    EXPECT_EQ(bind(taken.back().get(), reinterpret_cast<sockaddr*>(&any), sizeof(any)), 0);
  }
  return taken;
}

// Two connections to one port at a time cannot both have the port that is free.
TEST_F(LocalCase, RunsInALoopOutliveTheReservedPorts) {
  if (geteuid() != 0 || !io::EnterPrivateNetwork()) {
    GTEST_SKIP() << "NOT TESTED here: no private network, are you root?";
  }
  Serve({.ports = {{.port = rpc::kRpcbindPort,
                    .programs = {.nfs = false, .mount = false, .rpcbind = true}},
                   {.port = 2049}}});
  const auto taken = OccupyReservedPorts(700);
  for (int run = 0; run < 40; ++run) {
    const Outcome outcome = Run({"nfs://127.0.0.1/export/hello"});
    ASSERT_EQ(outcome.exit_status, 0) << run << ": " << outcome.err;
    ASSERT_EQ(outcome.out, "hello\n");
  }
  uint64_t reserved = 0, others = 0;
  for (const server::Call& call : served_.log().calls()) {
    if (call.program == rpc::kRpcbindProgram) {
      EXPECT_GE(call.peer.source_port, 1024) << "the reserved ones are few";
    } else {
      ++(call.peer.source_port < 1024 ? reserved : others);
    }
  }
  EXPECT_GT(reserved, 0u);
  EXPECT_GT(others, 0u);
  const Outcome insisting = Run({"--resvport", "nfs://127.0.0.1/export/hello"});
  EXPECT_EQ(insisting.exit_status, 1);
  EXPECT_THAT(insisting.err, HasSubstr("bind to a port below 1024: EADDRINUSE (98)"));
}

// --- IPv6, and names with several addresses ----------------------------------------------

TEST_F(LocalCase, AServerOnIpv6IsReadByItsLiteral) {
  auto loopback = server::LoopbackServer::Start(served_, {.address = "::1"});
  if (!loopback.ok()) GTEST_SKIP() << "NOT TESTED here: " << loopback.status();
  for (const char* io : kEngines) ExpectWhole(Run({io, (*loopback)->Url("/export/file")}));
}

// Wherever "localhost" leads first.
TEST_F(LocalCase, AServerOnIpv4OnlyIsReadByTheNameOfThisHost) {
  ExpectWhole(Run({absl::StrCat("nfs://localhost:", loopback_->nfs_port(),
                                "/export/file?mountport=", loopback_->mount_port())}));
}

// --- Names and locales -----------------------------------------------------------------------

TEST_F(LocalCase, NamesOfAnyBytesAreTheSameInEveryLocale) {
  const std::pair<const char*, const char*> kNames[] = {
      {"\xff\xfe", "%FF%FE"},      {"\xc3\xa9", "%C3%A9"}, {"e\xcc\x81", "e%CC%81"},
      {"new\nline", "new%0Aline"}, {"\xfc", "%FC"},
  };
  for (const char* locale : {"LC_ALL=C", "LC_ALL=C.UTF-8"}) {
    for (const auto& [name, typed] : kNames) {
      const std::string path = absl::StrCat("/export/", locale, "/", name);
      const std::string url = Url(absl::StrCat("/export/", locale, "/", typed).c_str());
      Command command = CommandOf({url});
      command.environment = {locale};
      const Outcome missing = support::RunProgram(command);
      EXPECT_EQ(missing.exit_status, 5);
      EXPECT_EQ(std::ranges::count(missing.err, '\n'), 1) << missing.err;
      served_.tree().AddFile(path, server::BytesContents("hello\n"));
      EXPECT_EQ(support::RunProgram(command).out, "hello\n") << typed;
    }
  }
}

}  // namespace
}  // namespace nfs
