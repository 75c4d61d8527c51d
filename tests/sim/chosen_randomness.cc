// Tested by tests/sim/world_test.cc.
#include "tests/sim/chosen_randomness.h"

#include <random>

#include "tests/sim/dice.h"

namespace sim {

namespace {

Dice& Chosen() {
  static Dice dice(0);
  return dice;
}

}  // namespace

void ChooseRandomness(uint64_t seed) { Chosen() = Dice(seed); }

}  // namespace sim

// Takes the place of libstdc++'s, since a program's own definition comes first.
std::random_device::result_type std::random_device::_M_getval() {
  return static_cast<result_type>(sim::Chosen().Next());
}
