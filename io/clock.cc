// Tested by tests/io/transport_contract_test.cc.
#include "io/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace io {

absl::Time SteadyNow() {
  using std::chrono::steady_clock;
  static const steady_clock::time_point steady_start = steady_clock::now();
  static const absl::Time wall_start = absl::Now();
  return wall_start + absl::FromChrono(steady_clock::now() - steady_start);
}

}  // namespace io
