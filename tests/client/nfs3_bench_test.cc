// `nfs3 bench` itself, against the embedded server on loopback.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/served_export.h"
#include "tests/server/contents.h"
#include "tests/server/server.h"
#include "tests/support/subprocess.h"

namespace nfs {
namespace {

using support::Outcome;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Nfs3BenchTest : public testing::Test, protected ServedExport {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(8 << 20));
    served_.tree().AddFile("/export/other", server::PatternContents(8 << 20));
    served_.tree().AddFile("/export/empty", server::BytesContents(""));
    Serve();
  }

  static Outcome Nfs3(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "client/tools/nfs3");
    return support::RunProgram({.argv = arguments});
  }
  static Outcome Bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    return Nfs3(arguments);
  }
};

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST_F(Nfs3BenchTest, TriesEachValueAsOftenAsToldAndShowsATable) {
  const Outcome outcome =
      Bench({"--values=64K,1M,auto", "--runs=2", "--bytes=1M", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "six runs of 1M in 8M";
  const std::vector<std::string> lines = Lines(outcome.out);
  ASSERT_EQ(lines.size(), 5u) << outcome.out;
  EXPECT_THAT(lines[0], StartsWith("readahead "));
  EXPECT_THAT(lines[1], StartsWith("64K "));
  EXPECT_THAT(lines[3], StartsWith("auto "));
  EXPECT_THAT(lines[4], StartsWith("fastest: readahead="));
}

TEST_F(Nfs3BenchTest, ReadsOtherBytesInEachRunAndTakesTurns) {
  const Outcome outcome = Bench({"--values=64K,1M", "--runs=2", "--bytes=3M", "--json",
                                 Url("/export/file"), Url("/export/other")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const std::vector<std::string> lines = Lines(outcome.out);
  ASSERT_EQ(lines.size(), 6u) << outcome.out;
  // 2M are left of the first file then.
  const char* const runs[] = {R"("readahead":"64K","run":1)", R"("readahead":"1M","run":1)",
                              R"("readahead":"1M","run":2)", R"("readahead":"64K","run":2)"};
  const char* const offsets[] = {R"("offset":0,)", R"("offset":3145728,)", R"("offset":0,)",
                                 R"("offset":3145728,)"};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_THAT(lines[i], HasSubstr(runs[i]));
    EXPECT_THAT(lines[i], HasSubstr(offsets[i]));
    EXPECT_THAT(lines[i], HasSubstr(i < 2 ? "/export/file" : "/export/other"));
    EXPECT_THAT(lines[i], HasSubstr(R"("warm":false)"));
    EXPECT_THAT(lines[i], HasSubstr(R"("stats":{"bytes":3145728,)"));
  }
  EXPECT_THAT(lines[4], StartsWith(R"({"kind":"median","readahead":"64K","runs":2,)"));
}

TEST_F(Nfs3BenchTest, SaysWhenTheServersCacheMayHelp) {
  const Outcome outcome =
      Bench({"--values=1M", "--runs=3", "--bytes=4M", "--csv", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("nfs3: all of it has been read once"));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1);
  EXPECT_THAT(outcome.out, EndsWith(",1,3\n"));
}

TEST_F(Nfs3BenchTest, EndsARunWhenItsTimeIsOver) {
  Rules("READ delay=20ms");
  const Outcome outcome = Bench(
      {"--values=4K", "--runs=1", "--rsize=4K", "--seconds=0.3", "--json", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(R"("kind":"run")"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr(R"("bytes":8388608)")));
}

TEST_F(Nfs3BenchTest, DrawsAChartWithAutoAcross) {
  const std::string file = testing::TempDir() + "bench.svg";
  const Outcome outcome = Bench(
      {"--values=64K,256K,auto", "--runs=1", "--bytes=1M", "--chart=" + file, Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  std::ostringstream svg;
  svg << std::ifstream(file).rdbuf();
  EXPECT_THAT(svg.str(), StartsWith("<svg"));
  EXPECT_THAT(svg.str(), HasSubstr(">auto<"));
}

TEST_F(Nfs3BenchTest, TriesSlotsReadSizesAndConnectionsToo) {
  for (const char* sweep : {"--sweep=slots", "--sweep=rsize", "--sweep=nconnect"}) {
    const Outcome outcome =
        Bench({sweep, "--runs=1", "--bytes=512K", "-q", "--csv", Url("/export/file")});
    EXPECT_EQ(outcome.exit_status, 0) << sweep << outcome.err;
    EXPECT_GE(Lines(outcome.out).size(), 6u);
  }
}

TEST_F(Nfs3BenchTest, ShowsProgressWhenAsked) {
  Rules("READ delay=20ms");
  const Outcome outcome = Bench({"--values=4K", "--runs=1", "--rsize=4K", "--seconds=0.6",
                                 "--progress", Url("/export/file")});
  EXPECT_THAT(outcome.err, HasSubstr("round 1 of 1, readahead=4K: "));
}

TEST_F(Nfs3BenchTest, ShowsWhatItHasWhenARunFailsAndExitsAsNfscatDoes) {
  Rules("READ nth=9.. status=IO");
  const Outcome outcome =
      Bench({"--values=64K,128K", "--rsize=64K", "--runs=1", "--bytes=512K", Url("/export/file")});
  EXPECT_EQ(outcome.exit_status, 5);
  EXPECT_THAT(outcome.out, HasSubstr("64K "));
  EXPECT_THAT(outcome.err, HasSubstr("readahead=128K: READ: NFS3ERR_IO (5)"));
}

TEST_F(Nfs3BenchTest, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(Bench({Url("/export/none")}).exit_status, 5);
  EXPECT_EQ(Bench({"nonsense"}).exit_status, 2);
  const Outcome empty = Bench({Url("/export/empty")});
  EXPECT_EQ(empty.exit_status, 2);
  EXPECT_THAT(empty.err, HasSubstr("the files are empty"));
}

TEST_F(Nfs3BenchTest, HelpListsTheVerbsAndTheirOptions) {
  EXPECT_THAT(Nfs3({"--help"}).out, HasSubstr("  bench "));
  EXPECT_THAT(Bench({"--help"}).out, HasSubstr("--sweep=OPTION"));
  const Outcome none = Nfs3({});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_EQ(none.err, "nfs3: no verb; --help lists them\n");
  EXPECT_EQ(Nfs3({"dance"}).err, "nfs3: there is no verb 'dance'; --help lists them\n");
}

}  // namespace
}  // namespace nfs
