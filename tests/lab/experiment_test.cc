// The lab's experiment over one path, for some seconds: that it still runs, that every contender
// gets bytes, and what nfscat says of a readahead that is too small. The figures are not judged:
// machines are busy.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/runfile.h"
#include "tests/support/subprocess.h"

namespace lab {
namespace {

using testing::HasSubstr;
using testing::Not;

// As tests/lab/machine.sh finds it; empty if there is none.
std::string Image() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::string folder = variable("LAB");
  if (folder.empty()) folder = variable("HOME") + "/.cache/nfscat-lab";
  return std::filesystem::exists(folder + "/root.cpio") ? folder : "";
}

support::Outcome RunShort(const std::string& image, const std::string& results) {
  return support::RunProgram({
      .argv = {support::Runfile("tests/lab/experiment"), "--short", "--output=" + results},
      .environment = {"LAB=" + image, "NFSCAT=" + support::Runfile("client/tools/nfscat")},
      .time_limit = absl::Minutes(12),
  });
}

std::string Shell(const std::string& command) {
  const support::Outcome outcome = support::RunProgram({.argv = {"/bin/bash", "-c", command}});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  return outcome.out;
}

TEST(Experiment, ItsShortVersionMeasuresEveryContenderAndBecomesATableAndAChart) {
  if (support::FindProgram("qemu-system-x86_64").empty()) {
    GTEST_SKIP() << "no qemu-system-x86_64 here";
  }
  const std::string image = Image();
  if (image.empty()) GTEST_SKIP() << "no image: tests/lab/image ~/.cache/nfscat-lab makes it";
  const std::string results = testing::TempDir() + "results.jsonl";
  const support::Outcome outcome = RunShort(image, results);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.out << outcome.err;

  const std::string report = support::Runfile("tests/lab/report") + " ";
  const std::vector<std::string> lines =
      absl::StrSplit(Shell(report + results), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_THAT(lines[3], HasSubstr("| nfscat |"));
  EXPECT_THAT(lines[4], HasSubstr("| nfscat:128K:1 |"));
  EXPECT_THAT(lines[4], HasSubstr("| readahead |"));
  EXPECT_THAT(lines[5], HasSubstr("| kernel:128 |"));
  for (size_t i = 3; i < 6; ++i) EXPECT_THAT(lines[i], Not(HasSubstr("| 0.0 | 0.0 |")));

  const std::string svg = Shell(absl::StrCat(report, "--2010 --points=100ms ", results, " | ",
                                             support::Runfile("tests/lab/draw")));
  EXPECT_THAT(svg, HasSubstr(">100ms: auto<"));
  EXPECT_THAT(svg, HasSubstr(">2010: ext4 disk<"));
}

}  // namespace
}  // namespace lab
