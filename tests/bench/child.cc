#include "tests/bench/child.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

int Must(int result, const char* what) {
  if (result >= 0) return result;
  perror(what);
  abort();
}

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof(set), &set);
}

// In the child: only calls that are safe after fork() in a program with threads.
[[noreturn]] void Become(const Program& program, char* const* argv, int null) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(program.in >= 0 ? program.in : null, STDIN_FILENO);
  dup2(program.out >= 0 ? program.out : null, STDOUT_FILENO);
  if (program.cpu >= 0) PinTo(program.cpu);
  if (program.traced) {
    setpgid(0, 0);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
  }
  execv(argv[0], argv);
  perror(argv[0]);
  _exit(127);
}

}  // namespace

pid_t Start(const Program& program) {
  std::vector<char*> argv;
  for (const std::string& word : program.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const io::UniqueFd null(Must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null"));
  const pid_t pid = Must(fork(), "fork");
  if (pid == 0) Become(program, argv.data(), null.get());
  return pid;
}

Usage Await(pid_t pid) {
  int status = 0;
  rusage used = {};
  while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) continue;
  return {.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .cpu_seconds = SecondsOf(used.ru_utime) + SecondsOf(used.ru_stime),
          .voluntary_switches = static_cast<uint64_t>(used.ru_nvcsw),
          .peak_bytes = static_cast<uint64_t>(used.ru_maxrss) << 10};
}

Pipe MakePipe() {
  int ends[2];
  Must(pipe2(ends, O_CLOEXEC), "pipe");
  return {io::UniqueFd(ends[0]), io::UniqueFd(ends[1])};
}

Processors ChooseProcessors() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  if (count < 2) return {};
  return {.server = 0, .client = 1, .consumer = count > 2 ? 2 : 1};
}

}  // namespace bench
