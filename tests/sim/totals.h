// What came of many worlds.
#ifndef TESTS_SIM_TOTALS_H_
#define TESTS_SIM_TOTALS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/sim/world.h"

namespace sim {

// Plain numbers, so that it can lie in memory that processes share.
struct Totals {
  uint64_t worlds = 0;
  uint64_t stopped = 0;
  uint64_t violations = 0;
  uint64_t crashes = 0;  // worlds that ended their process
  uint64_t bytes = 0;
  uint64_t calls = 0;
  int64_t virtual_microseconds = 0;
  std::array<uint64_t, 9> ends{};  // by exit kind
  FaultCounts faults{};

  void Add(const WorldReport& report);
  void Add(const Totals& other);
};

// For people, some lines.
std::string Text(const Totals& totals, absl::Duration wall_time);

// The kinds that were never injected, of those in `allowed`.
std::vector<std::string> NeverInjected(const Totals& totals, const FaultSet& allowed);

}  // namespace sim

#endif  // TESTS_SIM_TOTALS_H_
