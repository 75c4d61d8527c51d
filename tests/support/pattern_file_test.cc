#include "tests/support/pattern_file.h"

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace support {
namespace {

using ::testing::ElementsAreArray;

std::string Path(const std::string& name) { return ::testing::TempDir() + name; }

TEST(PatternFileTest, PatternDependsOnThePlaceOnly) {
  std::vector<std::byte> whole(1000);
  FillPattern(1, 5000, whole);
  std::vector<std::byte> part(300);
  FillPattern(1, 5123, part);
  EXPECT_THAT(part, ElementsAreArray(whole.begin() + 123, whole.begin() + 423));
}

TEST(PatternFileTest, PatternDependsOnTheSeed) {
  std::vector<std::byte> one(64), two(64);
  FillPattern(1, 0, one);
  FillPattern(2, 0, two);
  EXPECT_NE(one, two);
}

TEST(PatternFileTest, AnEmptyFileHasTheDigestOfNothing) {
  WritePatternFile(Path("empty"), 0);
  EXPECT_EQ(FileSha256(Path("empty")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(PatternFileTest, ASparseFileIsLongButTakesLittleSpace) {
  WriteSparsePatternFile(Path("sparse"), uint64_t{5} << 30, uint64_t{1} << 30);
  struct stat attributes;
  ASSERT_EQ(stat(Path("sparse").c_str(), &attributes), 0);
  EXPECT_EQ(attributes.st_size, off_t{5} << 30);
  EXPECT_LT(attributes.st_blocks * 512, 1 << 20);
}

TEST(PatternFileTest, ARangeHasADigestOfItsOwn) {
  WritePatternFile(Path("whole"), 200'000);
  WritePatternFile(Path("start"), 100'000);
  EXPECT_EQ(FileSha256(Path("whole"), 0, 100'000), FileSha256(Path("start")));
  EXPECT_NE(FileSha256(Path("whole"), 1, 100'000), FileSha256(Path("start")));
}

TEST(PatternFileTest, AMissingFileHasNoDigest) {
  EXPECT_EQ(FileSha256("/nowhere/file"), "no digest of /nowhere/file: No such file or directory");
}

}  // namespace
}  // namespace support
