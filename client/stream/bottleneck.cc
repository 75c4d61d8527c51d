// Tested by tests/client/bottleneck_test.cc.
#include "client/stream/bottleneck.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/stream/figures.h"

namespace nfs {

namespace {

constexpr double kMiB = 1 << 20;

// Less than that is nothing to judge by.
constexpr uint64_t kFewReads = 4;
constexpr absl::Duration kShort = absl::Milliseconds(20);

constexpr double kMostOfTheTime = 0.5, kNearlyAll = 0.85;
// Paths shorter than this are not held back by receive windows.
constexpr absl::Duration kLongPath = absl::Milliseconds(1);
constexpr double kFull = 0.65;
// READs that take no longer than this many times one alone do not wait for each other.
constexpr double kAlone = 1.5;
// A queue on the path.
constexpr double kLonger = 1.5;
constexpr absl::Duration kJitter = absl::Milliseconds(1);
constexpr double kGoodPart = 0.3;
// One segment lost in so many bytes keeps a long path from filling.
constexpr double kBytesOfALoss = 10e6;

double CarriedByOne(const StreamFacts& facts) {
  return facts.bytes_per_second() * absl::ToDoubleSeconds(facts.round_trip) /
         std::max(facts.connections, 1);
}

std::optional<Verdict> JudgeOutput(const StreamFacts& facts) {
  const double share = facts.ShareWaited(Waits::kOutput);
  if (share < kMostOfTheTime) return std::nullopt;
  return Verdict{Bottleneck::kOutput,
                 absl::StrCat("for ", InPercent(share),
                              " of the time the output had not taken what had already come"),
                 ""};
}

std::optional<Verdict> JudgeCpu(const StreamFacts& facts) {
  const double share = absl::FDivDuration(facts.cpu, facts.elapsed);
  if (share < kNearlyAll) return std::nullopt;
  return Verdict{Bottleneck::kClientCpu,
                 absl::StrCat("this process computed for ", InPercent(share), " of the time"),
                 facts.rsize < kMiB ? "a larger --rsize costs less per byte" : ""};
}

// What it takes for a connection to carry twice as much: the buffer's half is window.
std::string LargerWindows(const StreamFacts& facts) {
  const double needed = 4 * 2 * CarriedByOne(facts) / kMiB;
  const std::string buffers = absl::StrFormat(
      "the third value of net.ipv4.tcp_rmem on this machine, and that of net.ipv4.tcp_wmem on the "
      "server, at %.0f MiB or more",
      std::max(needed, 1.0));
  return facts.nconnect_is_automatic || facts.connections > 1
             ? buffers
             : absl::StrCat("more connections (--nconnect=auto); or ", buffers);
}

std::optional<Verdict> JudgeTcpWindow(const StreamFacts& facts) {
  const auto window = static_cast<double>(facts.receive_window);
  if (window == 0 || facts.round_trip < kLongPath) return std::nullopt;
  const double carried = CarriedByOne(facts);
  if (carried < kFull * window) return std::nullopt;
  return Verdict{Bottleneck::kTcpWindow,
                 absl::StrFormat("each of %d connection(s) carried %.2f MiB in a round trip of %s, "
                                 "and TCP's window here is %.2f MiB at most",
                                 facts.connections, carried / kMiB,
                                 InMilliseconds(facts.round_trip), window / kMiB),
                 LargerWindows(facts)};
}

std::optional<Verdict> JudgeCallsInFlight(const StreamFacts& facts) {
  const absl::Duration alone = facts.service.least();
  const absl::Duration usual = facts.service.Quantile(0.5);
  const bool is_one_by_one = facts.slots_peak == 1;
  if (usual > kAlone * alone + kJitter / 10 && !is_one_by_one) return std::nullopt;
  const std::string evidence =
      absl::StrCat("READs took ", InMilliseconds(usual),
                   is_one_by_one ? ", one after the other (" : ", about as long as one alone (",
                   InMilliseconds(alone), is_one_by_one ? " the fastest)" : ")",
                   ": they did not wait for each other, and ",
                   InPercent(facts.ShareWaited(Waits::kSlots) + facts.ShareWaited(Waits::kWindow)),
                   " of the time nothing more could be asked for");
  if (facts.ShareWaited(Waits::kSlots) >= kMostOfTheTime) {
    return Verdict{Bottleneck::kSlots, evidence, absl::StrCat("more than --slots=", facts.slots)};
  }
  const bool is_largest =
      !facts.readahead_is_automatic || facts.window + facts.rsize > facts.largest_window;
  if (facts.ShareWaited(Waits::kWindow) < kMostOfTheTime || !is_largest) return std::nullopt;
  return Verdict{Bottleneck::kReadahead, evidence,
                 facts.readahead_is_automatic
                     ? "more --max-memory, which bounds the readahead"
                     : absl::StrCat("more than --readahead=", facts.window, ", or auto")};
}

// ... which is a good part of what READs wait for each other.
bool HasQueue(const StreamFacts& facts) {
  const absl::Duration queue = facts.recent_round_trip - facts.round_trip;
  if (facts.recent_round_trip <= kLonger * facts.round_trip + kJitter) return false;
  return queue >= kGoodPart * (facts.service.Quantile(0.5) - facts.service.least());
}

std::optional<Verdict> JudgeNetwork(const StreamFacts& facts) {
  if (HasQueue(facts)) {
    return Verdict{
        Bottleneck::kNetwork,
        absl::StrCat("the round trip was ", InMilliseconds(facts.recent_round_trip), " under load ",
                     "and ", InMilliseconds(facts.round_trip), " without: bytes wait on the path"),
        ""};
  }
  const double losses = static_cast<double>(facts.out_of_order);
  if (facts.round_trip < kLongPath || losses * kBytesOfALoss < static_cast<double>(facts.bytes)) {
    return std::nullopt;
  }
  return Verdict{
      Bottleneck::kNetwork,
      absl::StrCat(facts.out_of_order, " segments came after a gap: the path loses some"), ""};
}

Verdict JudgeServer(const StreamFacts& facts) {
  return {
      Bottleneck::kServer,
      absl::StrCat("half of the READs took more than ", InMilliseconds(facts.service.Quantile(0.5)),
                   " of which ", InMilliseconds(facts.recent_round_trip),
                   " are the round trip, and one ", "alone took ",
                   InMilliseconds(facts.service.least()), ": the rest is the server's"),
      ""};
}

}  // namespace

double StreamFacts::bytes_per_second() const {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  return seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
}

double StreamFacts::ShareWaited(Waits why) const {
  if (elapsed <= absl::ZeroDuration()) return 0;
  return absl::FDivDuration(waited[static_cast<size_t>(why)], elapsed);
}

const char* NameOf(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::kUnknown: return "unknown";
    case Bottleneck::kServer: return "server";
    case Bottleneck::kNetwork: return "network";
    case Bottleneck::kTcpWindow: return "tcp_window";
    case Bottleneck::kSlots: return "slots";
    case Bottleneck::kReadahead: return "readahead";
    case Bottleneck::kOutput: return "output";
    case Bottleneck::kClientCpu: return "client_cpu";
  }
  return "unknown";
}

Verdict JudgeStream(const StreamFacts& facts) {
  if (facts.reads < kFewReads || facts.elapsed < kShort) {
    return {Bottleneck::kUnknown, "too little was read to tell", ""};
  }
  for (const auto judge :
       {JudgeOutput, JudgeCpu, JudgeTcpWindow, JudgeCallsInFlight, JudgeNetwork}) {
    if (std::optional<Verdict> verdict = judge(facts)) return *verdict;
  }
  return JudgeServer(facts);
}

}  // namespace nfs
