// Attributes that make no sense, and files that are mostly holes: only the type and the
// size have a say in how a file is read.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using Outcome = SimulatedWorld::Outcome;

constexpr uint64_t kSize = 100001;

class OddAttributes : public testing::Test {
 protected:
  OddAttributes() {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    world_.options().rsize = 8192;
  }

  Outcome Stream(const std::string& rules) {
    world_.server().script().Clear();
    EXPECT_TRUE(world_.server().AddRules(rules).ok()) << rules;
    return world_.Stream("/export/file");
  }

  void ExpectWhole(const std::string& rules) {
    const Outcome outcome = Stream(rules);
    EXPECT_TRUE(outcome.status.ok()) << rules << ": " << outcome.status;
    EXPECT_EQ(outcome.bytes, PatternOf(0, kSize)) << rules;
  }

  SimulatedWorld world_;
};

const char* const kOddFields[] = {
    "mode:0",
    "mode:0xffffffff",
    "nlink:0",
    "nlink:0xffffffff",
    "uid:0xfffffffe",
    "uid:0xffffffff",
    "gid:0xfffffffe",
    "used:0",
    "used:0xffffffffffffffff",
    "specdata1:235",
    "specdata2:458859",
    "fsid:0",
    "fsid:0xffffffffffffffff",
    "fileid:0",
    "fileid:0xffffffffffffffff",
    "atime.seconds:0xffffffff",
    "mtime.seconds:0x80000000",
    "mtime.seconds:0xffffffff",
    "mtime.nseconds:3507880968",
    "ctime.seconds:0",
    "ctime.nseconds:0xffffffff",
};

TEST_F(OddAttributes, InEveryReplyDoNotKeepAFileFromBeingRead) {
  for (const char* field : kOddFields) ExpectWhole(absl::StrCat("* poke=", field));
}

TEST_F(OddAttributes, AllAtOnceDoNotEither) {
  std::string rule = "*";
  for (const char* field : {"nlink:0", "uid:0xffffffff", "used:0", "fileid:0", "specdata1:235",
                            "mtime.nseconds:3507880968", "ctime.seconds:0xffffffff"}) {
    absl::StrAppend(&rule, " poke=", field);
  }
  ExpectWhole(rule);
}

// What is not the same in two replies is a change only if it tells of the contents.
TEST_F(OddAttributes, ThatComeAndGoAreNoChangeOfTheFile) {
  for (const char* field :
       {"mode:0", "nlink:0", "uid:0xfffffffe", "gid:0xfffffffe", "used:0", "specdata1:235",
        "fsid:0", "atime.seconds:0xffffffff", "atime.nseconds:3507880968"}) {
    ExpectWhole(absl::StrCat("READ every=2 poke=", field));
  }
}

TEST_F(OddAttributes, OfAnotherFileOrAnotherTimeAreAChange) {
  for (const char* field : {"fileid:4711", "mtime.seconds:4294967295"}) {
    const Outcome outcome = Stream(absl::StrCat("READ nth=5.. poke=", field));
    EXPECT_EQ(KindOf(outcome.status), ErrorKind::kFileChanged) << field << ": " << outcome.status;
  }
}

TEST_F(OddAttributes, ATypeThatNobodyKnowsIsRefusedAtOnce) {
  for (const char* type : {"0", "8", "9", "0x41414141", "0xffffffff"}) {
    const Outcome outcome =
        Stream(absl::StrCat("LOOKUP name=file poke=obj_attributes.type:", type));
    EXPECT_FALSE(outcome.status.ok()) << type;
    EXPECT_TRUE(outcome.bytes.empty());
    EXPECT_LT(outcome.opening, absl::Seconds(1));
  }
}

TEST_F(OddAttributes, ATypeThatIsNoFileIsRefusedByItsName) {
  for (const auto& [type, words] :
       {std::pair(2, "NFS3ERR_ISDIR (21)"), std::pair(3, "a block device"),
        std::pair(4, "a character device"), std::pair(6, "a socket"),
        std::pair(7, "a named pipe")}) {
    const Outcome outcome =
        Stream(absl::StrCat("LOOKUP name=file poke=obj_attributes.type:", type));
    EXPECT_EQ(KindOf(outcome.status), ErrorKind::kNfs) << outcome.status;
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr(words));
  }
}

// --- Holes -----------------------------------------------------------------------------------

constexpr uint64_t kHoles = (uint64_t{4} << 20) + 3;

class Holes : public testing::TestWithParam<const char*> {
 protected:
  Holes() {
    world_.options().readahead = 1 << 20;
    EXPECT_TRUE(world_.server().AddRules(absl::StrCat("* poke=used:", GetParam())).ok());
  }

  SimulatedWorld world_;
};

TEST_P(Holes, AreZerosAndAllOfThemAreDelivered) {
  world_.tree().AddFile("/export/holes", server::SparseContents(kHoles, {{kHoles - 4, "mark"}}));
  const Outcome outcome = world_.Stream("/export/holes");
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  ASSERT_EQ(outcome.bytes.size(), kHoles);
  const auto first =
      std::ranges::find_if(outcome.bytes, [](std::byte b) { return b != std::byte{}; });
  EXPECT_EQ(first - outcome.bytes.begin(), static_cast<std::ptrdiff_t>(kHoles - 4));
}

TEST_P(Holes, AtTheEndAreDeliveredToo) {
  world_.tree().AddFile("/export/holes", server::SparseContents(kHoles, {{0, "mark"}}));
  const Outcome outcome = world_.Stream("/export/holes");
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes.size(), kHoles);
}

TEST_P(Holes, BeyondFourGigabytesAreReadWhereTheyAre) {
  constexpr uint64_t kFar = uint64_t{20} << 30;
  world_.tree().AddFile("/export/far", server::SparseContents(kFar, {{kFar - 4, "mark"}}));
  const Outcome outcome =
      world_.Stream("/export/far", {.offset = kFar - 100000, .length = UINT64_MAX});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.bytes.size(), 100000u);
  EXPECT_EQ(outcome.bytes.back(), std::byte{'k'});
}

// A server that reports too little, too much, or what is right.
INSTANTIATE_TEST_SUITE_P(Used, Holes, testing::Values("0", "512", "0x10000000000"),
                         [](const auto& test) { return absl::StrCat("Of", test.param); });

}  // namespace
}  // namespace nfs
