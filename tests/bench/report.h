// The results of a comparison, for people and for programs.
#ifndef TESTS_BENCH_REPORT_H_
#define TESTS_BENCH_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/medians.h"

namespace bench {

// Of one contender, at one size of a READ.
struct Result {
  Series series;
  std::optional<double> syscalls_per_read;
};

// All contenders at one size, in the same rounds.
struct Results {
  std::string title;   // "2G from the load server to null, READs of 1M"
  std::string server;  // "load"
  std::string output;  // "null"
  uint64_t bytes = 0;  // of the file
  uint32_t rsize = 0;
  std::vector<Result> all;
};

// Medians in columns, with ratios of processor time and of time to those that are a measure
// (the floors, libnfs and its tools), as far as they ran.
std::string TableText(const Results& results);

// The same, one object a line for each contender.
std::string JsonText(const Results& results);

}  // namespace bench

#endif  // TESTS_BENCH_REPORT_H_
