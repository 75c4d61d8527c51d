// A whole comparison at one size of a READ: a server, the contenders, their rounds.
#ifndef TESTS_BENCH_COMPARISON_H_
#define TESTS_BENCH_COMPARISON_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tests/bench/child.h"
#include "tests/bench/compare_flags.h"
#include "tests/bench/report.h"

namespace bench {

// First every contender has to give the right bytes, then its system calls are counted, then
// it is timed by turns with the others. An error: no server, or a contender failed. A line of
// progress goes to standard error if that is a terminal.
absl::StatusOr<Results> Compare(const CompareFlags& flags, uint32_t rsize,
                                const Processors& processors);

// "round 3 of 5", over the line before; nothing when standard error is no terminal. Empty
// text: wipes it away.
void ShowProgress(const std::string& text);

}  // namespace bench

#endif  // TESTS_BENCH_COMPARISON_H_
