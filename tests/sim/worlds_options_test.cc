// The command line of //tests/sim:worlds.
#include "tests/sim/worlds_options.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sim {
namespace {

using testing::HasSubstr;

absl::StatusOr<WorldsOptions> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "worlds");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return ParseWorldsOptions(static_cast<int>(words.size()), argv.data());
}

TEST(WorldsOptions, AreTaken) {
  const auto options = Parse({"--worlds=7", "--seed=0", "--jobs=3", "--keep-going", "--timeline"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->worlds, 7u);
  EXPECT_EQ(options->seed, 0u);
  EXPECT_EQ(options->jobs, 3);
  EXPECT_TRUE(options->keep_going && options->timeline);
  EXPECT_TRUE(options->allowed.all());
}

TEST(WorldsOptions, ChooseFaultsAndRepeatThemForTheReplay) {
  const auto options = Parse({"--only=drop,cut,grow", "--without=cut"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->allowed.count(), 2u);
  EXPECT_EQ(options->fault_options, " --only=drop,cut,grow --without=cut");
}

TEST(WorldsOptions, TakeTimesInHoursAndSeconds) {
  EXPECT_EQ(Parse({"--hours=0.5"})->time, absl::Minutes(30));
  EXPECT_EQ(Parse({"--seconds=20"})->time, absl::Seconds(20));
}

TEST(WorldsOptions, ThatAreWrongAreNamed) {
  for (const char* word : {"--worlds=0", "--worlds=many", "--only=rain", "--nonsense", "extra",
                           "--jobs", "--hours=-1"}) {
    EXPECT_EQ(Parse({word}).status().code(), absl::StatusCode::kInvalidArgument) << word;
  }
  EXPECT_THAT(WorldsHelp(), HasSubstr("black-hole"));
}

}  // namespace
}  // namespace sim
