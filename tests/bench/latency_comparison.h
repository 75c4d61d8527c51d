// How long one READ takes, by turns with this project's client and with blocking sockets.
#ifndef TESTS_BENCH_LATENCY_COMPARISON_H_
#define TESTS_BENCH_LATENCY_COMPARISON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/child.h"
#include "tests/bench/compare_flags.h"

namespace bench {

struct LatencySeries {
  std::string name;
  std::vector<double> p50;  // microseconds, of one round each
  std::vector<double> p99;
};

// READs of 4 KiB, one at a time. The first is the measure of the others. An error: no
// server, or one of them failed.
absl::StatusOr<std::vector<LatencySeries>> CompareLatencies(const CompareFlags& flags,
                                                            const Processors& processors);

// The medians over the rounds, a line each.
std::string LatencyTable(const std::vector<LatencySeries>& all);
std::string LatencyJson(const std::vector<LatencySeries>& all);

}  // namespace bench

#endif  // TESTS_BENCH_LATENCY_COMPARISON_H_
