#include "tests/ganesha/ganesha_server.h"

#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/support/private_machine.h"

namespace ganesha {
namespace {

using support::Command;
using support::FindProgram;
using support::Subprocess;

// A server runs for as long as its test does.
constexpr absl::Duration kTestTime = absl::Hours(24);
// They need a tenth of a second; a loaded machine takes longer.
constexpr absl::Duration kStartLimit = absl::Seconds(20);
constexpr absl::Duration kStopLimit = absl::Seconds(20);
constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
constexpr size_t kLogShown = 8000;

// The folder of the machine's architecture that has ganesha's file system plugins;
// empty when there is none. Ganesha looks elsewhere unless it is told.
std::string PluginsFolder() {
  glob_t found{};
  const std::string name = "/libfsalvfs.so";
  std::string folder;
  if (glob(("/usr/lib/*/ganesha" + name).c_str(), 0, nullptr, &found) == 0) {
    folder = found.gl_pathv[0];
    folder.resize(folder.size() - name.size());
  }
  globfree(&found);
  return folder;
}

std::string ExportBlock(const Export& exported, int id) {
  return absl::Substitute(R"(
EXPORT {
  Export_Id = $0;
  Path = "$1";
  Pseudo = "$1";
  Access_Type = $2;
  Squash = $3;
  SecType = $4;
  PrivilegedPort = $5;
  MaxRead = $6;
  PrefRead = $7;
  Attr_Expiration_Time = $8;
  Protocols = 3;
  Transports = TCP;
  FSAL { Name = VFS; }
}
)",
                          id, exported.path, exported.access_type, exported.squash,
                          exported.sec_type, exported.privileged_port, exported.max_read,
                          exported.pref_read, exported.attr_expiration_s);
}

std::string CoreBlocks(const Settings& settings, const std::string& folder) {
  return absl::Substitute(R"(
NFS_CORE_PARAM {
  Protocols = 3;
  NFS_Port = $0;
  MNT_Port = $1;
  Plugins_Dir = "$2";
  Enable_NLM = false;
  Enable_RQUOTA = false;
  Enable_UDP = false;
  RPC_Idle_Timeout_S = $4;
  MaxRPCSendBufferSize = 4194304;
  MaxRPCRecvBufferSize = 4194304;
}
NFSv4 {
  Graceless = true;
  RecoveryRoot = "$3/recovery";
}
NFS_KRB5 { Active_krb5 = false; }
)",
                          settings.nfs_port, settings.mount_port, PluginsFolder(), folder,
                          settings.idle_timeout_s);
}

std::string Configuration(const Settings& settings, const std::string& folder) {
  std::string text = CoreBlocks(settings, folder);
  int id = 0;
  for (const Export& exported : settings.exports) text += ExportBlock(exported, ++id);
  return text;
}

