#include "tests/support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "absl/time/clock.h"

namespace support {
namespace {

constexpr size_t kBufferBytes = 256 * 1024;
constexpr absl::Duration kNoTime = absl::ZeroDuration();

// For what fails only when the machine is out of something.
int Must(int result, const char* what) {
  if (result >= 0) return result;
  perror(what);
  abort();
}

// The ends of a pipe: {read, write}. Reading never waits: the program may pass its
// end on to a program that outlives it.
std::pair<int, int> MakePipe() {
  int ends[2];
  Must(pipe2(ends, O_CLOEXEC), "pipe2");
  Must(fcntl(ends[0], F_SETFL, O_NONBLOCK), "fcntl");
  fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);  // fewer switches; may be forbidden
  return {ends[0], ends[1]};
}

// What the program writes to: a file, or a pipe whose other end is stored in *read_fd.
int OpenOutput(const std::string& path, int* read_fd) {
  if (!path.empty()) {
    return Must(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), path.c_str());
  }
  const auto [read_end, write_end] = MakePipe();
  *read_fd = read_end;
  return write_end;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  return pointers;
}

std::vector<char*> ArgumentsOf(const Command& command) {
  std::vector<char*> arguments = Pointers(command.argv);
  arguments.push_back(nullptr);
  return arguments;
}

// getenv() takes the first of a name, so ours come last.
std::vector<char*> EnvironmentOf(const Command& command) {
  std::vector<char*> environment = Pointers(command.environment);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  return environment;
}

// In the child, between fork and exec: only calls that are safe in a signal handler.
[[noreturn]] void BecomeProgram(std::span<const int, 3> standard_fds, pid_t parent,
                                char* const* argv, char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (int i = 0; i < 3; ++i) dup2(standard_fds[i], i);
  execve(argv[0], argv, environment);
  const char* const parts[] = {argv[0], ": ", strerrordesc_np(errno), "\n"};
  for (const char* part : parts) {
    if (write(STDERR_FILENO, part, strlen(part)) < 0) break;
  }
  _exit(127);
}

absl::Duration TimeOf(const timeval& time) { return absl::DurationFromTimeval(time); }

}  // namespace

Subprocess::Subprocess(const Command& command)
    : keep_output_(command.keep_output),
      deadline_(absl::Now() + command.time_limit),
      buffer_(kBufferBytes) {
  const int out = OpenOutput(command.stdout_path, &out_fd_);
  const int err = OpenOutput(command.stderr_path, &err_fd_);
  Start(command, out, err);
  close(out);
  close(err);
}

void Subprocess::Start(const Command& command, int out_fd, int err_fd) {
  const int in_fd = Must(open(command.stdin_path.c_str(), O_RDONLY | O_CLOEXEC), "stdin");
  const std::vector<char*> arguments = ArgumentsOf(command);
  const std::vector<char*> environment = EnvironmentOf(command);
  const pid_t parent = getpid();
  pid_ = Must(fork(), "fork");
  if (pid_ == 0) {
    const int standard_fds[] = {in_fd, out_fd, err_fd};
    BecomeProgram(standard_fds, parent, arguments.data(), environment.data());
  }
  close(in_fd);
  // Not pidfd_open(): glibc 2.36 declares it for C only.
  pid_fd_ = Must(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)), "pidfd_open");
}

Subprocess::~Subprocess() {
  if (pid_fd_ >= 0) {
    kill(pid_, SIGKILL);
    Reap();
  }
  if (out_fd_ >= 0) close(out_fd_);
  if (err_fd_ >= 0) close(err_fd_);
}

bool Subprocess::running() const {
  pollfd ended{pid_fd_, POLLIN, 0};
  return pid_fd_ >= 0 && poll(&ended, 1, 0) == 0;
}

void Subprocess::Signal(int signal) { kill(pid_, signal); }

bool Subprocess::AwaitOutput(uint64_t bytes) {
  while (outcome_.out_bytes < bytes) {
    const bool ended = AwaitEvent();
    ReadErr();
    if (ReadOut(bytes - outcome_.out_bytes) == 0 && ended) return false;
  }
  return true;
}

uint64_t Subprocess::TakeOutputFor(absl::Duration time) {
  const absl::Time until = absl::Now() + time;
  bool ended = false;
  while (!ended && absl::Now() < until) {
    ended = AwaitEvent(until);
    ReadErr();
    while (ReadOut(kBufferBytes) > 0 && absl::Now() < until) continue;
  }
  return outcome_.out_bytes;
}

Outcome Subprocess::Finish() {
  bool ended = false;
  while (!ended) {
    ended = AwaitEvent();
    ReadOut(kBufferBytes);
    ReadErr();
  }
  while (ReadOut(kBufferBytes) > 0) continue;
  while (ReadErr() > 0) continue;
  Reap();
  outcome_.out_sha256 = digest_.Finish();
  return std::move(outcome_);
}

// Waits, not beyond `until`, for output or the program's end, and tells whether it has ended.
bool Subprocess::AwaitEvent(absl::Time until) {
  pollfd events[] = {{pid_fd_, POLLIN, 0}, {out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}};
  const absl::Time deadline = outcome_.timed_out ? absl::InfiniteFuture() : deadline_;
  const absl::Duration left = std::min(deadline, until) - absl::Now();
  const int milliseconds = left == absl::InfiniteDuration()
                               ? -1
                               : absl::ToInt64Milliseconds(std::max(left, kNoTime)) + 1;
  poll(events, std::size(events), milliseconds);
  if (absl::Now() > deadline && events[0].revents == 0) KillAtDeadline();
  return events[0].revents != 0;
}

void Subprocess::KillAtDeadline() {
  outcome_.timed_out = true;
  Signal(SIGKILL);
}

// Takes at most `limit` bytes. 0: there are none, now or for ever.
size_t Subprocess::ReadOut(uint64_t limit) {
  if (out_fd_ < 0) return 0;
  const ssize_t bytes = read(out_fd_, buffer_.data(), std::min<uint64_t>(limit, kBufferBytes));
  if (bytes == 0) close(std::exchange(out_fd_, -1));
  if (bytes <= 0) return 0;
  digest_.Add(std::span(buffer_).first(bytes));
  outcome_.out_bytes += bytes;
  if (keep_output_) outcome_.out.append(reinterpret_cast<const char*>(buffer_.data()), bytes);
  return bytes;
}

size_t Subprocess::ReadErr() {
  if (err_fd_ < 0) return 0;
  const ssize_t bytes = read(err_fd_, buffer_.data(), kBufferBytes);
  if (bytes == 0) close(std::exchange(err_fd_, -1));
  if (bytes <= 0) return 0;
  outcome_.err.append(reinterpret_cast<const char*>(buffer_.data()), bytes);
  return bytes;
}

void Subprocess::Reap() {
  int status = 0;
  rusage usage{};
  Must(wait4(pid_, &status, 0, &usage), "wait4");
  close(std::exchange(pid_fd_, -1));
  if (WIFEXITED(status)) outcome_.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
  outcome_.peak_resident_bytes = uint64_t{1024} * static_cast<uint64_t>(usage.ru_maxrss);
  outcome_.cpu = TimeOf(usage.ru_utime) + TimeOf(usage.ru_stime);
}

std::string FindProgram(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    std::string path = folder + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

}  // namespace support
