#include "tests/bench/compare_flags.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bench {
namespace {

using testing::ElementsAre;

absl::StatusOr<CompareFlags> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "compare");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return ParseCompareFlags(static_cast<int>(words.size()), argv.data());
}

TEST(CompareFlags, AreReadsOfAMebibyteFromTheLoadServerByDefault) {
  const auto flags = Parse({});
  ASSERT_TRUE(flags.ok());
  EXPECT_THAT(flags->rsizes, ElementsAre(1 << 20));
  EXPECT_EQ(flags->server, ServerKind::kLoad);
  EXPECT_EQ(flags->output, OutputKind::kNull);
  EXPECT_EQ(flags->runs, 5);
}

TEST(CompareFlags, TakeLists) {
  const auto flags = Parse({"--rsize=1m,256k,4k", "--only=floor,nfs-cat"});
  ASSERT_TRUE(flags.ok());
  EXPECT_THAT(flags->rsizes, ElementsAre(1 << 20, 256 << 10, 4096));
  EXPECT_THAT(flags->only, ElementsAre("floor", "nfs-cat"));
}

TEST(CompareFlags, TakeKinds) {
  const auto flags = Parse({"--server=ganesha", "--output=file"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->server, ServerKind::kGanesha);
  EXPECT_EQ(flags->output, OutputKind::kFile);
}

TEST(CompareFlags, MakeRandomReadsSmall) {
  EXPECT_THAT(Parse({"--random=1000"})->rsizes, ElementsAre(4096));
  EXPECT_THAT(Parse({"--random=1000", "--rsize=8k"})->rsizes, ElementsAre(8192));
}

TEST(CompareFlags, RefuseWhatTheyDoNotKnow) {
  for (const char* word : {"--server=knfsd", "--output=tape", "--rsize=2M", "--rsize=0",
                           "--rsize=", "--runs=0", "--runs=many", "--mib=-1", "what"}) {
    EXPECT_FALSE(Parse({word}).ok()) << word;
  }
}

TEST(CompareFlags, MakeTheFileSmallerForSmallerReads) {
  EXPECT_EQ(FileSize({}, 1 << 20), uint64_t{2} << 30);
  EXPECT_EQ(FileSize({}, 4096), uint64_t{256} << 20);
  EXPECT_EQ(FileSize({.mib = 3}, 4096), uint64_t{3} << 20);
  EXPECT_EQ(WindowFor({}, 1 << 20), 4u);
  EXPECT_EQ(WindowFor({}, 4096), 64u);
}

}  // namespace
}  // namespace bench
