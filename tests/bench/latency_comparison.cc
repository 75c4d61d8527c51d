#include "tests/bench/latency_comparison.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/bench/comparison.h"
#include "tests/bench/contenders.h"
#include "tests/bench/latencies.h"
#include "tests/bench/medians.h"
#include "tests/bench/site.h"
#include "tests/support/runfile.h"

namespace bench {

namespace {

constexpr uint64_t kMostReads = 20000;
constexpr uint64_t kReadBytes = 4096;

struct Timed {
  std::string name;
  std::vector<std::string> argv;
};

std::vector<Timed> AllTimed(const std::string& url, uint64_t count) {
  const std::string ours = support::Runfile("tests/bench/read_latency");
  const std::string reads = absl::StrCat("--reads=", count);
  return {{"floor",
           {support::Runfile("tests/bench/floor"), "--rsize=4K", absl::StrCat("--latency=", count),
            url}},
          {"FileStream", {ours, reads, url}},
          {"FileStream --io=poll", {ours, reads, "--io=poll", url}}};
}

// Its one line of output.
absl::StatusOr<Latencies> RunTimed(const Timed& timed, int cpu) {
  Pipe pipe = MakePipe();
  const pid_t pid = Start({.argv = timed.argv, .cpu = cpu, .out = pipe.write_end.get()});
  pipe.write_end.Reset();
  std::string line(256, '\0');
  const ssize_t size = read(pipe.read_end.get(), line.data(), line.size());
  if (Await(pid).exit_status != 0) return absl::InternalError(timed.name + " failed");
  line.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return ParseLatencies(line);
}

}  // namespace

absl::StatusOr<std::vector<LatencySeries>> CompareLatencies(const CompareFlags& flags,
                                                            const Processors& processors) {
  const uint64_t reads = std::min(FileSize(flags, kReadBytes) / kReadBytes, kMostReads);
  auto site = StartSite(flags.server, kSmallestServerRsize, processors.server,
                        {{"file", reads * kReadBytes}});
  if (!site.ok()) return site.status();
  const std::vector<Timed> all = AllTimed((*site)->Url("file"), reads);
  std::vector<LatencySeries> series;
  for (const Timed& timed : all) series.push_back({timed.name});
  for (int round = 0; round < flags.runs; ++round) {
    ShowProgress(absl::StrCat("round ", round + 1, " of ", flags.runs));
    for (size_t i = 0; i < all.size(); ++i) {
      const absl::StatusOr<Latencies> latencies = RunTimed(all[i], processors.client);
      if (!latencies.ok()) return latencies.status();
      series[i].p50.push_back(latencies->p50);
      series[i].p99.push_back(latencies->p99);
    }
  }
  ShowProgress("");
  return series;
}

std::string LatencyTable(const std::vector<LatencySeries>& all) {
  std::string text =
      absl::StrFormat("\nOne READ of 4K at a time, medians of %d rounds\n%-20s %8s %8s %8s %8s\n",
                      all.front().p50.size(), "", "p50 us", "p99 us", "x p50", "x p99");
  for (const LatencySeries& each : all) {
    absl::StrAppend(&text,
                    absl::StrFormat("%-20s %8.1f %8.1f %8.2f %8.2f\n", each.name, Median(each.p50),
                                    Median(each.p99), MedianRatio(each.p50, all.front().p50),
                                    MedianRatio(each.p99, all.front().p99)));
  }
  return text;
}

std::string LatencyJson(const std::vector<LatencySeries>& all) {
  std::string text;
  for (const LatencySeries& each : all) {
    absl::StrAppend(
        &text, absl::StrFormat("{\"contender\": \"%s\", \"output\": \"latency\", \"rsize\": %d, "
                               "\"runs\": %d, \"p50_us\": %.2f, \"p99_us\": %.2f, "
                               "\"p50_ratio\": %.3f, \"p99_ratio\": %.3f}\n",
                               each.name, kReadBytes, each.p50.size(), Median(each.p50),
                               Median(each.p99), MedianRatio(each.p50, all.front().p50),
                               MedianRatio(each.p99, all.front().p99)));
  }
  return text;
}

}  // namespace bench
