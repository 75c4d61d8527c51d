// The programs that compare, on files that are read in no time. They say what they say of
// every contender, who have to give the right bytes before they are timed.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/subprocess.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string OutputOf(const std::vector<std::string>& argv) {
  const support::Outcome outcome = support::RunProgram({.argv = argv});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  return outcome.out;
}

std::string Compare(std::vector<std::string> options) {
  options.insert(options.begin(), {"tests/bench/compare", "--json", "--runs=1", "--mib=1"});
  return OutputOf(options);
}

std::string Named(const char* name) { return std::string("{\"contender\": \"") + name + "\""; }

TEST(Compare, HasALineForEveryContenderThatDropsTheFile) {
  const std::string json = Compare({"--rsize=64k"});
  for (const char* name : {"floor", "floor+lowat", "nfscat", "nfscat --io=poll", "reader"}) {
    EXPECT_THAT(json, HasSubstr(Named(name)));
  }
}

TEST(Compare, HasALineForEveryContenderThatWritesToAPipe) {
  const std::string json = Compare({"--output=pipe"});
  for (const char* name : {"floor", "nfscat"}) EXPECT_THAT(json, HasSubstr(Named(name)));
  EXPECT_THAT(json, Not(HasSubstr(Named("reader"))));
}

TEST(Compare, HasALineForEveryContenderThatWritesAFile) {
  const std::string json = Compare({"--output=file"});
  for (const char* name : {"floor", "nfscat"}) EXPECT_THAT(json, HasSubstr(Named(name)));
}

TEST(Compare, TakesOnlyThoseThatAreNamed) {
  const std::string json = Compare({"--only=nfscat"});
  EXPECT_THAT(json, HasSubstr(Named("nfscat")));
  EXPECT_THAT(json, Not(HasSubstr(Named("floor"))));
}

TEST(Compare, DrawsWhatItMeasured) {
  const std::string path = testing::TempDir() + "/plot.svg";
  Compare({"--only=nfscat", "--rsize=1m,4k", "--plot=" + path});
  EXPECT_THAT(OutputOf({"/bin/cat", path}), HasSubstr(">nfscat</text>"));
}

TEST(Compare, ComparesLatencies) {
  EXPECT_THAT(Compare({"--latency"}), HasSubstr(Named("FileStream")));
}

TEST(Compare, RefusesWhatItDoesNotKnow) {
  const support::Outcome outcome = support::RunProgram({.argv = {"tests/bench/compare", "--x"}});
  EXPECT_EQ(outcome.exit_status, 2);
}

TEST(StartCost, HasALineForNfscat) {
  EXPECT_THAT(OutputOf({"tests/bench/start_cost", "--json"}), HasSubstr(Named("nfscat")));
}

}  // namespace
}  // namespace bench
