// What is left of many runs.
#ifndef TESTS_BENCH_MEDIANS_H_
#define TESTS_BENCH_MEDIANS_H_

#include <string>
#include <vector>

#include "client/tools/median.h"

namespace bench {

using nfs::Median;

// The runs of one contender, by turns with the others'.
struct Series {
  std::string name;
  std::vector<double> seconds;      // from start to exit
  std::vector<double> cpu_seconds;  // user and system
  std::vector<double> switches;     // voluntary context switches
  std::vector<double> peak_bytes;   // resident
};

// The median over the rounds of a's value divided by b's of the same round: what both
// met at the same time drops out. REQUIRES: as many of each, and at least one.
double MedianRatio(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace bench

#endif  // TESTS_BENCH_MEDIANS_H_
