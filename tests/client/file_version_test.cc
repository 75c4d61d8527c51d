// What attributes say of a file that is being read, in every combination that is small.
#include "client/stream/file_version.h"

#include <string>
#include <vector>

#include "client/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;

enum class Than { kOlder, kSame, kNewer };  // or smaller, the same, larger
constexpr Than kThan[] = {Than::kOlder, Than::kSame, Than::kNewer};

constexpr uint64_t kSize = 1000;
constexpr uint64_t kAbsurd = uint64_t{1} << 62;

nfs3::Fattr3 Attributes(uint64_t size = kSize) {
  nfs3::Fattr3 attributes;
  attributes.fileid = 7;
  attributes.size = size;
  attributes.mtime = {100, 500};
  attributes.ctime = {200, 500};
  return attributes;
}

// A neighbour in time, by the nanoseconds only if `fine`.
nfs3::NfsTime3 Moved(nfs3::NfsTime3 time, Than than, bool fine) {
  if (than == Than::kSame) return time;
  uint32_t& field = fine ? time.nseconds : time.seconds;
  field += than == Than::kNewer ? 1 : -1;
  return time;
}

uint64_t Moved(uint64_t size, Than than) {
  return than == Than::kOlder ? size - 1 : than == Than::kNewer ? size + 1 : size;
}

bool IsChange(const absl::Status& status) { return KindOf(status) == ErrorKind::kFileChanged; }

std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

// One later sight of the file, and what is to come of it.
struct Sight {
  bool same_file;
  Than size, mtime, ctime;

  nfs3::Fattr3 Of(nfs3::Fattr3 attributes, bool fine) const {
    if (!same_file) attributes.fileid += 1;
    attributes.size = Moved(attributes.size, size);
    attributes.mtime = Moved(attributes.mtime, mtime, fine);
    attributes.ctime = Moved(attributes.ctime, ctime, fine);
    return attributes;
  }

  std::string ToString() const {
    return std::string(same_file ? "same file" : "other file") + ", size " +
           "<=>"[static_cast<int>(size)] + ", mtime " + "<=>"[static_cast<int>(mtime)] +
           ", ctime " + "<=>"[static_cast<int>(ctime)];
  }
};

std::vector<Sight> AllSights() {
  std::vector<Sight> all;
  for (const bool same_file : {true, false}) {
    for (const Than size : kThan) {
      for (const Than mtime : kThan) {
        for (const Than ctime : kThan) all.push_back({same_file, size, mtime, ctime});
      }
    }
  }
  return all;
}

TEST(FileVersion, EverySightOfARegularFileIsJudgedByTheTable) {
  for (const bool fine : {true, false}) {
    for (const Sight& sight : AllSights()) {
      SCOPED_TRACE(sight.ToString());
      FileVersion version(Attributes());
      const absl::Status status = version.Observe(sight.Of(Attributes(), fine));
      const bool is_old = sight.ctime == Than::kOlder;
      const bool shrank = !is_old && sight.size == Than::kOlder;
      const bool rewritten = !is_old && sight.size == Than::kSame && sight.mtime != Than::kSame;
      EXPECT_EQ(IsChange(status), !sight.same_file || shrank || rewritten) << status;
      EXPECT_EQ(status.ok(), !IsChange(status)) << status;
      const bool grew = sight.same_file && !is_old && sight.size == Than::kNewer;
      EXPECT_EQ(version.size(), grew ? kSize + 1 : kSize);
    }
  }
}

TEST(FileVersion, EverySightThroughANewHandleMustBeTheSameFileForSure) {
  for (const bool fine : {true, false}) {
    for (const Sight& sight : AllSights()) {
      SCOPED_TRACE(sight.ToString());
      const FileVersion version(Attributes());
      const absl::Status status = version.CheckSame(sight.Of(Attributes(), fine));
      const bool is_same =
          sight.same_file && sight.size == Than::kSame && sight.mtime == Than::kSame;
      EXPECT_EQ(status.ok(), is_same);
      EXPECT_EQ(IsChange(status), !is_same);
    }
  }
}

TEST(FileVersion, OfAFileThatWasOpenedWithoutASizeNothingIsJudged) {
  for (const uint64_t size : {uint64_t{0}, kAbsurd, kAbsurd + 1, UINT64_MAX - 1}) {
    for (const Sight& sight : AllSights()) {
      SCOPED_TRACE(sight.ToString());
      FileVersion version(Attributes(size));
      EXPECT_FALSE(version.IsMeaningful());
      EXPECT_TRUE(version.Observe(sight.Of(Attributes(size), /*fine=*/true)).ok());
    }
  }
}

