// std::random_device as a test wants it, in programs that link this library: the client
// takes its transaction ids and the jitter of its retries from it, and a world has to be
// the same every time.
#ifndef TESTS_SIM_CHOSEN_RANDOMNESS_H_
#define TESTS_SIM_CHOSEN_RANDOMNESS_H_

#include <cstdint>

namespace sim {

// From now on std::random_device gives the numbers that come of `seed`, in all of the
// program. Not thread-safe.
void ChooseRandomness(uint64_t seed);

}  // namespace sim

#endif  // TESTS_SIM_CHOSEN_RANDOMNESS_H_
