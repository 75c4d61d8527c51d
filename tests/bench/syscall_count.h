// Counts the system calls of a program, by stopping it at every one.
#ifndef TESTS_BENCH_SYSCALL_COUNT_H_
#define TESTS_BENCH_SYSCALL_COUNT_H_

#include <cstdint>
#include <optional>

#include "tests/bench/child.h"

namespace bench {

// Runs it to its end and returns how many system calls it and its threads and children
// made, from exec on. Nothing: it failed, or it may not be traced here. It is many times
// slower than by itself, so how often it has to wait, and with what, is another matter.
std::optional<uint64_t> CountSyscalls(Program program);

}  // namespace bench

#endif  // TESTS_BENCH_SYSCALL_COUNT_H_
