#include "client/session/export_path.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::ElementsAre;

TEST(LongestExport, IsTheDeepestThatThePathIsBelow) {
  const std::vector<std::string> exports = {"/", "/srv", "/srv/data/", "/srv/database"};
  EXPECT_EQ(LongestExport(exports, "/srv/data/x/y"), "/srv/data/");
  EXPECT_EQ(LongestExport(exports, "/srv/data"), "/srv/data/");
  EXPECT_EQ(LongestExport(exports, "/srv/dat"), "/srv");
  EXPECT_EQ(LongestExport(exports, "/srv/database"), "/srv/database");
  EXPECT_EQ(LongestExport(exports, "/other"), "/");
  EXPECT_EQ(LongestExport({"/srv"}, "/srvx/file"), std::nullopt);
  EXPECT_EQ(LongestExport({}, "/srv"), std::nullopt);
}

TEST(NamesBelow, AreTheRestOfThePath) {
  EXPECT_THAT(*NamesBelow("/a", "/a/b/c"), ElementsAre("b", "c"));
  EXPECT_THAT(*NamesBelow("/", "/a"), ElementsAre("a"));
  EXPECT_THAT(*NamesBelow("/a/b", "//a/b/"), ElementsAre());
  EXPECT_EQ(NamesBelow("/a/b", "/a"), std::nullopt);
  EXPECT_EQ(NamesBelow("/a/b", "/a/bc"), std::nullopt);
}

TEST(SelfAndParents, GoUpToTheRoot) {
  EXPECT_THAT(SelfAndParents("/a/b"), ElementsAre("/a/b", "/a", "/"));
  EXPECT_THAT(SelfAndParents("/"), ElementsAre("/"));
}

}  // namespace
}  // namespace nfs
