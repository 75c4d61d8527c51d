// Runs another program, takes what it writes, and tells how it ended and what it used.
//
//   Outcome outcome = RunProgram({.argv = {FindProgram("ls"), "/nowhere"}});
//   EXPECT_EQ(outcome.exit_status, 2) << outcome.err;
//
// A Subprocess is the same in steps, for a test that does something in between:
// read some of its output, stop the server it talks to, let it finish.
#ifndef TESTS_SUPPORT_SUBPROCESS_H_
#define TESTS_SUPPORT_SUBPROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/sha256.h"

namespace support {

struct Command {
  // argv[0] is the program's path, with a slash.
  std::vector<std::string> argv;
  // NAME=VALUE each, in addition to our own environment.
  std::vector<std::string> environment = {};
  std::string stdin_path = "/dev/null";
  // Where standard output and standard error go; empty: to us.
  std::string stdout_path = {};
  std::string stderr_path = {};
  // Whether Outcome::out has the output. It always has its length and digest.
  bool keep_output = true;
  // It is killed when it runs for longer.
  absl::Duration time_limit = absl::Minutes(2);
};

struct Outcome {
  int exit_status = -1;  // -1: it was ended by `signal`; 127: it could not be started
  int signal = 0;
  bool timed_out = false;  // `signal` is our SIGKILL
  std::string out;
  uint64_t out_bytes = 0;
  std::string out_sha256;  // hexadecimal
  std::string err;
  // Never less than what the test itself had at the start: the kernel counts from
  // fork(). See kPeakIsTheProgramsOwn.
  uint64_t peak_resident_bytes = 0;
  absl::Duration cpu;  // user and system
};

// Whether peak_resident_bytes says something about a program built like this test:
// what a sanitizer needs for itself is many times more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kPeakIsTheProgramsOwn = false;
#else
inline constexpr bool kPeakIsTheProgramsOwn = true;
#endif

// One run of a program. Thread-compatible. The program dies with the thread that
// started it, whatever way that ends.
class Subprocess {
 public:
  explicit Subprocess(const Command& command);
  // Kills it if it still runs.
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  pid_t pid() const { return pid_; }
  bool running() const;
  // REQUIRES: Finish() has not been called.
  void Signal(int signal);

  // Waits until it has written `bytes` in all; false when it ended, or reached its
  // time limit, before. Takes no more than that out of the pipe.
  bool AwaitOutput(uint64_t bytes);
  // Takes what it writes for so long, or until it ends; tells how much it wrote in all.
  uint64_t TakeOutputFor(absl::Duration time);

  // Takes the rest of its output and waits for its end. REQUIRES: called once.
  Outcome Finish();

 private:
  void Start(const Command& command, int out_fd, int err_fd);
  bool AwaitEvent(absl::Time until = absl::InfiniteFuture());
  void KillAtDeadline();
  size_t ReadOut(uint64_t limit);
  size_t ReadErr();
  void Reap();

  const bool keep_output_;
  const absl::Time deadline_;
  std::vector<std::byte> buffer_;
  int out_fd_ = -1;  // what we read; -1: it ended, or does not go to us
  int err_fd_ = -1;
  pid_t pid_ = -1;
  int pid_fd_ = -1;  // readable when the program has ended; -1: and is reaped
  Sha256 digest_;
  Outcome outcome_;
};

inline Outcome RunProgram(const Command& command) { return Subprocess(command).Finish(); }

// The path of a program of the system, whatever PATH says; empty when there is none.
std::string FindProgram(const std::string& name);

}  // namespace support

#endif  // TESTS_SUPPORT_SUBPROCESS_H_
