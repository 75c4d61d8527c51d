// Reads one file by turns with this project's clients, with the floor and with other clients,
// and prints what each took. --help says what can be compared.
//
//   bazel run -c opt //tests/bench:compare
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/tools/chart.h"
#include "tests/bench/child.h"
#include "tests/bench/compare_flags.h"
#include "tests/bench/comparison.h"
#include "tests/bench/latency_comparison.h"
#include "tests/bench/medians.h"
#include "tests/bench/report.h"
#include "tests/support/private_machine.h"

namespace bench {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int Complain(const absl::Status& status, int exit_status) {
  std::fprintf(stderr, "compare: %s\n", std::string(status.message()).c_str());
  return exit_status;
}

std::vector<nfs::Curve> CurvesOf(const std::vector<Results>& all) {
  std::map<std::string, nfs::Curve> curves;
  std::vector<std::string> names;  // in the order of the table
  for (const Results& results : all) {
    const double gib = static_cast<double>(results.bytes) / (1 << 30);
    for (const Result& result : results.all) {
      nfs::Curve& curve = curves[result.series.name];
      if (curve.name.empty()) names.push_back(result.series.name);
      curve.name = result.series.name;
      curve.points.push_back(
          {static_cast<double>(results.rsize), Median(result.series.cpu_seconds) / gib});
    }
  }
  std::vector<nfs::Curve> ordered;
  for (const std::string& name : names) ordered.push_back(curves[name]);
  return ordered;
}

absl::Status WritePlot(const std::string& path, const std::vector<Results>& all) {
  const nfs::Chart chart = {
      .title = "Processor seconds of the client per GiB, " + all.front().server +
               " server, output to " + all.front().output,
      .x_name = "bytes of a READ",
      .curves = CurvesOf(all),
  };
  std::ofstream file(path);
  file << nfs::DrawChart(chart);
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError("cannot write " + path);
}

void Print(const CompareFlags& flags, const std::string& table, const std::string& json) {
  std::fputs((flags.json ? json : table).c_str(), stdout);
  std::fflush(stdout);
}

int CompareStreams(const CompareFlags& flags) {
  const Processors processors = ChooseProcessors();
  std::vector<Results> all;
  for (const uint32_t rsize : flags.rsizes) {
    const absl::StatusOr<Results> results = Compare(flags, rsize, processors);
    if (!results.ok()) return Complain(results.status(), kFailed);
    Print(flags, TableText(*results), JsonText(*results));
    all.push_back(*results);
  }
  if (flags.plot.empty()) return 0;
  const absl::Status status = WritePlot(flags.plot, all);
  return status.ok() ? 0 : Complain(status, kFailed);
}

int CompareOneByOne(const CompareFlags& flags) {
  const auto all = CompareLatencies(flags, ChooseProcessors());
  if (!all.ok()) return Complain(all.status(), kFailed);
  Print(flags, LatencyTable(*all), LatencyJson(*all));
  return 0;
}

int Main(int argc, char** argv) {
  const absl::StatusOr<CompareFlags> flags = ParseCompareFlags(argc, argv);
  if (!flags.ok()) return Complain(flags.status(), kUsage);
  if (flags->help) return std::fputs(kCompareHelp, stdout) < 0 ? kFailed : 0;
#ifndef NDEBUG
  std::fprintf(stderr, "compare: built without -c opt, so the numbers say nothing\n");
#endif
  // Where that is forbidden, loopback is shared with whatever else is on it.
  if (geteuid() == 0) support::EnterPrivateMachine().IgnoreError();
  return flags->latency ? CompareOneByOne(*flags) : CompareStreams(*flags);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(argc, argv); }
