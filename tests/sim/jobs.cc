// Tested by tests/sim/worlds_test.cc.
#include "tests/sim/jobs.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

// Sanitizers map terabytes, which is not to be bounded. GCC and clang tell of them in
// different ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIM_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SIM_HAS_SANITIZER 1
#endif
#endif

namespace sim {

namespace {

// What a process tells the one that made it, in memory that they share.
struct Board {
  std::atomic<uint64_t> seed = 0;  // at present
  std::atomic<bool> has_seed = false;
  std::atomic<bool> violated = false;
  std::atomic<uint64_t> violating_seed = 0;
  std::atomic<bool> stop = false;  // by the one that made it
  Totals totals;
};

Board* MakeBoard() {
  void* memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    std::exit(1);
  }
  return new (memory) Board;
}

// Ends the process when a world takes a minute, or gigabytes: a client that goes round in
// circles without a wait is not seen by the world itself.
void BoundWorld() {
  alarm(60);
#ifndef SIM_HAS_SANITIZER
  constexpr rlim_t kBytes = rlim_t{4} << 30;
  const rlimit limit = {kBytes, kBytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

class Job {
 public:
  Job(const Work& work, int index)
      : work_(work), board_(MakeBoard()), next_(work.first_seed + static_cast<uint64_t>(index)) {
    Start();
  }
  ~Job() { munmap(board_, sizeof(Board)); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  bool is_over() const { return process_ == 0; }
  bool has_violated() const { return board_->violated; }
  uint64_t violating_seed() const { return board_->violating_seed; }
  const Totals& totals() const { return board_->totals; }
  void Stop() { board_->stop = true; }

  // Looks whether the process has ended, and goes on behind a world that ended it.
  void Check() {
    int status = 0;
    if (process_ == 0 || waitpid(process_, &status, WNOHANG) != process_) return;
    process_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    OnCrash(status);
  }

 private:
  void Start() {
    std::fflush(stdout);
    process_ = fork();
    if (process_ != 0) return;
    RunAll();
    std::fflush(stdout);
    _exit(0);
  }

  void RunAll() {
    for (uint64_t seed = next_; HasWorld(seed); seed += static_cast<uint64_t>(work_.jobs)) {
      board_->seed = seed;
      board_->has_seed = true;
      RunOne(seed);
      if (board_->violated && !work_.keep_going) return;
    }
  }

  bool HasWorld(uint64_t seed) const {
    if (board_->stop) return false;
    if (work_.is_time_up) return !work_.is_time_up();
    return seed - work_.first_seed < work_.worlds;
  }

  void RunOne(uint64_t seed) {
    BoundWorld();
    Timeline timeline;
    const WorldReport report = RunWorld(DrawPlan(seed, work_.allowed), timeline);
    board_->totals.Add(report);
    if (report.violation.empty()) return;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), report.violation.c_str());
    NoteViolation(seed);
  }

  void NoteViolation(uint64_t seed) {
    if (!board_->violated) board_->violating_seed = seed;
    board_->violated = true;
  }

  void OnCrash(int status) {
    const uint64_t seed = board_->seed;
    std::printf("seed %llu: the world ended its process, %s %d\n",
                static_cast<unsigned long long>(seed), WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    ++board_->totals.worlds;
    ++board_->totals.crashes;
    NoteViolation(seed);
    next_ = seed + static_cast<uint64_t>(work_.jobs);
    if (board_->has_seed && work_.keep_going) Start();
  }

  const Work& work_;
  Board* const board_;
  uint64_t next_;
  pid_t process_ = 0;
};

bool AllOver(std::vector<std::unique_ptr<Job>>& jobs) {
  bool all_over = true;
  for (auto& job : jobs) {
    job->Check();
    all_over &= job->is_over();
  }
  return all_over;
}

Outcome Sum(const std::vector<std::unique_ptr<Job>>& jobs) {
  Outcome outcome;
  for (const auto& job : jobs) {
    outcome.totals.Add(job->totals());
    if (job->has_violated() && !outcome.violating_seed) {
      outcome.violating_seed = job->violating_seed();
    }
  }
  return outcome;
}

}  // namespace

Outcome RunWorlds(const Work& work, const std::function<void(const Totals&)>& on_progress) {
  std::vector<std::unique_ptr<Job>> jobs;
  for (int i = 0; i < work.jobs; ++i) jobs.push_back(std::make_unique<Job>(work, i));
  while (!AllOver(jobs)) {
    usleep(20'000);
    const Outcome so_far = Sum(jobs);
    on_progress(so_far.totals);
    if (!so_far.violating_seed || work.keep_going) continue;
    for (auto& job : jobs) job->Stop();
  }
  return Sum(jobs);
}

bool Replay(uint64_t seed, const FaultSet& allowed) {
  std::fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    BoundWorld();
    Timeline timeline(Timeline::Mode::kPrint);
    const WorldReport report = RunWorld(DrawPlan(seed, allowed), timeline);
    if (!report.violation.empty()) std::printf("violation: %s\n", report.violation.c_str());
    std::fflush(stdout);
    _exit(report.violation.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace sim
