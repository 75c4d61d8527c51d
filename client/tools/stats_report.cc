// Tested by tests/client/stats_report_test.cc.
#include "client/tools/stats_report.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/stream/figures.h"

namespace nfs {

namespace {

double MegabytesPerSecond(const StreamFacts& facts) { return facts.bytes_per_second() / 1e6; }

std::string Size(uint64_t bytes) {
  return absl::StrFormat("%.3g MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string JsonDurations(const Durations& durations) {
  if (durations.count() == 0) return "null";
  return absl::StrFormat(
      R"({"min":%.9g,"p50":%.9g,"p99":%.9g,"max":%.9g})", absl::ToDoubleSeconds(durations.least()),
      absl::ToDoubleSeconds(durations.Quantile(0.5)),
      absl::ToDoubleSeconds(durations.Quantile(0.99)), absl::ToDoubleSeconds(durations.most()));
}

std::string JsonBottleneck(const StreamFacts& facts) {
  const Bottleneck bottleneck = JudgeStream(facts).bottleneck;
  if (bottleneck == Bottleneck::kUnknown) return "null";
  return absl::StrCat("\"", NameOf(bottleneck), "\"");
}

std::string TextOf(absl::string_view what, const Durations& durations) {
  if (durations.count() == 0) return "";
  return absl::StrCat(what, InMilliseconds(durations.least()), " least, ",
                      InMilliseconds(durations.Quantile(0.5)), " half, ",
                      InMilliseconds(durations.Quantile(0.99)), " 99 %, ",
                      InMilliseconds(durations.most()), " most\n");
}

// What was not as it should be.
std::string Troubles(const StreamFacts& facts) {
  return absl::StrCat(facts.short_reads, " short, ", facts.retransmissions, " sent again, ",
                      facts.jukebox_retries, " put off by the server, ", facts.reconnects,
                      facts.reconnects == 1 ? " reconnect" : " reconnects");
}

std::string Summary(const StreamFacts& facts) {
  return absl::StrFormat("%d bytes in %.2f s: %.1f MB/s, %.2f s CPU", facts.bytes,
                         absl::ToDoubleSeconds(facts.elapsed), MegabytesPerSecond(facts),
                         absl::ToDoubleSeconds(facts.cpu));
}

}  // namespace

std::string StatsText(const StreamFacts& facts) {
  return absl::StrCat(
      Summary(facts), "\n",  //
      "READs:       ", facts.reads, " of ", facts.rsize, " bytes; ", Troubles(facts), "\n",
      "in flight:   ", facts.slots_peak, " at most, over ", facts.connections,
      facts.connections == 1 ? " connection" : " connections", "; readahead ", Size(facts.window),
      "\n", TextOf("READs took:  ", facts.service), TextOf("round trip:  ", facts.round_trips),
      "limited by:  ", NameOf(JudgeStream(facts).bottleneck), "\n");
}

std::string StatsJson(const StreamFacts& facts) {
  return absl::StrCat(
      "{\"bytes\":", facts.bytes,  //
      absl::StrFormat(",\"seconds\":%.6f,\"throughput_bytes_per_second\":%.0f,\"cpu_seconds\":%.6f",
                      absl::ToDoubleSeconds(facts.elapsed), facts.bytes_per_second(),
                      absl::ToDoubleSeconds(facts.cpu)),
      ",\"connections\":", facts.connections, ",\"reads\":", facts.reads,
      ",\"short_reads\":", facts.short_reads, ",\"retransmissions\":", facts.retransmissions,
      ",\"reconnects\":", facts.reconnects, ",\"jukebox_retries\":", facts.jukebox_retries,
      ",\"rsize\":", facts.rsize, ",\"slots\":", facts.slots,
      ",\"readahead_bytes_final\":", facts.window, ",\"slots_peak\":", facts.slots_peak,
      ",\"rtt_seconds\":", JsonDurations(facts.round_trips),
      ",\"service_seconds\":", JsonDurations(facts.service),
      ",\"bottleneck\":", JsonBottleneck(facts), "}\n");
}

std::string Explanation(absl::string_view target, const StreamFacts& facts) {
  const Verdict verdict = JudgeStream(facts);
  std::string text =
      absl::StrCat("What limited ", target, ": ", NameOf(verdict.bottleneck), "\n",  //
                   "  because ", verdict.evidence, ".\n");
  if (!verdict.remedy.empty()) {
    absl::StrAppend(&text, "  What would lift it: ", verdict.remedy, ".\n");
  }
  absl::StrAppend(&text, "  ", Summary(facts), ".\n",  //
                  "  It waited ", InPercent(facts.ShareWaited(Waits::kWindow)),
                  " of the time with the readahead (", Size(facts.window), ") asked for, ",
                  InPercent(facts.ShareWaited(Waits::kSlots)), " with all slots full (",
                  facts.slots_peak, " calls at most, ", facts.connections, " connection(s)),\n  ",
                  InPercent(facts.ShareWaited(Waits::kOutput)), " for its output, ",
                  InPercent(facts.ShareWaited(Waits::kEnd)), " for the last READs.\n",
                  "  One READ alone took ", InMilliseconds(facts.service.least()),
                  ", half of them up to ", InMilliseconds(facts.service.Quantile(0.5)),
                  "; TCP's round trip was ", InMilliseconds(facts.round_trip), " at best and ",
                  InMilliseconds(facts.recent_round_trip), " as a rule.\n");
  return text;
}

}  // namespace nfs
