// Tested by tests/sim/plan_test.cc.
#include "tests/sim/faults.h"

#include <algorithm>

namespace sim {

namespace {

constexpr FaultDescription kDescriptions[] = {
    {FaultKind::kSegments, "segments", false, false},
    {FaultKind::kSmallReceives, "small-receives", false, false},
    {FaultKind::kSlowLink, "slow-link", false, false},
    {FaultKind::kBlackHole, "black-hole", true, false},
    {FaultKind::kDeadAddress, "dead-address", true, false},
    {FaultKind::kRefusingAddress, "refusing-address", true, false},
    {FaultKind::kRestart, "restart", true, false},
    {FaultKind::kRestartExpired, "restart-expired", true, false},
    {FaultKind::kMove, "move", true, false},
    {FaultKind::kReset, "reset", true, false},
    {FaultKind::kFin, "fin", true, false},
    {FaultKind::kRefuse, "refuse", true, false},
    {FaultKind::kSplit, "split", false, false},
    {FaultKind::kFragments, "fragments", false, false},
    {FaultKind::kDelay, "delay", false, false},
    {FaultKind::kLate, "late", true, false},
    {FaultKind::kReorder, "reorder", false, false},
    {FaultKind::kDuplicate, "duplicate", false, false},
    {FaultKind::kDrop, "drop", true, false},
    {FaultKind::kShortRead, "short-read", true, false},
    {FaultKind::kEmptyRead, "empty-read", true, false},
    {FaultKind::kEarlyEof, "early-eof", true, false},
    {FaultKind::kNoEof, "no-eof", true, false},
    {FaultKind::kOver, "over", false, false},
    {FaultKind::kNoAttributes, "no-attributes", true, false},
    {FaultKind::kJunk, "junk", false, false},
    {FaultKind::kVerifier, "verifier", false, false},
    {FaultKind::kGarbage, "garbage", true, true},
    {FaultKind::kCut, "cut", true, true},
    {FaultKind::kStale, "stale", true, false},
    {FaultKind::kJukebox, "jukebox", true, false},
    {FaultKind::kJukeboxForever, "jukebox-forever", true, true},
    {FaultKind::kError, "error", true, true},
    {FaultKind::kDenied, "denied", true, true},
    {FaultKind::kGrow, "grow", true, false},
    {FaultKind::kShrink, "shrink", true, true},
    {FaultKind::kRewrite, "rewrite", true, true},
    {FaultKind::kReplace, "replace", true, true},
    {FaultKind::kRemove, "remove", true, true},
    {FaultKind::kSlowConsumer, "slow-consumer", false, false},
    {FaultKind::kStopEarly, "stop-early", true, false},
    {FaultKind::kSeek, "seek", true, false},
};
static_assert(std::size(kDescriptions) == kFaultKinds);

}  // namespace

std::span<const FaultDescription> DescribeFaults() { return kDescriptions; }

const FaultDescription& Describe(FaultKind kind) {
  return kDescriptions[static_cast<size_t>(kind)];
}

std::optional<FaultKind> FindFault(absl::string_view name) {
  const auto found = std::ranges::find_if(
      kDescriptions, [&](const FaultDescription& fault) { return name == fault.name; });
  if (found == std::end(kDescriptions)) return std::nullopt;
  return found->kind;
}

}  // namespace sim
