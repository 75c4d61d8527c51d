// Programs as a benchmark runs them: on a processor of its choice, between pipes, with what
// they used.
#ifndef TESTS_BENCH_CHILD_H_
#define TESTS_BENCH_CHILD_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/unique_fd.h"

namespace bench {

struct Program {
  std::vector<std::string> argv;  // argv[0] is its path
  int cpu = -1;                   // to run on; -1: any
  int in = -1;                    // standard input and output; -1: /dev/null
  int out = -1;
  // For ptrace(2): it has a process group of its own, and stops before it is executed.
  bool traced = false;
};

// Starts it; standard error is ours. Dies with the thread that starts it. Aborts when the
// machine is out of processes.
pid_t Start(const Program& program);

struct Usage {
  int exit_status = -1;    // -1: a signal ended it
  double cpu_seconds = 0;  // user and system, of it alone
  uint64_t voluntary_switches = 0;
  uint64_t peak_bytes = 0;  // resident; never less than what we had ourselves
};

// Waits for its end.
Usage Await(pid_t pid);

struct Pipe {
  io::UniqueFd read_end;
  io::UniqueFd write_end;
};
// As large as a shell makes them. Closed on exec.
Pipe MakePipe();

// Processors for server, client and what the client is piped into: three of them if there
// are so many, the last two the same where there are two, any where there is one.
struct Processors {
  int server = -1;
  int client = -1;
  int consumer = -1;
};
Processors ChooseProcessors();

}  // namespace bench

#endif  // TESTS_BENCH_CHILD_H_
