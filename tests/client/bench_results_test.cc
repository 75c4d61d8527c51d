#include <algorithm>
#include <string>

#include "client/tools/bench/results.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A run of a second.
BenchRun Measured(const char* value, int round, double megabytes) {
  BenchRun run = {.round = round, .value = value, .target = "nfs://h/f", .place = {}, .facts = {}};
  run.facts.bytes = static_cast<uint64_t>(megabytes * 1e6);
  run.facts.elapsed = absl::Seconds(1);
  run.facts.cpu = absl::Milliseconds(100);
  run.facts.retransmissions = 1;
  return run;
}

BenchSeries Series(const char* value, std::vector<double> megabytes) {
  BenchSeries series = {.value = value, .runs = {}};
  for (const double each : megabytes) {
    series.runs.push_back(Measured(value, static_cast<int>(series.runs.size()) + 1, each));
  }
  return series;
}

BenchResults Readaheads() {
  return {.option = "readahead",
          .series = {Series("16K", {10, 12, 50}), Series("1M", {80, 100, 90}),
                     Series("auto", {95, 99, 97})}};
}

TEST(BenchSeries, IsItsMedianAndItsBounds) {
  const BenchSeries series = Series("16K", {50, 10, 12});
  EXPECT_DOUBLE_EQ(series.median(), 12);
  EXPECT_DOUBLE_EQ(series.least(), 10);
  EXPECT_DOUBLE_EQ(series.most(), 50);
  EXPECT_NEAR(series.cpu_seconds_per_gib(), 0.1 / (12e6 / (1 << 30)), 1e-3);
}

TEST(BenchTable, HasALineForEachValueAndAConclusion) {
  const std::string table = BenchTable(Readaheads());
  EXPECT_EQ(std::ranges::count(table, '\n'), 5);
  EXPECT_THAT(table, HasSubstr("16K              12.0  10.0 .. 50.0"));
  EXPECT_THAT(table, HasSubstr("fastest: readahead=1M with 90.0 MB/s; auto has 108 % of that\n"));
  EXPECT_THAT(table, Not(HasSubstr("cache")));
}

TEST(BenchTable, SaysWhichFiguresTheServersCacheMayHaveHelped) {
  BenchResults results = Readaheads();
  results.series[1].runs[2].place.is_warm = true;
  const std::string table = BenchTable(results);
  EXPECT_THAT(table, HasSubstr(" *\nauto"));
  EXPECT_THAT(table, HasSubstr("had been read before"));
}

TEST(BenchTable, OfNothingIsItsHead) {
  EXPECT_THAT(BenchTable({.option = "slots", .series = {}}), StartsWith("slots "));
}

TEST(BenchCsv, HasAHeadAndALineForEachValue) {
  const std::string csv = BenchCsv(Readaheads());
  EXPECT_THAT(csv, StartsWith("readahead,median_mb_per_s,"));
  EXPECT_THAT(csv, HasSubstr("\n1M,90.000,80.000,100.000,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
}

TEST(BenchJson, IsOneObjectOnALine) {
  BenchRun run = Measured("1M", 2, 80);
  run.place.range.offset = 4096;
  const std::string json = BenchRunJson("readahead", run);
  EXPECT_THAT(json, StartsWith(R"({"kind":"run","readahead":"1M","run":2,"target":"nfs://h/f",)"
                               R"("offset":4096,"warm":false,"mb_per_s":80.000,"stats":{)"));
  EXPECT_THAT(json, testing::EndsWith("}}\n"));
  EXPECT_EQ(std::ranges::count(json, '\n'), 1);
  EXPECT_THAT(
      BenchSeriesJson("readahead", Readaheads().series[0]),
      HasSubstr(R"("median_mb_per_s":12.000,"least_mb_per_s":10.000,"most_mb_per_s":50.000)"));
}

TEST(BenchChart, HasTheValuesAlongItAndAutoAcross) {
  const Chart chart = BenchChart(Readaheads());
  ASSERT_EQ(chart.curves.size(), 1u);
  ASSERT_EQ(chart.curves[0].points.size(), 2u);
  EXPECT_EQ(chart.curves[0].points[0].x, 16384);
  EXPECT_DOUBLE_EQ(chart.curves[0].points[1].y, 90);
  ASSERT_EQ(chart.levels.size(), 1u);
  EXPECT_DOUBLE_EQ(chart.levels[0].y, 97);
  EXPECT_TRUE(chart.x_is_size);
  EXPECT_FALSE(BenchChart({.option = "slots", .series = {}}).x_is_size);
}

}  // namespace
}  // namespace nfs
