// Tested by tests/sim/world_test.cc.
#include "tests/sim/happenings.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace sim {

using absl::Seconds;

Happenings::Happenings(const Plan& plan, Site& site, Ledger& ledger, Timeline& timeline,
                       std::function<bool()> waits)
    : plan_(plan), site_(site), ledger_(ledger), timeline_(timeline), waits_(std::move(waits)) {}

void Happenings::OnNfsCall(bool reads_well) {
  if (reads_well) has_expired_ = false;
  Schedule(++calls_);
}

void Happenings::Schedule(uint64_t nth_call) {
  for (const TimedFault& fault : plan_.timed_faults) {
    if (fault.nth_call != nth_call) continue;
    site_.network().After(fault.later, [this, &fault] { Happen(fault); });
  }
}

void Happenings::Happen(const TimedFault& fault) {
  switch (fault.kind) {
    case FaultKind::kRestart:
    case FaultKind::kRestartExpired:
    case FaultKind::kMove: return Restart(fault);
    case FaultKind::kBlackHole: return Silence(fault);
    default: return ChangeFile(fault);
  }
}

void Happenings::NoteOutage() {
  ++outages_;
  first_outage_ = std::min(first_outage_, site_.now());
}

void Happenings::Restart(const TimedFault& fault) {
  NoteOutage();
  timeline_.Add(site_.now(), "    server goes down: ", Describe(fault.kind).name);
  const auto calls = plan_.all_slots() * 2 + 24;
  ledger_.Inject(fault.kind, fault.lasts + Seconds(4) + 20 * plan_.round_trip(), calls);
  site_.GoDown();
  site_.network().After(fault.lasts, [this, &fault] { ComeUp(fault); });
}

void Happenings::ComeUp(const TimedFault& fault) {
  if (fault.kind == FaultKind::kRestartExpired) ExpireHandles();
  if (fault.kind == FaultKind::kMove) site_.Move();
  site_.GoUp();
  timeline_.Add(site_.now(), "    server is ", site_.is_up() ? "up" : "still down");
  if (site_.is_up()) ExpectCallSoon();
}

void Happenings::ExpireHandles() {
  expired_in_a_row_ |= std::exchange(has_expired_, true);
  site_.served().tree().ExpireHandles();
}

// What the server sent before it went down has arrived after that.
absl::Duration Happenings::Backlog() const {
  const auto slots = plan_.all_slots();
  return plan_.round_trip() + plan_.TimeOf(slots * (plan_.chunk_bytes() + 200));
}

absl::Duration Happenings::LongestRecovery() const {
  const ConsumerPlan& consumer = plan_.consumer;
  const bool sleeps = consumer.pause_every != 0 && !consumer.turns_in_pauses;
  // Other addresses are tried before, one after the other, each when somebody looks.
  const NetworkPlan& network = plan_.network;
  const int others = network.dead_addresses + network.refusing_addresses;
  return Seconds(2) + others * absl::Milliseconds(500) + 6 * plan_.round_trip() +
         plan_.TimeOf(1000) + (sleeps ? (1 + others) * consumer.pause : absl::ZeroDuration());
}

// Calls that are still in flight when all that was sent has come must come again. The
// client was refused before, so that it knows when the server is back.
void Happenings::ExpectCallSoon() {
  for (FaultKind kind :
       {FaultKind::kBlackHole, FaultKind::kMove, FaultKind::kRefuse, FaultKind::kSeek}) {
    if (plan_.Has(kind)) return;
  }
  const auto expect = [this, up = site_.now(), calls = calls_, outages = outages_] {
    if (calls_ != calls || outages_ != outages || !waits_()) return;
    violation_ = absl::StrCat("no call has come within ", absl::FormatDuration(site_.now() - up),
                              " of the server's return");
    timeline_.Add(site_.now(), "  ! ", violation_);
  };
  site_.network().After(Backlog(), [this, expect] {
    if (waits_()) site_.network().After(LongestRecovery(), expect);
  });
}

void Happenings::Silence(const TimedFault& fault) {
  NoteOutage();
  timeline_.Add(site_.now(), "    the network falls silent");
  const absl::Duration timeout = plan_.client.timeout;
  const auto resends = static_cast<uint64_t>(fault.lasts / timeout) + 3;
  // A connection that has lost something stays silent, and that takes a timeout to find.
  ledger_.Inject(
      fault.kind,
      std::max(fault.lasts, timeout) + timeout / 4 + Seconds(4) + 20 * plan_.round_trip(),
      resends * plan_.all_slots() + 24);
  site_.Silence();
  site_.network().After(fault.lasts, [this] {
    site_.Speak();
    timeline_.Add(site_.now(), "    the network speaks again");
  });
}

void Happenings::ChangeFile(const TimedFault& fault) {
  if (!site_.Change(fault)) return;
  timeline_.Add(site_.now(), "    the file changes: ", Describe(fault.kind).name, ", now ",
                site_.file_size(), " bytes");
  ledger_.Spend(Seconds(2) + 20 * plan_.round_trip());
  ledger_.Inject(fault.kind, absl::ZeroDuration(), fault.bytes / plan_.chunk_bytes() + 24);
}

}  // namespace sim
