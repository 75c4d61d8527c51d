// The kinds of trouble that a world can have.
#ifndef TESTS_SIM_FAULTS_H_
#define TESTS_SIM_FAULTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/strings/string_view.h"

namespace sim {

enum class FaultKind : uint8_t {
  // The way to the server.
  kSegments,
  kSmallReceives,
  kSlowLink,
  kBlackHole,
  kDeadAddress,
  kRefusingAddress,
  // The server as a process.
  kRestart,
  kRestartExpired,
  kMove,
  // The connection, at a reply.
  kReset,
  kFin,
  kRefuse,
  // When a reply comes, in what pieces and how often.
  kSplit,
  kFragments,
  kDelay,
  kLate,
  kReorder,
  kDuplicate,
  kDrop,
  // What a READ says.
  kShortRead,
  kEmptyRead,
  kEarlyEof,
  kNoEof,
  kOver,
  // What any reply says.
  kNoAttributes,
  kJunk,
  kVerifier,
  kGarbage,
  kCut,
  kStale,
  kJukebox,
  kJukeboxForever,
  kError,
  kDenied,
  // The file.
  kGrow,
  kShrink,
  kRewrite,
  kReplace,
  kRemove,
  // The consumer.
  kSlowConsumer,
  kStopEarly,
  kSeek,
};
inline constexpr size_t kFaultKinds = static_cast<size_t>(FaultKind::kSeek) + 1;

struct FaultDescription {
  FaultKind kind;
  const char* name;  // on the command line and in totals
  // No world with it may count on the exact number of calls and connections.
  bool changes_calls;
  // Ends the stream as often as not, and so is rarer.
  bool is_fatal;
};

// One for each kind, in their order.
std::span<const FaultDescription> DescribeFaults();
const FaultDescription& Describe(FaultKind kind);
std::optional<FaultKind> FindFault(absl::string_view name);

using FaultCounts = std::array<uint64_t, kFaultKinds>;

}  // namespace sim

#endif  // TESTS_SIM_FAULTS_H_
