// The command line of //tests/sim:worlds.
#ifndef TESTS_SIM_WORLDS_OPTIONS_H_
#define TESTS_SIM_WORLDS_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/sim/plan.h"

namespace sim {

struct WorldsOptions {
  uint64_t worlds = 1000;
  uint64_t seed = 1;
  absl::Duration time;  // of the wall; zero: `worlds` counts
  int jobs = 0;         // 0: as many as cores
  FaultSet allowed = FaultSet().set();
  std::string fault_options;  // " --only=..." as they were typed, for the replay
  bool keep_going = false;
  bool timeline = false;
  bool help = false;
};

// InvalidArgument says what is wrong and what is right.
absl::StatusOr<WorldsOptions> ParseWorldsOptions(int argc, char** argv);

std::string WorldsHelp();

}  // namespace sim

#endif  // TESTS_SIM_WORLDS_OPTIONS_H_
