// That a world is its seed, and that its verdict is worth something.
#include "tests/sim/world.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

using testing::Contains;
using testing::HasSubstr;

// What a world leaves behind, as a text.
std::string Record(uint64_t seed) {
  Timeline timeline(Timeline::Mode::kKeep);
  const WorldReport report = RunWorld(DrawPlan(seed), timeline);
  std::string record = absl::StrCat(report.violation, " ", report.bytes, " ", report.calls, " ",
                                    static_cast<int>(report.end), "\n");
  for (const std::string& line : timeline.lines()) absl::StrAppend(&record, line, "\n");
  return record;
}

TEST(Worlds, OfOneSeedAreTheSameEventForEvent) {
  for (uint64_t seed = 1; seed <= 200; ++seed) ASSERT_EQ(Record(seed), Record(seed)) << seed;
}

TEST(Worlds, AreTheSameWithoutATimeline) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Timeline off;
    Timeline on(Timeline::Mode::kKeep);
    const Plan plan = DrawPlan(seed);
    const WorldReport without = RunWorld(plan, off);
    const WorldReport with = RunWorld(plan, on);
    EXPECT_EQ(with.virtual_time, without.virtual_time) << seed;
    EXPECT_EQ(with.calls, without.calls) << seed;
    EXPECT_EQ(with.faults, without.faults) << seed;
    EXPECT_TRUE(off.lines().empty());
  }
}

TEST(Timelines, TellThePlanAndWhatCameOfIt) {
  Plan plan = DrawPlan(1, FaultSet());
  plan.file_size = 1000;
  plan.client.range = {};
  Timeline timeline(Timeline::Mode::kKeep);
  const WorldReport report = RunWorld(plan, timeline);
  EXPECT_EQ(report.violation, "");
  EXPECT_EQ(report.bytes, 1000u);
  for (const char* words : {"plan: seed 1", "plan: file of 1000 bytes", "connect to 192.0.2.1:2049",
                            "LOOKUP file", "bytes at 0", "took ", "end: exit 0", "UMNT /export"}) {
    EXPECT_THAT(timeline.lines(), Contains(HasSubstr(words)));
  }
}

// One world, with one fault that is certain.
WorldReport With(ReplyFault fault) {
  Plan plan = DrawPlan(3, FaultSet());
  plan.file_size = 20'000;
  plan.client.range = {};
  plan.client.rsize = 4096;
  plan.reply_faults = {fault};
  Timeline timeline;
  return RunWorld(plan, timeline);
}

TEST(Faults, AreCountedWhenTheyHappen) {
  const WorldReport report = With({FaultKind::kShortRead, 1.0, 2});
  EXPECT_EQ(report.violation, "");
  EXPECT_EQ(report.faults[static_cast<size_t>(FaultKind::kShortRead)], 2u);
}

TEST(Faults, ThatAreFatalGiveTheirExit) {
  EXPECT_EQ(With({FaultKind::kError, 1.0, 100}).end, nfs::ErrorKind::kNfs);
  EXPECT_EQ(With({FaultKind::kError, 1.0, 100}).violation, "");
}

}  // namespace
}  // namespace sim
