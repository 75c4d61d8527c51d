#include "client/tools/bench/bench_line.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<BenchLine> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return ParseBenchLine(static_cast<int>(words.size()), argv.data());
}

std::string Refusal(const std::vector<std::string>& words) {
  const auto line = Parse(words);
  EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(line.status().message());
}

TEST(BenchLine, TriesReadaheadsFrom16KTo16MAndAutoUnlessToldOtherwise) {
  const auto line = Parse({"h:/a"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->sweep, "readahead");
  EXPECT_EQ(line->values.front(), "16K");
  EXPECT_THAT(line->values, Contains("16M"));
  EXPECT_EQ(line->values.back(), "auto");
  EXPECT_EQ(line->runs, 3);
  EXPECT_EQ(line->seconds, absl::Seconds(10));
}

TEST(BenchLine, HasValuesForEveryOptionThatCanBeTried) {
  for (const char* sweep : {"readahead", "rsize", "slots", "nconnect"}) {
    const auto line = Parse({"--sweep", sweep, "h:/a"});
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_GE(line->values.size(), 4u) << sweep;
  }
}

TEST(BenchLine, TakesValuesLimitsAndConnectionOptions) {
  const auto line =
      Parse({"--sweep=slots", "--values=1,64", "--runs=5", "--bytes=64M", "--seconds=0.5", "--csv",
             "--chart=x.svg", "--rsize=32K", "h:/a", "h:/b"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->values, ElementsAre("1", "64"));
  EXPECT_EQ(line->runs, 5);
  EXPECT_EQ(line->bytes, 64u << 20);
  EXPECT_EQ(line->seconds, absl::Milliseconds(500));
  EXPECT_EQ(line->format, BenchLine::Format::kCsv);
  EXPECT_EQ(line->chart, "x.svg");
  EXPECT_EQ(line->arguments.connection.size(), 1u);
  EXPECT_THAT(line->arguments.operands, ElementsAre("h:/a", "h:/b"));
}

TEST(BenchLine, SaysInOneLineWhatIsWrong) {
  EXPECT_THAT(Refusal({}), HasSubstr("no target"));
  EXPECT_THAT(Refusal({"--sweep=uid", "h:/a"}), HasSubstr("none of: readahead, rsize"));
  EXPECT_THAT(Refusal({"--values=64K,many", "h:/a"}), HasSubstr("'many' is not a size"));
  EXPECT_THAT(Refusal({"--sweep=slots", "--values=0", "h:/a"}), HasSubstr("from 1 to 1024"));
  EXPECT_THAT(Refusal({"--values=", "h:/a"}), HasSubstr("values: readahead"));
  EXPECT_THAT(Refusal({"--runs=0", "h:/a"}), HasSubstr("runs: '0'"));
  EXPECT_THAT(Refusal({"--seconds=-1", "h:/a"}), HasSubstr("seconds: '-1'"));
  EXPECT_THAT(Refusal({"--seconds=nan", "h:/a"}), HasSubstr("seconds: 'nan'"));
  EXPECT_THAT(Refusal({"--bytes=0", "h:/a"}), HasSubstr("bytes: 0"));
  EXPECT_THAT(Refusal({"--bogus", "h:/a"}), HasSubstr("there is no option '--bogus'"));
}

TEST(BenchLine, HelpNamesEveryOptionOfItsOwnAndOfTheConnection) {
  EXPECT_TRUE(Parse({"--help"})->help);
  for (const char* option : {"--sweep=", "--values=", "--seconds=", "--chart=", "--max-memory="}) {
    EXPECT_THAT(BenchHelp(), HasSubstr(option));
  }
}

}  // namespace
}  // namespace nfs
