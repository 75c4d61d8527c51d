#include "client/tools/command_line.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<CommandLine> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "nfscat");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return ParseCommandLine(static_cast<int>(words.size()), argv.data());
}

std::string Refusal(const std::vector<std::string>& words) {
  const auto line = Parse(words);
  EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(line.status().message());
}

TEST(CommandLine, TakesValuesAfterASpaceOrAnEqualsSignAndTargetsAnywhere) {
  const auto line = Parse({"h:/a", "--offset", "1K", "--length=2K", "-o", "out", "h:/b", "-v",
                           "--rsize=64K", "--slots", "3", "--noresvport"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->arguments.operands, ElementsAre("h:/a", "h:/b"));
  EXPECT_EQ(line->range.offset, 1024u);
  EXPECT_EQ(line->range.length, 2048u);
  EXPECT_EQ(line->output, "out");
  EXPECT_TRUE(line->verbose);
  ASSERT_EQ(line->arguments.connection.size(), 3u);
  EXPECT_EQ(line->arguments.connection[0].second, "64K");
}

TEST(CommandLine, AfterTwoDashesEverythingIsATarget) {
  const auto line = Parse({"--", "-o:/x"});
  ASSERT_TRUE(line.ok());
  EXPECT_THAT(line->arguments.operands, ElementsAre("-o:/x"));
}

TEST(CommandLine, WithoutATargetIsAUsageErrorUnlessHelpIsWanted) {
  EXPECT_THAT(Refusal({}), HasSubstr("no target; give nfs://host/path"));
  EXPECT_TRUE(Parse({"--help"})->help);
  EXPECT_TRUE(Parse({"-h"})->help);
  EXPECT_TRUE(Parse({"--version"})->version);
}

TEST(CommandLine, SaysInOneLineWhatIsWrong) {
  EXPECT_THAT(Refusal({"--bogus", "h:/a"}), HasSubstr("there is no option '--bogus'"));
  EXPECT_THAT(Refusal({"--bogus=1", "h:/a"}), HasSubstr("there is no option '--bogus=1'"));
  EXPECT_THAT(Refusal({"-x", "h:/a"}), HasSubstr("there is no option '-x'"));
  EXPECT_THAT(Refusal({"h:/a", "--rsize"}), HasSubstr("'--rsize' needs a value"));
  EXPECT_THAT(Refusal({"h:/a", "-o"}), HasSubstr("'-o' needs a value"));
  EXPECT_THAT(Refusal({"h:/a", "--help=me"}), HasSubstr("'--help=me' takes no value"));
  EXPECT_THAT(Refusal({"h:/a", "--rsize=x"}), HasSubstr("rsize: 'x' is not a size"));
  EXPECT_THAT(Refusal({"h:/a", "--offset=-1"}), HasSubstr("offset: '-1' is not a size"));
  for (const auto& words : {std::vector<std::string>{"--bogus"}, {"h:/a", "--slots=0"}}) {
    EXPECT_EQ(Refusal(words).find('\n'), std::string::npos);
  }
}

TEST(OptionsFor, LetTheCommandLineWinOverTheUrlAndTheUrlOverTheDefaults) {
  const auto line = Parse({"nfs://h/f?rsize=32K&slots=5", "--rsize=64K"});
  ASSERT_TRUE(line.ok());
  Options defaults;
  defaults.retransmissions = 9;
  const auto options = OptionsFor(line->arguments.connection, *ParseTarget(line->arguments.operands[0]), defaults);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->rsize, 65536u);
  EXPECT_EQ(options->slots, 5);
  EXPECT_EQ(options->retransmissions, 9);
}

TEST(Help, NamesEveryOption) {
  const std::string help = HelpText();
  for (const OptionDescription& description : DescribeOptions()) {
    EXPECT_THAT(help, HasSubstr(std::string("--") + description.name));
  }
  for (const char* name : {"--output=FILE", "--offset=BYTES", "--length=BYTES", "--progress",
                           "--verbose", "--quiet", "--version", "Exit status"}) {
    EXPECT_THAT(help, HasSubstr(name));
  }
}

}  // namespace
}  // namespace nfs
