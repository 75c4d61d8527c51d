// What `nfs3 bench` has measured, for people, for programs and for spreadsheets.
#ifndef CLIENT_TOOLS_BENCH_RESULTS_H_
#define CLIENT_TOOLS_BENCH_RESULTS_H_

#include <string>
#include <vector>

#include "client/stream/bottleneck.h"
#include "client/tools/bench/ranges.h"
#include "client/tools/chart.h"

namespace nfs {

struct BenchRun {
  int round = 1;
  std::string value;  // of the option that is tried
  std::string target;
  Ranges::Place place;
  StreamFacts facts;

  double megabytes_per_second() const { return facts.bytes_per_second() / 1e6; }
};

// The runs with one value.
struct BenchSeries {
  std::string value;
  std::vector<BenchRun> runs;

  double median() const;  // MB/s, as these
  double least() const;
  double most() const;
  double cpu_seconds_per_gib() const;  // the median
  // What limited the run in the middle.
  const char* limit() const;
};

struct BenchResults {
  std::string option;               // that is tried
  std::vector<BenchSeries> series;  // those with a run or more; in the order of the values
};

// A table, and below it which value is the fastest, and how `auto` does beside it.
std::string BenchTable(const BenchResults& results);
std::string BenchCsv(const BenchResults& results);
// One object on a line: a run, a series.
std::string BenchRunJson(const std::string& option, const BenchRun& run);
std::string BenchSeriesJson(const std::string& option, const BenchSeries& series);
// Of the medians, with `auto` as a line across.
Chart BenchChart(const BenchResults& results);

}  // namespace nfs

#endif  // CLIENT_TOOLS_BENCH_RESULTS_H_
