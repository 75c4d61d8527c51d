// What the programs that read one READ at a time print, and who reads it.
#ifndef TESTS_BENCH_LATENCIES_H_
#define TESTS_BENCH_LATENCIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bench {

struct Latencies {
  double p50 = 0;  // microseconds
  double p99 = 0;
};

// The smallest time that a share of `p50` and `p99` of the times does not exceed. REQUIRES:
// not empty.
Latencies Summarize(std::vector<absl::Duration> times);

// One line on standard output, "p50 41.2 us, p99 90.3 us".
void PrintLatencies(std::vector<absl::Duration> times);
// That line, read again. InvalidArgument: it is another.
absl::StatusOr<Latencies> ParseLatencies(const std::string& line);

}  // namespace bench

#endif  // TESTS_BENCH_LATENCIES_H_
