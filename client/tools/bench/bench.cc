// Tested by tests/client/nfs3_bench_test.cc.
#include "client/tools/bench/bench.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/target.h"
#include "client/tools/bench/bench_line.h"
#include "client/tools/bench/bench_run.h"
#include "client/tools/bench/ranges.h"
#include "client/tools/bench/results.h"
#include "client/tools/complaints.h"

namespace nfs {

namespace {

using Format = BenchLine::Format;

// All runs of one command.
class Sweep {
 public:
  explicit Sweep(const BenchLine& line) : line_(line) {
    results_.option = line.sweep;
    for (const std::string& value : line.values) results_.series.push_back({value, {}});
  }

  // Every target is understood, and found, before anything is measured.
  absl::Status Prepare() {
    std::vector<uint64_t> sizes;
    for (const std::string& text : line_.arguments.operands) {
      absl::StatusOr<Target> target = ParseTarget(text);
      if (!target.ok()) return Prepend(text + ": ", target.status());
      targets_.push_back(*std::move(target));
      const absl::StatusOr<Options> options = OptionsOf(targets_.back());
      if (!options.ok()) return Prepend(text + ": ", options.status());
      const absl::StatusOr<uint64_t> size = SizeOf(targets_.back(), *options);
      if (!size.ok()) return Prepend(text + ": ", size.status());
      sizes.push_back(*size);
    }
    if (std::ranges::count(sizes, 0u) == std::ssize(sizes)) {
      return absl::InvalidArgumentError("there is nothing to read: the files are empty");
    }
    ranges_.emplace(std::move(sizes), line_.bytes);
    return absl::OkStatus();
  }

  // The values take turns, and in each round another one is the first.
  absl::Status Run() {
    const size_t count = line_.values.size();
    for (int round = 0; round < line_.runs; ++round) {
      const size_t first = static_cast<size_t>(round) * count / static_cast<size_t>(line_.runs);
      for (size_t i = 0; i < count; ++i) {
        const absl::Status status = RunOnce(round, results_.series[(first + i) % count]);
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Report() {
    std::erase_if(results_.series, [](const BenchSeries& one) { return one.runs.empty(); });
    if (line_.format == Format::kTable) Print(BenchTable(results_));
    if (line_.format == Format::kCsv) Print(BenchCsv(results_));
    for (const BenchSeries& series : results_.series) {
      if (line_.format == Format::kJson) Print(BenchSeriesJson(results_.option, series));
    }
    return line_.chart.has_value() ? WriteChart(*line_.chart) : printed_;
  }

 private:
  absl::StatusOr<Options> OptionsOf(const Target& target) const {
    Options defaults;
    if (line_.verbose) defaults.warn = defaults.note = Complain;
    if (!line_.quiet) defaults.announce = Announce;
    return OptionsFor(line_.arguments.connection, target, defaults);
  }

  absl::Status RunOnce(int round, BenchSeries& series) {
    const Ranges::Place place = ranges_->Next();
    WarnOfCache(place);
    const Target& target = targets_[place.file];
    absl::StatusOr<Options> options = OptionsOf(target);
    if (!options.ok()) return options.status();
    const absl::Status status = SetOption(line_.sweep, series.value, *options);
    if (!status.ok()) return status;
    const absl::StatusOr<StreamFacts> facts = ReadOnce(
        target, *options,
        {.range = place.range, .seconds = line_.seconds, .progress = Progress(round, series)});
    if (!facts.ok()) {
      return Prepend(absl::StrCat(target.text, ": ", line_.sweep, "=", series.value, ": "),
                     facts.status());
    }
    ranges_->OnRead(facts->bytes);
    series.runs.push_back({round + 1, series.value, target.text, place, *facts});
    if (line_.format == Format::kJson) Print(BenchRunJson(line_.sweep, series.runs.back()));
    return absl::OkStatus();
  }

  // Once: from now on nothing is new.
  void WarnOfCache(const Ranges::Place& place) {
    if (!place.is_warm || std::exchange(has_warned_, true) || line_.quiet) return;
    Complain(
        "all of it has been read once: from now on the server's cache may help; "
        "more or larger files, or a smaller --bytes or --seconds, avoid that");
  }

  std::string Progress(int round, const BenchSeries& series) const {
    if (!line_.progress.value_or(isatty(STDERR_FILENO) != 0)) return "";
    return absl::StrCat("round ", round + 1, " of ", line_.runs, ", ", line_.sweep, "=",
                        series.value, ": ");
  }

  void Print(const std::string& text) {
    const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!printed) printed_ = LocalError(absl::UnavailableError("cannot write to standard output"));
  }

  absl::Status WriteChart(const std::string& path) {
    std::ofstream file(path);
    file << DrawChart(BenchChart(results_));
    file.close();
    if (!file) return LocalError(absl::UnavailableError("cannot write " + path));
    return printed_;
  }

  const BenchLine& line_;
  std::vector<Target> targets_;
  std::optional<Ranges> ranges_;
  BenchResults results_;
  absl::Status printed_;
  bool has_warned_ = false;
};

}  // namespace

int Bench(int argc, char** argv) {
  const absl::StatusOr<BenchLine> line = ParseBenchLine(argc, argv);
  if (!line.ok()) return Fail(line.status());
  if (line->help) return std::fputs(BenchHelp().c_str(), stdout) < 0 ? 1 : 0;
  Sweep sweep(*line);
  absl::Status status = sweep.Prepare();
  if (!status.ok()) return Fail(status);
  // What has been measured before an error is shown all the same.
  status = sweep.Run();
  const absl::Status reported = sweep.Report();
  if (status.ok()) status = reported;
  return status.ok() ? 0 : Fail(status);
}

}  // namespace nfs
