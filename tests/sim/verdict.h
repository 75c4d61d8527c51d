// Which ends a world may have, after what was done to it.
#ifndef TESTS_SIM_VERDICT_H_
#define TESTS_SIM_VERDICT_H_

#include <bitset>
#include <string>

#include "absl/time/time.h"
#include "client/errors.h"
#include "tests/sim/ledger.h"
#include "tests/sim/plan.h"

namespace sim {

using Kinds = std::bitset<9>;  // of nfs::ErrorKind, kNone among them

// What a verdict goes by, beyond plan and ledger.
struct Circumstances {
  bool outage_while_opening = false;
  bool change_while_opening = false;
  bool expired_in_a_row = false;
};

// The kinds of error that the faults allow. Not kNone: whether all bytes came is for
// Truth to say.
Kinds AllowedErrors(const Plan& plan, const Ledger& ledger, const Circumstances& circumstances);

// The time that all of it may take.
absl::Duration LongestTime(const Plan& plan, const Ledger& ledger);
// ... and the calls.
uint64_t MostCalls(const Plan& plan, const Ledger& ledger);

// Whether calls and connections must be as many as planned, and no more.
bool CountsAreExact(const Ledger& ledger);
// What is wrong with them; empty when nothing is.
std::string JudgeCounts(const Plan& plan, uint64_t reads, uint64_t other_calls,
                        uint64_t planned_other_calls, uint64_t connects);

// "3, 6".
std::string Text(const Kinds& kinds);

}  // namespace sim

#endif  // TESTS_SIM_VERDICT_H_
