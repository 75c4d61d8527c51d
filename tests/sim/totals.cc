// Tested by tests/sim/totals_test.cc.
#include "tests/sim/totals.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace sim {

namespace {

constexpr const char* kEnds[] = {"all bytes",   "local",         "usage",
                                 "unreachable", "mount refused", "NFS error",
                                 "timed out",   "file changed",  "protocol"};

}  // namespace

void Totals::Add(const WorldReport& report) {
  ++worlds;
  if (report.stopped) ++stopped;
  if (!report.violation.empty()) ++violations;
  bytes += report.bytes;
  calls += report.calls;
  virtual_microseconds += absl::ToInt64Microseconds(report.virtual_time);
  ++ends[static_cast<size_t>(report.end)];
  for (size_t i = 0; i < kFaultKinds; ++i) faults[i] += report.faults[i];
}

void Totals::Add(const Totals& other) {
  worlds += other.worlds;
  stopped += other.stopped;
  violations += other.violations;
  crashes += other.crashes;
  bytes += other.bytes;
  calls += other.calls;
  virtual_microseconds += other.virtual_microseconds;
  for (size_t i = 0; i < ends.size(); ++i) ends[i] += other.ends[i];
  for (size_t i = 0; i < kFaultKinds; ++i) faults[i] += other.faults[i];
}

std::string Text(const Totals& totals, absl::Duration wall_time) {
  std::string text = absl::StrCat(totals.worlds, " worlds, ", totals.violations, " violations, ",
                                  totals.crashes, " crashes\n");
  for (size_t i = 0; i < totals.ends.size(); ++i) {
    const uint64_t stopped = i == 0 ? totals.stopped : 0;
    if (totals.ends[i] == 0) continue;
    absl::StrAppend(
        &text, absl::StrFormat("  exit %d %-18s %8d\n", i, kEnds[i], totals.ends[i] - stopped));
  }
  absl::StrAppend(&text,
                  absl::StrFormat("  %-25s %8d\n", "stopped by the consumer", totals.stopped));
  absl::StrAppend(&text, "faults injected:\n");
  for (const FaultDescription& fault : DescribeFaults()) {
    absl::StrAppend(&text, absl::StrFormat("  %-25s %8d\n", fault.name,
                                           totals.faults[static_cast<size_t>(fault.kind)]));
  }
  const double seconds = absl::ToDoubleSeconds(wall_time);
  absl::StrAppend(&text,
                  absl::StrFormat("%.1f MiB delivered, %d calls, %.1f virtual hours\n",
                                  static_cast<double>(totals.bytes) / (1 << 20), totals.calls,
                                  static_cast<double>(totals.virtual_microseconds) / 3.6e9));
  return absl::StrCat(text, absl::StrFormat("%.1f s, %.0f worlds per second\n", seconds,
                                            static_cast<double>(totals.worlds) / seconds));
}

std::vector<std::string> NeverInjected(const Totals& totals, const FaultSet& allowed) {
  std::vector<std::string> names;
  for (const FaultDescription& fault : DescribeFaults()) {
    const auto index = static_cast<size_t>(fault.kind);
    if (allowed[index] && totals.faults[index] == 0) names.push_back(fault.name);
  }
  return names;
}

}  // namespace sim
