// What was done to a world so far, and what it may have cost the client.
#ifndef TESTS_SIM_LEDGER_H_
#define TESTS_SIM_LEDGER_H_

#include <cstdint>

#include "absl/time/time.h"
#include "tests/sim/faults.h"

namespace sim {

// A value.
class Ledger {
 public:
  // A fault that may keep replies away for `stall`, and for which the client may make
  // so many calls more than it planned.
  void Inject(FaultKind kind, absl::Duration stall = absl::ZeroDuration(), uint64_t calls = 0) {
    ++counts_[static_cast<size_t>(kind)];
    stalls_ += stall;
    calls_ += calls;
  }
  // Something that is no fault took that time.
  void Spend(absl::Duration time) { spent_ += time; }

  uint64_t count(FaultKind kind) const { return counts_[static_cast<size_t>(kind)]; }
  bool Has(FaultKind kind) const { return count(kind) != 0; }
  const FaultCounts& counts() const { return counts_; }
  absl::Duration stalls() const { return stalls_; }
  absl::Duration spent() const { return spent_; }
  uint64_t extra_calls() const { return calls_; }

 private:
  FaultCounts counts_{};
  absl::Duration stalls_;
  absl::Duration spent_;
  uint64_t calls_ = 0;
};

}  // namespace sim

#endif  // TESTS_SIM_LEDGER_H_
