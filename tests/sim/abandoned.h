// Thrown from a simulated wait when its world cannot go on. Caught by RunWorld() only.
#ifndef TESTS_SIM_ABANDONED_H_
#define TESTS_SIM_ABANDONED_H_

#include <string>

namespace sim {

struct Abandoned {
  std::string why;
};

}  // namespace sim

#endif  // TESTS_SIM_ABANDONED_H_
