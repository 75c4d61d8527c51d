// One world: a server, a network, a clock and a client, from the seed to the verdict.
#ifndef TESTS_SIM_WORLD_H_
#define TESTS_SIM_WORLD_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "client/errors.h"
#include "tests/sim/faults.h"
#include "tests/sim/plan.h"
#include "tests/sim/timeline.h"

namespace sim {

struct WorldReport {
  // Empty when all is as it must be.
  std::string violation;
  // How it ended: kNone also for a consumer that stopped.
  nfs::ErrorKind end = nfs::ErrorKind::kNone;
  bool stopped = false;
  absl::Duration virtual_time;
  uint64_t bytes = 0;  // delivered
  uint64_t calls = 0;
  FaultCounts faults{};
};

// The same plan gives the same report and the same timeline, always.
WorldReport RunWorld(const Plan& plan, Timeline& timeline);

}  // namespace sim

#endif  // TESTS_SIM_WORLD_H_
