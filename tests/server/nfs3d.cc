// nfs3d: the embedded server as a program of its own, for demos, and for testing any
// client with it. Tested by tests/server/nfs3d_test.cc.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/server/local_directory.h"
#include "tests/server/loopback_server.h"
#include "tests/server/nfs3d_options.h"
#include "tests/server/server.h"

namespace server {
namespace {

constexpr int kOk = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

int Complain(const absl::Status& status, int exit_status) {
  std::fprintf(stderr, "nfs3d: %s\n", std::string(status.message()).c_str());
  if (exit_status == kUsage) std::fprintf(stderr, "Try 'nfs3d --help'.\n");
  return exit_status;
}

// The signals that end the program; blocked in every thread, waited for in one.
sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

std::unique_ptr<Contents> ContentsOf(const Nfs3dOptions::Pattern& pattern) {
  if (!pattern.is_sparse) return PatternContents(pattern.size);
  const std::string end = "the end\n";
  const size_t fits = std::min<uint64_t>(end.size(), pattern.size);
  return SparseContents(pattern.size, {{pattern.size - fits, end.substr(end.size() - fits)}});
}

absl::Status Fill(Server& served, Nfs3dOptions& options) {
  FileTree& tree = served.tree();
  if (options.export_path != "/export") tree.AddDirectory(options.export_path);
  served.SetExports({{.path = options.export_path}});
  served.SetNfs(options.nfs);
  served.SetDuplicateRequestCache(options.cached_replies);
  if (!options.serve.empty()) {
    const absl::Status status = AddLocalDirectory(options.serve, options.export_path, tree);
    if (!status.ok()) return status;
  }
  for (const Nfs3dOptions::Pattern& pattern : options.patterns) {
    const std::string path = absl::StrCat(options.export_path, "/", pattern.name);
    nfs3::FileHandle3 there;
    if (tree.Resolve(path, there) == nfs3::Status::kOk) {
      return absl::AlreadyExistsError(absl::StrCat(path, ": is there already"));
    }
    tree.AddFile(path, ContentsOf(pattern));
  }
  for (Rule& rule : options.rules) served.script().Add(std::move(rule));
  return absl::OkStatus();
}

void AnnounceUdp(const char* program, uint16_t udp, uint16_t announced) {
  if (udp != 0 && udp != announced) std::printf("nfs3d: %s by UDP on port %d\n", program, int{udp});
}

void Announce(const LoopbackServer& loopback, const Nfs3dOptions& options) {
  std::printf("nfs3d: serving %s\n", loopback.Url(options.export_path).c_str());
  if (loopback.rpcbind_port() != 0) {
    std::printf("nfs3d: rpcbind on port %d\n", int{loopback.rpcbind_port()});
  }
  AnnounceUdp("NFS", loopback.udp().nfs, loopback.nfs_port());
  AnnounceUdp("MOUNT", loopback.udp().mount, loopback.mount_port());
  AnnounceUdp("rpcbind", loopback.udp().rpcbind, loopback.rpcbind_port());
  std::fflush(stdout);
}

int Serve(Nfs3dOptions options) {
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Server served(/*logged_calls=*/0, options.seed);
  if (options.log) {
    served.log().SetListener(
        [](const Call& call) { std::fprintf(stderr, "nfs3d: %s\n", LogLine(call).c_str()); });
  }
  absl::Status status = Fill(served, options);
  if (!status.ok()) return Complain(status, kFailed);
  auto loopback = LoopbackServer::Start(served, options.listen);
  if (!loopback.ok()) return Complain(loopback.status(), kFailed);
  Announce(**loopback, options);
  int signal = 0;
  sigwait(&signals, &signal);
  return kOk;
}

int Main(int argc, char** argv) {
  absl::StatusOr<Nfs3dOptions> options = ParseNfs3dOptions(argc, argv);
  if (!options.ok()) return Complain(options.status(), kUsage);
  if (!options->help) return Serve(*std::move(options));
  std::fputs(kNfs3dHelp, stdout);
  return std::fflush(stdout) == 0 ? kOk : kFailed;
}

}  // namespace
}  // namespace server

int main(int argc, char** argv) { return server::Main(argc, argv); }
