// Many worlds in several processes, each with every nth seed.
#ifndef TESTS_SIM_JOBS_H_
#define TESTS_SIM_JOBS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/sim/plan.h"
#include "tests/sim/totals.h"

namespace sim {

struct Work {
  uint64_t first_seed = 1;
  uint64_t worlds = 1000;
  // Instead of a number of worlds: asked after each whether it was the last.
  std::function<bool()> is_time_up;
  FaultSet allowed = FaultSet().set();
  bool keep_going = false;  // after a violation
  int jobs = 1;
};

struct Outcome {
  Totals totals;
  // The first world that violated something, or ended its process.
  std::optional<uint64_t> violating_seed;
};

// Runs them all, or up to the first violation; each is printed as a line. `on_progress`
// is called now and then. Single-threaded: it forks.
Outcome RunWorlds(const Work& work, const std::function<void(const Totals&)>& on_progress);

// Prints the timeline of one world to standard output, from another process, since the
// world may end it. Whether all was well.
bool Replay(uint64_t seed, const FaultSet& allowed);

}  // namespace sim

#endif  // TESTS_SIM_JOBS_H_