TEST(FileVersion, OfAFileThatWasEmptyIsJudgedOnceItIsNot) {
  FileVersion version(Attributes(0));
  EXPECT_TRUE(version.Observe(Attributes(12345)).ok());
  EXPECT_TRUE(version.IsMeaningful());
  EXPECT_TRUE(IsChange(version.Observe(Attributes(3))));
}

TEST(FileVersion, TheLargestSizeThatADiskCouldHoldIsMeaningful) {
  FileVersion version(Attributes(kAbsurd - 1));
  EXPECT_TRUE(version.IsMeaningful());
  EXPECT_TRUE(IsChange(version.Observe(Attributes(kAbsurd - 2))));
  EXPECT_TRUE(FileVersion(Attributes(1)).IsMeaningful());
}

TEST(FileVersion, AFileThatIsTruncatedToNothingHasShrunk) {
  FileVersion version(Attributes());
  EXPECT_TRUE(IsChange(version.Observe(Attributes(0))));
  EXPECT_TRUE(IsChange(version.Observe(Attributes(0)))) << "and stays so";
  EXPECT_TRUE(version.IsMeaningful());
}

TEST(FileVersion, TheErrorSaysHowItChanged) {
  nfs3::Fattr3 other = Attributes();
  other.fileid = 8;
  EXPECT_THAT(TextOf(FileVersion(Attributes()).Observe(other)), HasSubstr("replaced by another"));
  EXPECT_THAT(TextOf(FileVersion(Attributes()).Observe(Attributes(900))),
              HasSubstr("shrank while it was read, from 1000 to 900 bytes"));
  nfs3::Fattr3 written = Attributes();
  written.mtime.nseconds += 1;
  EXPECT_THAT(TextOf(FileVersion(Attributes()).Observe(written)), HasSubstr("written to"));
  EXPECT_THAT(TextOf(FileVersion(Attributes()).CheckSame(other)), HasSubstr("stale"));
}

TEST(FileVersion, WhatIsJudgedNextIsComparedWithTheNewestNotWithTheLast) {
  FileVersion version(Attributes());
  nfs3::Fattr3 grown = Attributes(2000);
  grown.mtime = {300, 0};
  grown.ctime = {300, 0};
  EXPECT_TRUE(version.Observe(grown).ok());
  EXPECT_TRUE(version.Observe(Attributes()).ok()) << "an answer that was overtaken";
  EXPECT_EQ(version.size(), 2000u);
  EXPECT_TRUE(version.CheckSame(grown).ok());
  EXPECT_TRUE(IsChange(version.CheckSame(Attributes())));
  nfs3::Fattr3 cut = grown;
  cut.size = 1500;  // more than at first, and less than since
  cut.ctime = {301, 0};
  EXPECT_TRUE(IsChange(version.Observe(cut)));
}

TEST(FileVersion, WhatIsNobodysConcernIsNoChange) {
  FileVersion version(Attributes());
  nfs3::Fattr3 touched = Attributes();
  touched.mode = 0600;
  touched.nlink = 3;
  touched.uid = 1;
  touched.gid = 1;
  touched.used = 5;
  touched.atime = {900, 0};
  touched.ctime = {900, 0};
  EXPECT_TRUE(version.Observe(touched).ok());
  EXPECT_TRUE(version.CheckSame(touched).ok());
}

// Times after 2038, and nanoseconds that are none, are compared as they are.
TEST(FileVersion, OddTimesAreStillTimes) {
  const nfs3::NfsTime3 kTimes[] = {
      {0, 0},          {0, 4294967295},      {1, 0},
      {1, 999999999},  {1, 1000000000},      {2147483647, 0},
      {2147483648, 0}, {2147483648, 999999}, {4294967295, 4294967295},
  };
  for (const nfs3::NfsTime3& before : kTimes) {
    nfs3::Fattr3 opened = Attributes();
    opened.ctime = opened.mtime = before;
    FileVersion version(opened);
    EXPECT_TRUE(version.Observe(opened).ok());
    bool is_later = false;
    for (const nfs3::NfsTime3& now : kTimes) {
      nfs3::Fattr3 seen = opened;
      seen.mtime = seen.ctime = now;
      EXPECT_EQ(IsChange(FileVersion(opened).Observe(seen)), is_later)
          << before.seconds << "." << before.nseconds << " and " << now.seconds << "."
          << now.nseconds;
      is_later = is_later || now == before;
    }
  }
}

}  // namespace
}  // namespace nfs