std::string MakeFolder() {
  std::string folder = "/run/ganesha-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) perror("mkdtemp");
  return folder;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Tail(const std::string& text, size_t bytes) {
  return text.size() <= bytes ? text : "..." + text.substr(text.size() - bytes);
}

// Without -h, which makes 1.2.6 abort.
std::unique_ptr<Subprocess> StartRpcbind(const std::string& folder) {
  return std::make_unique<Subprocess>(Command{.argv = {FindProgram("rpcbind"), "-f"},
                                              .stdout_path = folder + "/rpcbind.out",
                                              .stderr_path = folder + "/rpcbind.err",
                                              .time_limit = kTestTime});
}

std::unique_ptr<Subprocess> StartGanesha(const std::string& folder) {
  return std::make_unique<Subprocess>(
      Command{.argv = {FindProgram("ganesha.nfsd"), "-F", "-f", folder + "/ganesha.conf", "-L",
                       folder + "/ganesha.log", "-p", folder + "/ganesha.pid", "-N", "EVENT"},
              .stdout_path = folder + "/ganesha.out",
              .stderr_path = folder + "/ganesha.err",
              .time_limit = kTestTime});
}

bool RpcbindAnswers() {
  const auto outcome = support::RunProgram(
      {.argv = {FindProgram("rpcinfo"), "-p", "127.0.0.1"}, .time_limit = absl::Seconds(5)});
  return outcome.exit_status == 0;
}

// Whether an NFS NULL call gets its reply, at the port that rpcbind knows.
bool AnswersNfs() {
  const auto outcome =
      support::RunProgram({.argv = {FindProgram("rpcinfo"), "-t", "127.0.0.1", "100003", "3"},
                           .time_limit = absl::Seconds(5)});
  return outcome.exit_status == 0;
}

// What it says to a MOUNT EXPORT call, one export a line; empty when it does not answer.
std::string ListExports() {
  return support::RunProgram({.argv = {FindProgram("showmount"), "--no-headers", "-e", "127.0.0.1"},
                              .time_limit = absl::Seconds(5)})
      .out;
}

void EndWithin(absl::Duration limit, Subprocess& process) {
  const absl::Time deadline = absl::Now() + limit;
  while (process.running() && absl::Now() < deadline) absl::SleepFor(kPollInterval);
}

// FAILED_PRECONDITION names what is missing.
absl::Status CheckInstalled() {
  for (const char* program : {"rpcbind", "rpcinfo", "showmount", "ganesha.nfsd"}) {
    if (FindProgram(program).empty()) {
      return absl::FailedPreconditionError(absl::StrCat(program, " is not installed"));
    }
  }
  if (PluginsFolder().empty()) {
    return absl::FailedPreconditionError("ganesha's VFS plugin is not installed");
  }
  // Without the first rpcbind does not listen at port 111, without the second ganesha
  // finds no file system; both run as if nothing were wrong.
  for (const char* path : {"/etc/services", "/etc/mtab"}) {
    if (access(path, R_OK) != 0) {
      return absl::FailedPreconditionError(absl::StrCat("there is no ", path));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status PrepareMachine() {
  const absl::Status installed = CheckInstalled();
  return installed.ok() ? support::EnterPrivateMachine() : installed;
}

GaneshaServer::GaneshaServer(Settings settings)
    : settings_(std::move(settings)), folder_(MakeFolder()) {
  for (const Export& exported : settings_.exports) {
    std::filesystem::create_directories(exported.path);
  }
  std::filesystem::create_directories(folder_ + "/recovery");
  std::ofstream(folder_ + "/ganesha.conf") << Configuration(settings_, folder_);
}

GaneshaServer::~GaneshaServer() {
  if (running()) Stop();
}

absl::Status GaneshaServer::Start() {
  if (rpcbind_ == nullptr) rpcbind_ = StartRpcbind(folder_);
  // Ganesha registers once, and ends when nobody is there to register with.
  const absl::Time deadline = absl::Now() + kStartLimit;
  while (rpcbind_->running() && !RpcbindAnswers() && absl::Now() < deadline) {
    absl::SleepFor(kPollInterval);
  }
  if (!running()) ganesha_ = StartGanesha(folder_);
  return AwaitAnswers();
}

absl::Status GaneshaServer::AwaitAnswers() const {
  const absl::Time deadline = absl::Now() + kStartLimit;
  while (!AnswersNfs() || ListExports().empty()) {
    const std::string fault = Fault();
    if (!fault.empty()) return StartupError(fault);
    if (absl::Now() > deadline) return StartupError("ganesha does not answer");
    absl::SleepFor(kPollInterval);
  }
  const std::string fault = Fault();
  return fault.empty() ? CheckExports() : StartupError(fault);
}

std::string GaneshaServer::Fault() const {
  if (!rpcbind_->running()) return "rpcbind ended";
  if (!running()) return "ganesha ended";
  // Ganesha takes what it likes of a faulty configuration, and runs without the rest.
  if (absl::StrContains(Log(), "Config File (")) return "faulty configuration";
  return "";
}

absl::Status GaneshaServer::CheckExports() const {
  const std::string exports = ListExports();
  for (const Export& exported : settings_.exports) {
    if (absl::StrContains(exports, exported.path + " ")) continue;
    return StartupError("no export " + exported.path);
  }
  return absl::OkStatus();
}

absl::Status GaneshaServer::StartupError(const std::string& what) const {
  return absl::UnavailableError(absl::StrCat(what, "\n", ReadFile(folder_ + "/rpcbind.err"),
                                             ReadFile(folder_ + "/ganesha.err"),
                                             Tail(Log(), kLogShown)));
}

void GaneshaServer::StopRpcbind() { rpcbind_.reset(); }

void GaneshaServer::Stop() {
  ganesha_->Signal(SIGTERM);
  EndWithin(kStopLimit, *ganesha_);
  ganesha_.reset();
}

void GaneshaServer::Kill() { ganesha_.reset(); }

void GaneshaServer::Freeze() { ganesha_->Signal(SIGSTOP); }

void GaneshaServer::Thaw() { ganesha_->Signal(SIGCONT); }

std::string GaneshaServer::Log() const { return ReadFile(folder_ + "/ganesha.log"); }

}  // namespace ganesha
