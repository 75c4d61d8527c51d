// What the server does to each reply, by the plan and the dice of a world.
#ifndef TESTS_SIM_HAVOC_H_
#define TESTS_SIM_HAVOC_H_

#include <cstdint>
#include <vector>

#include "tests/server/call.h"
#include "tests/server/script.h"
#include "tests/sim/dice.h"
#include "tests/sim/ledger.h"
#include "tests/sim/plan.h"
#include "tests/sim/site.h"
#include "tests/sim/timeline.h"

namespace sim {

// Thread-compatible.
class Havoc {
 public:
  // All must outlive it.
  Havoc(const Plan& plan, Site& site, Ledger& ledger, Timeline& timeline);

  // For server::Script::SetAmender.
  void Amend(const server::Call& call, server::Actions& actions);

 private:
  // Where a READ lies in the file as it is now.
  struct Place {
    bool good_handle = false;
    uint64_t size = 0;
  };

  Place PlaceOf(const server::Call& call) const;
  bool CanHappen(FaultKind kind, const server::Call& call, const Place& place) const;
  void Happen(FaultKind kind, const server::Call& call, const Place& place,
              server::Actions& actions);
  void BendConnection(FaultKind kind, server::Actions& actions);
  void BendTime(FaultKind kind, server::Actions& actions);
  void BendRead(FaultKind kind, const server::Call& call, const Place& place,
                server::Actions& actions);
  void BendReply(FaultKind kind, server::Actions& actions);
  void Refuse(FaultKind kind, server::Actions& actions);
  // Bytes that are no record; `certain`: whoever reads them knows at once.
  std::string Garbage(bool certain);
  // Calls that go out again when a connection is lost.
  uint64_t again() const { return static_cast<uint64_t>(plan_.client.slots) + 2; }

  const Plan& plan_;
  Site& site_;
  Ledger& ledger_;
  Timeline& timeline_;
  Dice dice_;
  std::vector<ReplyFault> left_;
  bool jukebox_forever_ = false;
};

}  // namespace sim

#endif  // TESTS_SIM_HAVOC_H_
