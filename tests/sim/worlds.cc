// Runs simulated worlds and judges them:
//
//   bazel run -c opt //tests/sim:worlds -- --worlds=100000 --seed=1
//   bazel run -c opt //tests/sim:worlds -- --worlds=1 --seed=4711 --timeline
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "tests/sim/jobs.h"
#include "tests/sim/worlds_options.h"

namespace sim {
namespace {

// From so many worlds on, each kind of fault must have been there.
constexpr uint64_t kManyWorlds = 1000;

class Program {
 public:
  explicit Program(const WorldsOptions& options) : options_(options), begin_(absl::Now()) {}

  int Run() {
    if (options_.timeline) return ReplayAll();
    const Outcome outcome =
        RunWorlds(MakeWork(), [this](const Totals& totals) { ShowProgress(totals); });
    if (shown_) std::fprintf(stderr, "\n");
    std::fputs(Text(outcome.totals, absl::Now() - begin_).c_str(), stdout);
    if (outcome.violating_seed) return Show(*outcome.violating_seed);
    return CheckFaults(outcome.totals);
  }

 private:
  Work MakeWork() const {
    Work work;
    work.first_seed = options_.seed;
    work.worlds = options_.worlds;
    work.allowed = options_.allowed;
    work.keep_going = options_.keep_going;
    work.jobs = options_.jobs;
    if (work.jobs == 0) work.jobs = static_cast<int>(std::thread::hardware_concurrency());
    if (options_.time > absl::ZeroDuration()) {
      work.is_time_up = [end = begin_ + options_.time] { return absl::Now() >= end; };
    }
    return work;
  }

  int ReplayAll() {
    bool good = true;
    for (uint64_t i = 0; i < options_.worlds; ++i) {
      good &= Replay(options_.seed + i, options_.allowed);
    }
    return good ? 0 : 1;
  }

  void ShowProgress(const Totals& totals) {
    if (isatty(STDERR_FILENO) == 0 || absl::Now() < next_progress_) return;
    next_progress_ = absl::Now() + absl::Seconds(1);
    shown_ = true;
    std::fprintf(stderr, "\r%llu worlds, %llu violations, %.0f s ",
                 static_cast<unsigned long long>(totals.worlds),
                 static_cast<unsigned long long>(totals.violations),
                 absl::ToDoubleSeconds(absl::Now() - begin_));
  }

  int Show(uint64_t seed) const {
    std::printf("\n");
    Replay(seed, options_.allowed);
    std::printf(
        "\nreplay: bazel run -c opt //tests/sim:worlds -- --worlds=1 --seed=%llu%s --timeline\n",
        static_cast<unsigned long long>(seed), options_.fault_options.c_str());
    return 1;
  }

  int CheckFaults(const Totals& totals) const {
    const std::vector<std::string> never = NeverInjected(totals, options_.allowed);
    if (totals.worlds < kManyWorlds || never.empty()) return 0;
    std::printf("never injected: %s\n", absl::StrJoin(never, ", ").c_str());
    return 1;
  }

  const WorldsOptions options_;
  const absl::Time begin_;
  absl::Time next_progress_ = absl::InfinitePast();
  bool shown_ = false;
};

int Main(int argc, char** argv) {
  // A world's buffers of some hundred KiB are not to be mapped anew in each.
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  // Several processes write whole lines.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  const absl::StatusOr<WorldsOptions> options = ParseWorldsOptions(argc, argv);
  if (!options.ok()) {
    std::fprintf(stderr, "worlds: %s\n", std::string(options.status().message()).c_str());
    return 2;
  }
  if (options->help) {
    std::fputs(WorldsHelp().c_str(), stdout);
    return 0;
  }
  return Program(*options).Run();
}

}  // namespace
}  // namespace sim

int main(int argc, char** argv) { return sim::Main(argc, argv); }
