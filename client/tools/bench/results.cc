// Tested by tests/client/bench_results_test.cc.
#include "client/tools/bench/results.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/options.h"
#include "client/tools/json_text.h"
#include "client/tools/median.h"
#include "client/tools/stats_report.h"

namespace nfs {

namespace {

template <typename Figure>
double MedianOf(const std::vector<BenchRun>& runs, Figure figure) {
  std::vector<double> all;
  for (const BenchRun& run : runs) all.push_back(figure(run));
  return Median(std::move(all));
}

double MegabytesPerSecond(const BenchRun& run) { return run.megabytes_per_second(); }

uint64_t Retransmissions(const BenchSeries& series) {
  uint64_t all = 0;
  for (const BenchRun& run : series.runs) all += run.facts.retransmissions;
  return all;
}

bool IsWarm(const BenchSeries& series) {
  return std::ranges::any_of(series.runs, [](const BenchRun& run) { return run.place.is_warm; });
}

// The fastest that is not `auto`; null: there is none.
const BenchSeries* Best(const BenchResults& results) {
  const BenchSeries* best = nullptr;
  for (const BenchSeries& series : results.series) {
    if (series.value == "auto") continue;
    if (best == nullptr || series.median() > best->median()) best = &series;
  }
  return best;
}

std::string Conclusion(const BenchResults& results) {
  const BenchSeries* const best = Best(results);
  if (best == nullptr) return "";
  std::string text =
      absl::StrFormat("fastest: %s=%s with %.1f MB/s", results.option, best->value, best->median());
  for (const BenchSeries& series : results.series) {
    if (series.value != "auto" || best->median() <= 0) continue;
    absl::StrAppendFormat(&text, "; auto has %.0f %% of that",
                          100 * series.median() / best->median());
  }
  return text + "\n";
}

}  // namespace

double BenchSeries::median() const { return MedianOf(runs, MegabytesPerSecond); }

double BenchSeries::least() const {
  return std::ranges::min_element(runs, {}, MegabytesPerSecond)->megabytes_per_second();
}

double BenchSeries::most() const {
  return std::ranges::max_element(runs, {}, MegabytesPerSecond)->megabytes_per_second();
}

double BenchSeries::cpu_seconds_per_gib() const {
  return MedianOf(runs, [](const BenchRun& run) {
    const auto gib = static_cast<double>(run.facts.bytes) / (1 << 30);
    return gib == 0 ? 0 : absl::ToDoubleSeconds(run.facts.cpu) / gib;
  });
}

const char* BenchSeries::limit() const {
  std::vector<const BenchRun*> ordered;
  for (const BenchRun& run : runs) ordered.push_back(&run);
  std::ranges::sort(ordered, {}, [](const BenchRun* run) { return MegabytesPerSecond(*run); });
  return NameOf(JudgeStream(ordered[ordered.size() / 2]->facts).bottleneck);
}

std::string BenchTable(const BenchResults& results) {
  std::string text = absl::StrFormat("%-10s %10s  %-19s %9s %10s  %s\n", results.option, "MB/s",
                                     "least .. most", "CPU s/GiB", "sent again", "limited by");
  bool any_warm = false;
  for (const BenchSeries& series : results.series) {
    const std::string range = absl::StrFormat("%.1f .. %.1f", series.least(), series.most());
    const bool is_warm = IsWarm(series);
    any_warm |= is_warm;
    absl::StrAppendFormat(&text, "%-10s %10.1f  %-19s %9.3f %10d  %s%s\n", series.value,
                          series.median(), range, series.cpu_seconds_per_gib(),
                          Retransmissions(series), series.limit(), is_warm ? " *" : "");
  }
  if (any_warm) text += "* some of it had been read before: the server's cache may have helped\n";
  return text + Conclusion(results);
}

std::string BenchCsv(const BenchResults& results) {
  std::string text = absl::StrCat(results.option,
                                  ",median_mb_per_s,least_mb_per_s,most_mb_per_s,"
                                  "cpu_seconds_per_gib,retransmissions,bottleneck,warm,runs\n");
  for (const BenchSeries& series : results.series) {
    absl::StrAppendFormat(&text, "%s,%.3f,%.3f,%.3f,%.4f,%d,%s,%d,%d\n", series.value,
                          series.median(), series.least(), series.most(),
                          series.cpu_seconds_per_gib(), Retransmissions(series), series.limit(),
                          IsWarm(series) ? 1 : 0, series.runs.size());
  }
  return text;
}

std::string BenchRunJson(const std::string& option, const BenchRun& run) {
  std::string stats = StatsJson(run.facts);
  stats.pop_back();  // the end of its line
  return absl::StrCat("{\"kind\":\"run\",\"", option, "\":", JsonText(run.value),
                      ",\"run\":", run.round, ",\"target\":", JsonText(run.target),
                      ",\"offset\":", run.place.range.offset,
                      ",\"warm\":", run.place.is_warm ? "true" : "false",
                      absl::StrFormat(",\"mb_per_s\":%.3f", run.megabytes_per_second()),
                      ",\"stats\":", stats, "}\n");
}

std::string BenchSeriesJson(const std::string& option, const BenchSeries& series) {
  return absl::StrCat(
      "{\"kind\":\"median\",\"", option, "\":", JsonText(series.value),
      ",\"runs\":", series.runs.size(),
      absl::StrFormat(",\"median_mb_per_s\":%.3f,\"least_mb_per_s\":%.3f,\"most_mb_per_s\":%.3f,"
                      "\"cpu_seconds_per_gib\":%.4f",
                      series.median(), series.least(), series.most(), series.cpu_seconds_per_gib()),
      ",\"retransmissions\":", Retransmissions(series),
      ",\"warm\":", IsWarm(series) ? "true" : "false", ",\"bottleneck\":\"", series.limit(),
      "\"}\n");
}

Chart BenchChart(const BenchResults& results) {
  Chart chart = {.title = absl::StrCat("MB/s over ", results.option), .x_name = results.option};
  chart.x_is_size = results.option == "readahead" || results.option == "rsize";
  Curve medians = {.name = "median, and least to most"};
  for (const BenchSeries& series : results.series) {
    if (series.value == "auto") {
      chart.levels.push_back({"auto", series.median()});
      continue;
    }
    uint64_t x = 0;
    if (!ParseSize(series.value, x).ok()) continue;
    medians.points.push_back(
        {static_cast<double>(x), series.median(), series.least(), series.most()});
  }
  chart.curves.push_back(std::move(medians));
  return chart;
}

}  // namespace nfs
