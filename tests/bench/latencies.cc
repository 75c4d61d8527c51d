// Tested by tests/bench/report_test.cc.
#include "tests/bench/latencies.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bench {

Latencies Summarize(std::vector<absl::Duration> times) {
  assert(!times.empty());
  std::ranges::sort(times);
  const auto at = [&](size_t percent) {
    const size_t rank = (times.size() * percent + 99) / 100;
    return absl::ToDoubleMicroseconds(times[std::max<size_t>(rank, 1) - 1]);
  };
  return {.p50 = at(50), .p99 = at(99)};
}

void PrintLatencies(std::vector<absl::Duration> times) {
  const Latencies latencies = Summarize(std::move(times));
  std::printf("p50 %.1f us, p99 %.1f us\n", latencies.p50, latencies.p99);
}

absl::StatusOr<Latencies> ParseLatencies(const std::string& line) {
  Latencies latencies;
  if (std::sscanf(line.c_str(), "p50 %lf us, p99 %lf us", &latencies.p50, &latencies.p99) == 2) {
    return latencies;
  }
  return absl::InvalidArgumentError(absl::StrCat("no latencies: ", line));
}

}  // namespace bench
