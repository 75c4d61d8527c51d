#include "client/tools/progress.h"

#include "gtest/gtest.h"

namespace nfs {
namespace {

TEST(ProgressLine, ShowsAmountShareAndRate) {
  EXPECT_EQ(Progress::Line(uint64_t{1} << 30, uint64_t{4} << 30, absl::Seconds(2)),
            "1.00 GiB of 4.00 GiB  25%  512.00 MiB/s");
}

TEST(ProgressLine, OfAFileWithoutAKnownSizeShowsNoShare) {
  EXPECT_EQ(Progress::Line(1023, 0, absl::Seconds(1)), "1023 B  1023 B/s");
}

TEST(ProgressLine, AtTheStartShowsNoRate) {
  EXPECT_EQ(Progress::Line(0, 2048, absl::ZeroDuration()), "0 B of 2.00 KiB  0%");
}

TEST(Progress, ThatIsNotShownAsksForNoTurn) {
  EXPECT_EQ(Progress(false, 0, absl::UnixEpoch()).NextUpdate(), absl::InfiniteFuture());
}

}  // namespace
}  // namespace nfs
