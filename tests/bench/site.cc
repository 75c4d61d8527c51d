#include "tests/bench/site.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/bench/child.h"
#include "tests/bench/load_server.h"
#include "tests/bench/pattern.h"
#include "tests/ganesha/ganesha_server.h"
#include "tests/support/runfile.h"

namespace bench {

namespace {

// In a process of its own: what it needs is not to be seen in a client's peak of memory.
class LoadSite : public Site {
 public:
  LoadSite(pid_t pid, uint16_t port) : pid_(pid), port_(port) {}
  ~LoadSite() override {
    kill(pid_, SIGKILL);
    Await(pid_);
  }
  std::string Url(const std::string& name) const override { return LoadUrl(port_, name); }

 private:
  const pid_t pid_;
  const uint16_t port_;
};

// The number on the first line; 0 when there is none.
uint16_t ReadPort(int fd) {
  std::string line;
  for (char c; read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return static_cast<uint16_t>(std::atoi(line.c_str()));
}

absl::StatusOr<std::unique_ptr<Site>> StartLoad(uint32_t rsize, int cpu,
                                                const std::vector<SiteFile>& files) {
  Program program = {
      .argv = {support::Runfile("tests/bench/load_server"), absl::StrCat("--rsize=", rsize)},
      .cpu = cpu};
  for (const SiteFile& file : files) {
    program.argv.push_back(absl::StrCat(file.name, "=", file.size));
  }
  Pipe pipe = MakePipe();
  program.out = pipe.write_end.get();
  const pid_t pid = Start(program);
  pipe.write_end.Reset();
  auto site = std::make_unique<LoadSite>(pid, ReadPort(pipe.read_end.get()));
  if (site->Url("") == LoadUrl(0, "")) return absl::UnavailableError("the load server failed");
  return site;
}

constexpr char kFolder[] = "/srv/bench";

class GaneshaSite : public Site {
 public:
  explicit GaneshaSite(uint32_t rsize)
      : server_({.exports = {{.path = kFolder, .max_read = rsize, .pref_read = rsize}}}) {}

  absl::Status Start() { return server_.Start(); }
  std::string Url(const std::string& name) const override {
    return absl::StrCat("nfs://127.0.0.1", kFolder, "/", name,
                        "?version=3&nfsport=2049&mountport=20048");
  }

 private:
  ganesha::GaneshaServer server_;
};

absl::Status WritePattern(const std::string& path, uint64_t size) {
  const Pattern pattern;
  const io::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  for (uint64_t at = 0; at < size;) {
    const auto part = pattern.At(at, std::min<uint64_t>(size - at, Pattern::kMostBytes));
    const ssize_t written = write(fd.get(), part.data(), part.size());
    if (written <= 0) return absl::ResourceExhaustedError(absl::StrCat("cannot write ", path));
    at += static_cast<uint64_t>(written);
  }
  return absl::OkStatus();
}

// It inherits where we may run.
absl::Status StartOn(int cpu, GaneshaSite& site) {
  cpu_set_t own;
  sched_getaffinity(0, sizeof(own), &own);
  cpu_set_t one;
  CPU_ZERO(&one);
  if (cpu >= 0) CPU_SET(cpu, &one);
  if (cpu >= 0) sched_setaffinity(0, sizeof(one), &one);
  absl::Status status = site.Start();
  sched_setaffinity(0, sizeof(own), &own);
  return status;
}

absl::StatusOr<std::unique_ptr<Site>> StartGanesha(uint32_t rsize, int cpu,
                                                   const std::vector<SiteFile>& files) {
  absl::Status status = ganesha::PrepareMachine();
  if (!status.ok()) return status;
  auto site = std::make_unique<GaneshaSite>(rsize);
  status = StartOn(cpu, *site);
  for (const SiteFile& file : files) {
    if (status.ok()) status = WritePattern(absl::StrCat(kFolder, "/", file.name), file.size);
  }
  if (!status.ok()) return status;
  return site;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Site>> StartSite(ServerKind kind, uint32_t rsize, int cpu,
                                                const std::vector<SiteFile>& files) {
  if (kind == ServerKind::kGanesha) return StartGanesha(rsize, cpu, files);
  return StartLoad(rsize, cpu, files);
}

}  // namespace bench
