// Reads one cached file from nfs-ganesha to /dev/null, by turns with nfscat and with
// Debian's nfs-cat, and prints what each took.
//
//   bazel run -c opt //tests/bench:compare -- [--runs=N] [--mib=N] [--json]
//
// Run as root: server and clients get a network of their own.
#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bench/medians.h"
#include "tests/ganesha/ganesha_server.h"
#include "tests/support/pattern_file.h"
#include "tests/support/runfile.h"
#include "tests/support/subprocess.h"

namespace bench {
namespace {

constexpr char kFolder[] = "/srv/bench";
constexpr char kFile[] = "/srv/bench/file";

struct Flags {
  int runs = 5;
  uint64_t mib = 2048;
  bool json = false;
};

struct Contender {
  std::string name;
  std::vector<std::string> argv;
};

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "compare: %s\n", why.c_str());
  std::exit(1);
}

Flags ParseFlags(int argc, char** argv) {
  const option kOptions[] = {{"runs", required_argument, nullptr, 'r'},
                             {"mib", required_argument, nullptr, 'm'},
                             {"json", no_argument, nullptr, 'j'},
                             {}};
  Flags flags;
  for (int code; (code = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    if (code == 'r') flags.runs = std::atoi(optarg);
    if (code == 'm') flags.mib = std::strtoull(optarg, nullptr, 10);
    if (code == 'j') flags.json = true;
    if (code == '?') std::exit(2);
  }
  if (flags.runs < 1 || flags.mib < 1) Die("--runs and --mib take numbers from 1");
  return flags;
}

std::vector<Contender> Contenders() {
  const std::string url = std::string("nfs://127.0.0.1") + kFile;
  std::vector<Contender> all = {
      {"nfscat", {support::Runfile("client/tools/nfscat"), "--no-progress", url}},
      {"nfscat --io=poll",
       {support::Runfile("client/tools/nfscat"), "--no-progress", "--io=poll", url}},
  };
  const std::string peer = support::FindProgram("nfs-cat");
  if (peer.empty()) {
    std::fprintf(stderr, "compare: no nfs-cat here; bazel/install.sh benchmark brings it\n");
  } else {
    all.push_back({"nfs-cat", {peer, url + "?version=3"}});
  }
  return all;
}

// The bytes go to /dev/null in the timed runs; that they are right is seen before.
void CheckBytes(const Contender& contender, const std::string& sha256) {
  support::Command command;
  command.argv = contender.argv;
  command.keep_output = false;
  const support::Outcome outcome = support::RunProgram(command);
  if (outcome.exit_status != 0 || outcome.out_sha256 != sha256) {
    Die(contender.name + " does not give the file: " + outcome.err);
  }
}

void RunOnce(const Contender& contender, Series& series) {
  support::Command command;
  command.argv = contender.argv;
  command.stdout_path = "/dev/null";
  const absl::Time begin = absl::Now();
  const support::Outcome outcome = support::RunProgram(command);
  if (outcome.exit_status != 0) Die(contender.name + ": " + outcome.err);
  series.seconds.push_back(absl::ToDoubleSeconds(absl::Now() - begin));
  series.cpu_seconds.push_back(absl::ToDoubleSeconds(outcome.cpu));
}

void PrintRow(const Series& series, const Series& peer, double gib, bool json) {
  const double seconds = Median(series.seconds);
  const double cpu = Median(series.cpu_seconds);
  const double time_ratio = MedianRatio(series.seconds, peer.seconds);
  const double cpu_ratio = MedianRatio(series.cpu_seconds, peer.cpu_seconds);
  std::printf(json ? "{\"contender\": \"%s\", \"gib_per_second\": %.3f, \"cpu_seconds_per_gib\": "
                     "%.4f, \"time_ratio\": %.3f, \"cpu_ratio\": %.3f}\n"
                   : "%-18s %8.2f GiB/s %9.4f cpu s/GiB %9.2f x time %8.2f x cpu\n",
              series.name.c_str(), gib / seconds, cpu / gib, time_ratio, cpu_ratio);
}

void Main(const Flags& flags) {
  absl::Status status = ganesha::PrepareMachine();
  ganesha::GaneshaServer server({.exports = {{.path = kFolder}}});
  if (status.ok()) status = server.Start();
  if (!status.ok()) Die("no nfs-ganesha here: " + std::string(status.message()));
  support::WritePatternFile(kFile, flags.mib << 20);
  const std::string sha256 = support::FileSha256(kFile);

  const std::vector<Contender> contenders = Contenders();
  std::vector<Series> series;
  for (const Contender& contender : contenders) {
    CheckBytes(contender, sha256);
    series.push_back({contender.name, {}, {}});
  }
  for (int run = 0; run < flags.runs; ++run) {
    for (size_t i = 0; i < contenders.size(); ++i) RunOnce(contenders[i], series[i]);
    if (!flags.json) std::fprintf(stderr, "\rround %d of %d ", run + 1, flags.runs);
  }
  if (!flags.json) {
    std::printf("\n%llu MiB from nfs-ganesha to /dev/null, medians of %d rounds, ratios to %s\n",
                static_cast<unsigned long long>(flags.mib), flags.runs, series.back().name.c_str());
  }
  const double gib = static_cast<double>(flags.mib) / 1024;
  for (const Series& each : series) PrintRow(each, series.back(), gib, flags.json);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { bench::Main(bench::ParseFlags(argc, argv)); }
