// One run of a contender.
#ifndef TESTS_BENCH_TRIAL_H_
#define TESTS_BENCH_TRIAL_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/bench/child.h"
#include "tests/bench/compare_flags.h"
#include "tests/bench/contenders.h"

namespace bench {

struct Trial {
  double seconds = 0;  // until the client, and what it is piped into, have ended
  Usage usage;         // of the client alone
};

class TrialRunner {
 public:
  TrialRunner(OutputKind output, const Job& job, const Processors& processors)
      : output_(output), job_(job), processors_(processors) {}

  // An error: it failed, or what it was piped into.
  absl::StatusOr<Trial> Run(const Contender& contender) const;
  // Whether it gives the file, byte by byte.
  absl::Status Check(const Contender& contender) const;
  // How many system calls it makes, with all its threads. Nothing: they cannot be counted here.
  std::optional<uint64_t> CountSyscalls(const Contender& contender) const;

 private:
  Program ClientOf(const Contender& contender) const;
  io::UniqueFd OpenOutput(const Contender& contender) const;
  absl::Status CheckPiped(const Contender& contender) const;
  absl::Status CheckFile(const Contender& contender) const;

  const OutputKind output_;
  const Job& job_;
  const Processors& processors_;
};

}  // namespace bench

#endif  // TESTS_BENCH_TRIAL_H_
