// Tested by tests/bench/syscall_count_test.cc.
#include "tests/bench/syscall_count.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>

namespace bench {

namespace {

constexpr int kSyscallStop = SIGTRAP | 0x80;  // with PTRACE_O_TRACESYSGOOD
constexpr intptr_t kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC |
                              PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;

bool IsEntry(pid_t thread) {
  __ptrace_syscall_info info = {};
  ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info);
  return info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

// Stops that are the tracing's own, and not a signal for the program.
bool IsOwnStop(int status) {
  const int signal = WSTOPSIG(status);
  return signal == kSyscallStop || signal == SIGTRAP || signal == SIGSTOP;
}

class Tracer {
 public:
  explicit Tracer(pid_t pid) : pid_(pid) {}

  std::optional<uint64_t> Run() {
    int status = 0;
    if (waitpid(pid_, &status, __WALL) != pid_ || !WIFSTOPPED(status)) return std::nullopt;
    ptrace(PTRACE_SETOPTIONS, pid_, nullptr, kOptions);
    ptrace(PTRACE_SYSCALL, pid_, nullptr, nullptr);
    // The child has made a process group of its own, so nobody else's end is taken here.
    for (pid_t thread; (thread = waitpid(-pid_, &status, __WALL)) > 0 || errno == EINTR;) {
      if (thread > 0) OnEvent(thread, status);
    }
    if (!ended_well_) return std::nullopt;
    return count_;
  }

 private:
  void OnEvent(pid_t thread, int status) {
    if (!WIFSTOPPED(status)) {
      if (thread == pid_) ended_well_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      return;
    }
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) has_begun_ = true;
    if (has_begun_ && WSTOPSIG(status) == kSyscallStop && IsEntry(thread)) ++count_;
    const intptr_t signal = IsOwnStop(status) ? 0 : WSTOPSIG(status);
    ptrace(PTRACE_SYSCALL, thread, nullptr, signal);
  }

  const pid_t pid_;
  bool has_begun_ = false;  // the program, after exec
  bool ended_well_ = false;
  uint64_t count_ = 0;
};

}  // namespace

std::optional<uint64_t> CountSyscalls(Program program) {
  program.traced = true;
  return Tracer(Start(program)).Run();
}

}  // namespace bench
