// Holds the tree to its shape: who may include whom, where sockets and clocks may be,
// how long a file may grow. ARCHITECTURE.md has the reasons.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/layout/source_tree.h"

namespace layout {
namespace {

// The first entry whose `from` a file's path begins with says what it may include of
// ours. Only the files that join rpc to io, or choose a transport, see io.
struct Arrow {
  const char* from;
  std::vector<const char*> to;
};

const std::vector<Arrow>& Arrows() {
  static const auto* arrows = new std::vector<Arrow>{
      {"xdr/", {"xdr/"}},
      {"rpc/", {"rpc/", "xdr/"}},
      {"io/", {"io/"}},
      {"client/protocol/", {"client/protocol/", "rpc/", "xdr/"}},
      {"client/connection/",
       {"client/connection/", "client/protocol/", "client/errors.h", "rpc/", "io/", "xdr/"}},
      {"client/connection/widening", {"client/connection/widening.h"}},
      {"client/session/", {"client/", "rpc/", "io/", "xdr/"}},
      {"client/stream/window", {"client/stream/window", "client/options.h"}},
      {"client/stream/delivery_rate", {"client/stream/delivery_rate.h"}},
      {"client/stream/rate_meter", {}},
      {"client/stream/durations", {"client/stream/durations.h"}},
      {"client/stream/bottleneck",
       {"client/stream/bottleneck.h", "client/stream/durations.h", "client/stream/figures.h"}},
      {"client/stream/paired_trial", {}},
      {"client/stream/readahead",
       {"client/stream/readahead", "client/stream/delivery_rate.h", "client/stream/rate_meter.h",
        "client/stream/paired_trial.h"}},
      {"client/stream/file_version",
       {"client/stream/file_version", "client/protocol/", "client/errors.h"}},
      {"client/stream/read_retries",
       {"client/stream/read_retries", "client/stream/window.h",
        "client/connection/patient_wait.h"}},
      {"client/stream/", {"client/", "rpc/", "xdr/"}},
      {"client/tools/bench/ranges", {"client/tools/bench/ranges.h", "client/options.h"}},
      {"client/tools/", {"client/", "io/"}},
      {"client/examples/", {"client/file_reader.h"}},
      {"client/", {"client/"}},
      {"tests/", {"client/", "rpc/", "io/", "xdr/", "tests/"}},
  };
  return *arrows;
}

const Arrow& ArrowOf(const SourceFile& file) {
  const auto arrow = std::ranges::find_if(
      Arrows(), [&](const Arrow& a) { return absl::StartsWith(file.path, a.from); });
  EXPECT_NE(arrow, Arrows().end()) << file.path;
  return *arrow;
}

bool IsOurs(const std::string& include) {
  return include.front() != '<' && !absl::StartsWith(include, "absl/") &&
         !absl::StartsWith(include, "gtest/") && !absl::StartsWith(include, "gmock/") &&
         !absl::StartsWith(include, "benchmark/");
}

bool IsProduct(const SourceFile& file) { return !absl::StartsWith(file.path, "tests/"); }

TEST(Tree, IsThere) { EXPECT_GT(ReadSourceTree().size(), 50u); }

TEST(Includes, FollowTheArrowsBetweenTheLayers) {
  for (const SourceFile& file : ReadSourceTree()) {
    const Arrow& arrow = ArrowOf(file);
    for (const std::string& include : file.Includes()) {
      const bool allowed = !IsOurs(include) || std::ranges::any_of(arrow.to, [&](const char* to) {
        return absl::StartsWith(include, to);
      });
      EXPECT_TRUE(allowed) << file.path << " includes " << include;
    }
  }
}

TEST(Includes, OfSocketsRingsAndEventsAreInIoOnly) {
  for (const SourceFile& file : ReadSourceTree()) {
    if (!IsProduct(file) || absl::StartsWith(file.path, "io/")) continue;
    for (const std::string& include : file.Includes()) {
      for (const char* system : {"<liburing.h>", "<sys/socket.h>", "<netinet/", "<netdb.h>",
                                 "<arpa/", "<poll.h>", "<sys/epoll.h>", "<sys/eventfd.h>"}) {
        EXPECT_FALSE(absl::StartsWith(include, system)) << file.path << " includes " << include;
      }
    }
  }
}

TEST(Includes, OfTheOutsideJudgesAreInTestsOnly) {
  for (const SourceFile& file : ReadSourceTree()) {
    if (!IsProduct(file)) continue;
    for (const std::string& include : file.Includes()) {
      EXPECT_FALSE(absl::StartsWith(include, "<rpc/")) << file.path << " includes " << include;
      EXPECT_FALSE(absl::StartsWith(include, "<nfsc/")) << file.path << " includes " << include;
    }
  }
}

TEST(Clocks, AreReadInIoOnly) {
  for (const SourceFile& file : ReadSourceTree()) {
    if (!IsProduct(file) || absl::StartsWith(file.path, "io/")) continue;
    for (const std::string& line : file.lines) {
      for (const char* clock : {"absl::Now(", "clock_gettime", "_clock::now", "gettimeofday"}) {
        EXPECT_FALSE(absl::StrContains(line, clock)) << file.path << ": " << line;
      }
    }
  }
}

TEST(Files, AreOfOneIdeaAndSoNotLong) {
  for (const SourceFile& file : ReadSourceTree()) {
    const size_t most = file.IsHeader() ? 200 : IsProduct(file) ? 300 : 600;
    EXPECT_LE(file.lines.size(), most) << file.path;
  }
}

TEST(Files, AreNotNamedForNothing) {
  for (const SourceFile& file : ReadSourceTree()) {
    for (const char* name : {"util", "helper", "manager", "misc", "common"}) {
      EXPECT_FALSE(absl::StrContains(file.path, name)) << file.path;
    }
  }
}

// "// Tested by tests/rpc/channel_test.cc." at the top of a source is a promise.
TEST(Sources, NameTestsThatExist) {
  for (const SourceFile& file : ReadSourceTree()) {
    if (!IsProduct(file) || file.IsHeader()) continue;
    for (size_t i = 0; i < std::min<size_t>(3, file.lines.size()); ++i) {
      if (!absl::StrContains(file.lines[i], "Tested by")) continue;
      for (absl::string_view word : absl::StrSplit(file.lines[i], absl::ByAnyChar(" ,"))) {
        const std::string path(absl::StripSuffix(word, "."));
        EXPECT_TRUE(!absl::StartsWith(path, "tests/") || Exists(path)) << file.path << ": " << path;
      }
    }
  }
}

}  // namespace
}  // namespace layout
