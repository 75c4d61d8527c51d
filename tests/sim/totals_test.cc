// Sums, and how they are shown.
#include "tests/sim/totals.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WorldReport Report() {
  WorldReport report;
  report.end = nfs::ErrorKind::kTimedOut;
  report.virtual_time = absl::Hours(1);
  report.bytes = 1 << 20;
  report.faults[static_cast<size_t>(FaultKind::kDrop)] = 3;
  return report;
}

TEST(Totals, AddUp) {
  Totals one;
  one.Add(Report());
  one.Add(Report());
  Totals all;
  all.Add(one);
  EXPECT_EQ(all.worlds, 2u);
  EXPECT_EQ(all.ends[6], 2u);
  EXPECT_EQ(all.faults[static_cast<size_t>(FaultKind::kDrop)], 6u);
  const std::string text = Text(all, absl::Seconds(4));
  for (const char* words : {"2 worlds, 0 violations", "exit 6 timed out", "2.0 virtual hours",
                            "2.0 MiB", "4.0 s, 0 worlds per second"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST(Totals, NameTheFaultsThatNeverWere) {
  Totals totals;
  totals.Add(Report());
  FaultSet allowed;
  allowed.set(static_cast<size_t>(FaultKind::kDrop));
  EXPECT_TRUE(NeverInjected(totals, allowed).empty());
  allowed.set(static_cast<size_t>(FaultKind::kCut));
  EXPECT_THAT(NeverInjected(totals, allowed), ElementsAre("cut"));
}

}  // namespace
}  // namespace sim
