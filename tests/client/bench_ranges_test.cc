#include "client/tools/bench/ranges.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

void ExpectPlace(const Ranges::Place& place, size_t file, uint64_t offset, uint64_t length,
                 bool is_warm) {
  EXPECT_EQ(place.file, file);
  EXPECT_EQ(place.range.offset, offset);
  EXPECT_EQ(place.range.length, length);
  EXPECT_EQ(place.is_warm, is_warm);
}

TEST(BenchRanges, GoOnWhereTheRunBeforeEnded) {
  Ranges ranges({1000}, 300);
  ExpectPlace(ranges.Next(), 0, 0, 300, false);
  ranges.OnRead(300);
  ExpectPlace(ranges.Next(), 0, 300, 300, false);
  ranges.OnRead(200);  // its time was over
  ExpectPlace(ranges.Next(), 0, 500, 300, false);
}

TEST(BenchRanges, GoToTheNextFileWhenTheRestOfOneIsLessThanARun) {
  Ranges ranges({1000, 400}, 300);
  for (int run = 0; run < 3; ++run) {
    ranges.Next();
    ranges.OnRead(300);
  }
  ExpectPlace(ranges.Next(), 1, 0, 300, false);
}

TEST(BenchRanges, BeginAgainWhenAllIsReadAndSaySo) {
  Ranges ranges({600, 300}, 300);
  for (int run = 0; run < 3; ++run) {
    EXPECT_FALSE(ranges.Next().is_warm);
    ranges.OnRead(300);
  }
  ExpectPlace(ranges.Next(), 0, 0, 300, true);
  ranges.OnRead(300);
  ExpectPlace(ranges.Next(), 0, 300, 300, true);
}

TEST(BenchRanges, HaveNoEndWhereOnlyTheTimeIsLimited) {
  Ranges ranges({1000}, UINT64_MAX);
  ExpectPlace(ranges.Next(), 0, 0, 1000, false);
  ranges.OnRead(400);
  ExpectPlace(ranges.Next(), 0, 400, 600, false);
  ranges.OnRead(400);
  ExpectPlace(ranges.Next(), 0, 0, 1000, true);
}

TEST(BenchRanges, TakeAFileThatIsShorterThanARunWhole) {
  Ranges ranges({100, 0, 50}, 300);
  ExpectPlace(ranges.Next(), 0, 0, 100, false);
  ranges.OnRead(100);
  ExpectPlace(ranges.Next(), 2, 0, 50, false);
  ranges.OnRead(50);
  ExpectPlace(ranges.Next(), 0, 0, 100, true);
}

TEST(BenchRanges, LeaveOutFilesThatAreEmpty) {
  Ranges ranges({0, 0, 10}, 10);
  for (int run = 0; run < 3; ++run) {
    ExpectPlace(ranges.Next(), 2, 0, 10, run > 0);
    ranges.OnRead(10);
  }
}

}  // namespace
}  // namespace nfs
