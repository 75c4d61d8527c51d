// What happens to the server, the way to it and the file, at its time.
#ifndef TESTS_SIM_HAPPENINGS_H_
#define TESTS_SIM_HAPPENINGS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "tests/sim/ledger.h"
#include "tests/sim/plan.h"
#include "tests/sim/site.h"
#include "tests/sim/timeline.h"

namespace sim {

// Thread-compatible.
class Happenings {
 public:
  // `waits`: whether the client waits for replies. All must
  // outlive it.
  Happenings(const Plan& plan, Site& site, Ledger& ledger, Timeline& timeline,
             std::function<bool()> waits);

  // Those of the world's beginning.
  void Begin() { Schedule(0); }
  // `reads_well`: it is a READ of a good handle.
  void OnNfsCall(bool reads_well);

  // What was wrong with how the client came back; empty when nothing was.
  const std::string& violation() const { return violation_; }
  // Handles expired again before the client had read by new ones.
  bool expired_in_a_row() const { return expired_in_a_row_; }
  // Some outage overlapped the time before this one.
  bool outage_before(absl::Time time) const { return first_outage_ < time; }

 private:
  void Schedule(uint64_t nth_call);
  void Happen(const TimedFault& fault);
  void Restart(const TimedFault& fault);
  void Silence(const TimedFault& fault);
  void ChangeFile(const TimedFault& fault);
  void ComeUp(const TimedFault& fault);
  void ExpectCallSoon();
  absl::Duration Backlog() const;
  absl::Duration LongestRecovery() const;
  void NoteOutage();
  void ExpireHandles();

  const Plan& plan_;
  Site& site_;
  Ledger& ledger_;
  Timeline& timeline_;
  const std::function<bool()> waits_;
  uint64_t calls_ = 0;
  uint64_t outages_ = 0;
  bool has_expired_ = false;  // and nothing was read since
  bool expired_in_a_row_ = false;
  absl::Time first_outage_ = absl::InfiniteFuture();
  std::string violation_;
};

}  // namespace sim

#endif  // TESTS_SIM_HAPPENINGS_H_
