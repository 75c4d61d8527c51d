// Tested by tests/sim/verdict_test.cc.
#include "tests/sim/verdict.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace sim {

namespace {

using absl::Seconds;
using nfs::ErrorKind;

// rpcbind and MOUNT.
constexpr uint64_t kOtherConnects = 2;

// Answers of one READ that say nothing; the client puts up with five.
constexpr uint64_t kMostDoubts = 4;
// Handles that are stale in a row; the client puts up with three.
constexpr uint64_t kMostStale = 2;
// Connections ended before the first reply; the client puts up with four.
constexpr uint64_t kMostLosses = 4;

void Allow(Kinds& kinds, ErrorKind kind) { kinds.set(static_cast<size_t>(kind)); }

// Whether the faults can have kept replies away for as long as a soft client waits.
bool MayRunOutOfPatience(const Plan& plan, const Ledger& ledger) {
  if (plan.client.hard || ledger.stalls() == absl::ZeroDuration()) return false;
  return ledger.stalls() + plan.client.timeout / 4 >= plan.patience();
}

uint64_t Losses(const Ledger& ledger) {
  uint64_t losses = 0;
  for (FaultKind kind : {FaultKind::kReset, FaultKind::kFin, FaultKind::kRefuse,
                         FaultKind::kRestart, FaultKind::kRestartExpired, FaultKind::kMove}) {
    losses += ledger.count(kind);
  }
  return losses;
}

void AllowForTheServer(const Ledger& ledger, Kinds& kinds) {
  if (ledger.Has(FaultKind::kError)) Allow(kinds, ErrorKind::kNfs);
  const uint64_t stale = ledger.count(FaultKind::kStale) + ledger.count(FaultKind::kRestartExpired);
  if (stale > kMostStale) Allow(kinds, ErrorKind::kNfs);
  if (ledger.Has(FaultKind::kGarbage) || ledger.Has(FaultKind::kCut)) {
    Allow(kinds, ErrorKind::kProtocol);
  }
  if (ledger.Has(FaultKind::kDenied)) {
    Allow(kinds, ErrorKind::kMountRefused);
    Allow(kinds, ErrorKind::kUnreachable);
  }
  const uint64_t doubts = ledger.count(FaultKind::kEmptyRead) + ledger.count(FaultKind::kEarlyEof);
  if (doubts > kMostDoubts) {
    Allow(kinds, ErrorKind::kProtocol);
    Allow(kinds, ErrorKind::kFileChanged);
  }
}

void AllowForTheFile(const Ledger& ledger, const Circumstances& circumstances, Kinds& kinds) {
  for (FaultKind kind : {FaultKind::kShrink, FaultKind::kRewrite, FaultKind::kReplace}) {
    if (ledger.Has(kind)) Allow(kinds, ErrorKind::kFileChanged);
  }
  // Of a file that is found again after its handle became stale, even a greater size is.
  const bool found_again = ledger.Has(FaultKind::kStale) || ledger.Has(FaultKind::kRestartExpired);
  if (ledger.Has(FaultKind::kGrow) && found_again) Allow(kinds, ErrorKind::kFileChanged);
  const uint64_t others = ledger.count(FaultKind::kReplace);
  if (ledger.Has(FaultKind::kRemove) || others > 1 ||
      (others != 0 && circumstances.change_while_opening)) {
    Allow(kinds, ErrorKind::kNfs);
  }
}

}  // namespace

Kinds AllowedErrors(const Plan& plan, const Ledger& ledger, const Circumstances& circumstances) {
  Kinds kinds;
  if (MayRunOutOfPatience(plan, ledger)) {
    Allow(kinds, ErrorKind::kTimedOut);
    const bool jukebox = ledger.Has(FaultKind::kJukebox) || ledger.Has(FaultKind::kJukeboxForever);
    if (jukebox) Allow(kinds, ErrorKind::kNfs);
  }
  // The first connect is tried once, and rpcbind is not waited for as long as the others.
  if (circumstances.outage_while_opening) {
    Allow(kinds, ErrorKind::kUnreachable);
    Allow(kinds, ErrorKind::kTimedOut);
  }
  if (Losses(ledger) > kMostLosses) Allow(kinds, ErrorKind::kUnreachable);
  if (circumstances.expired_in_a_row) Allow(kinds, ErrorKind::kNfs);
  AllowForTheServer(ledger, kinds);
  AllowForTheFile(ledger, circumstances, kinds);
  return kinds;
}

absl::Duration LongestTime(const Plan& plan, const Ledger& ledger) {
  const NetworkPlan& network = plan.network;
  const auto addresses = network.dead_addresses + network.refusing_addresses + 1;
  // Each of four connections may go through all addresses; EXPORT and UMNT have their own
  // bounds.
  const absl::Duration opening =
      4 * addresses * std::max(plan.client.connect_timeout, Seconds(5)) + Seconds(20);
  const auto calls = static_cast<int64_t>(plan.planned_reads() + ledger.extra_calls()) + 30;
  const absl::Duration each = plan.round_trip() + plan.client.timeout / 4 + Seconds(0.5);
  const uint64_t bytes =
      plan.file_size + 100'000 + ledger.extra_calls() * (plan.chunk_bytes() + 200);
  const absl::Duration transfer = 3 * plan.TimeOf(bytes);
  return opening + calls * each + transfer + 2 * plan.patience() + 3 * ledger.stalls() +
         ledger.spent();
}

uint64_t MostCalls(const Plan& plan, const Ledger& ledger) {
  return 100 + 2 * (plan.planned_reads() + ledger.extra_calls());
}

bool CountsAreExact(const Ledger& ledger) {
  return std::ranges::none_of(DescribeFaults(), [&](const FaultDescription& fault) {
    return fault.changes_calls && ledger.Has(fault.kind);
  });
}

std::string JudgeCounts(const Plan& plan, uint64_t reads, uint64_t other_calls,
                        uint64_t planned_other_calls, uint64_t connects) {
  if (reads != plan.planned_reads()) {
    return absl::StrCat(reads, " READs without need for more than ", plan.planned_reads());
  }
  if (other_calls != planned_other_calls) {
    return absl::StrCat(other_calls, " other calls, not ", planned_other_calls);
  }
  const uint64_t planned = kOtherConnects + static_cast<uint64_t>(plan.planned_connections());
  // The first connection's replies may hold up what the others connect with for too long.
  const bool may_retry = plan.planned_connections() > 1 && plan.network.bytes_per_second != 0;
  if (may_retry && connects > planned) return "";
  const bool may_add = plan.client.nconnect_is_automatic;
  if (may_add && connects > planned && connects < planned + nfs::kMostConnections) return "";
  if (connects != planned) return absl::StrCat(connects, " connects, not ", planned);
  return "";
}

std::string Text(const Kinds& kinds) {
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i]) absl::StrAppend(&text, text.empty() ? "" : ", ", i);
  }
  return text.empty() ? "none" : text;
}

}  // namespace sim
