#include "tests/bench/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/bench/latencies.h"

namespace bench {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Series SeriesOf(const char* name, double seconds, double cpu) {
  return {name, {seconds}, {cpu}, {2048}, {8 << 20}};
}

// 1 GiB in READs of 1 MiB.
Results SomeResults() {
  return {.title = "the title",
          .server = "load",
          .output = "null",
          .bytes = 1 << 30,
          .rsize = 1 << 20,
          .all = {{SeriesOf("floor", 0.25, 0.1), 2.0}, {SeriesOf("nfscat", 0.5, 0.2), {}}}};
}

TEST(Table, HasALineForEachWithRatiosToTheMeasuresThatRan) {
  const std::string table = TableText(SomeResults());
  EXPECT_THAT(table, HasSubstr("the title"));
  // GiB/s, kREAD/s, CPU s/GiB; per READ CPU us, waits, system calls; MiB; ratios.
  EXPECT_THAT(table, ContainsRegex("floor +4.00 +4.1 +0.1000 +97.66 +2.000 +2.000 +8 +1.00 +1.00"));
  EXPECT_THAT(table, ContainsRegex("nfscat +2.00 +2.0 +0.2000 +195.31 +2.000 +- +8 +2.00 +0.50"));
  EXPECT_THAT(table, Not(HasSubstr("nfs-cat")));
}

TEST(Json, HasAnObjectForEach) {
  const std::string json = JsonText(SomeResults());
  EXPECT_THAT(json, HasSubstr("{\"contender\": \"floor\", \"server\": \"load\""));
  EXPECT_THAT(json, HasSubstr("\"syscalls_per_read\": 2.0000"));
  EXPECT_THAT(json, HasSubstr("\"cpu_ratio\": {\"floor\": 2.000}, \"speed_ratio\": {\"floor\": "
                              "0.500}}\n"));
}

TEST(Latencies, AreTheSmallestTimesThatTheirShareDoesNotExceed) {
  std::vector<absl::Duration> times;
  for (int i = 100; i >= 1; --i) times.push_back(absl::Microseconds(i));
  EXPECT_EQ(Summarize(times).p50, 50);
  EXPECT_EQ(Summarize(times).p99, 99);
  EXPECT_EQ(Summarize({absl::Microseconds(7)}).p50, 7);
  EXPECT_EQ(Summarize({absl::Microseconds(7)}).p99, 7);
}

TEST(Latencies, AreReadAsTheyArePrinted) {
  const auto latencies = ParseLatencies("p50 41.2 us, p99 90.3 us\n");
  ASSERT_TRUE(latencies.ok());
  EXPECT_EQ(latencies->p50, 41.2);
  EXPECT_EQ(latencies->p99, 90.3);
  EXPECT_FALSE(ParseLatencies("").ok());
  EXPECT_FALSE(ParseLatencies("p50 41.2 us").ok());
}

}  // namespace
}  // namespace bench
