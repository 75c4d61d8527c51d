// That no wrong byte passes.
#include "tests/sim/truth.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/contents.h"

namespace sim {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::byte>;

Bytes Pattern(uint64_t offset, size_t size, uint64_t seed) {
  Bytes bytes(size);
  server::FillPattern(offset, bytes, seed);
  return bytes;
}

class TruthTest : public testing::Test {
 protected:
  // A file of 1000 bytes that is open and read from its beginning.
  TruthTest() {
    truth_.AddVersion(0, 1000, Truth::Change::kOther);
    truth_.OnOpening();
    truth_.OnOpened();
    truth_.BeginRun({});
  }

  std::string Deliver(uint64_t offset, size_t size, uint64_t seed = 0) {
    return truth_.OnDelivered(Pattern(offset, size, seed));
  }
  std::string End() { return truth_.JudgeRun(/*complete=*/true, knowledge_); }
  std::string Error() { return truth_.JudgeRun(/*complete=*/false, knowledge_); }

  Truth truth_;
  Knowledge knowledge_;
};

TEST_F(TruthTest, IsAllBytesInOrder) {
  EXPECT_EQ(Deliver(0, 300), "");
  EXPECT_EQ(Deliver(300, 700), "");
  EXPECT_EQ(End(), "");
}

// A single byte of one version may be in another too: what comes next says of which it is.
TEST_F(TruthTest, IsOneVersionWhoseFirstByteAnotherHasToo) {
  uint64_t seed = 1;
  while (Pattern(0, 1, seed) != Pattern(0, 1, 0)) ++seed;
  truth_.AddVersion(seed, 1000, Truth::Change::kOther);
  truth_.OnOpening();
  truth_.OnOpened();
  for (uint64_t offset = 0; offset < 1000; ++offset) ASSERT_EQ(Deliver(offset, 1, seed), "");
  EXPECT_EQ(End(), "");
}

TEST_F(TruthTest, IsAPrefixWhenTheStreamFailed) {
  EXPECT_EQ(Deliver(0, 300), "");
  EXPECT_EQ(Error(), "");
  EXPECT_THAT(End(), HasSubstr("ended well after 300 bytes"));
}

TEST_F(TruthTest, IsNotAByteMoreThanTheFileHas) { EXPECT_NE(Deliver(0, 1001), ""); }

TEST_F(TruthTest, IsNotAByteMoreThanTheRangeHas) {
  truth_.BeginRun({.offset = 100, .length = 50});
  EXPECT_EQ(Deliver(100, 50), "");
  EXPECT_EQ(End(), "");
  EXPECT_NE(Deliver(150, 1), "");
}

TEST_F(TruthTest, CatchesEveryByteThatIsChanged) {
  const Bytes right = Pattern(0, 1000, 0);
  for (size_t i = 0; i < right.size(); ++i) {
    Bytes wrong = right;
    wrong[i] ^= std::byte{1};
    truth_.BeginRun({});
    EXPECT_THAT(truth_.OnDelivered(wrong), HasSubstr("of no version")) << i;
  }
}

TEST_F(TruthTest, CatchesTwoBytesThatAreSwapped) {
  Bytes bytes = Pattern(0, 1000, 0);
  std::swap(bytes[500], bytes[501]);
  EXPECT_NE(truth_.OnDelivered(bytes), "");
}

TEST_F(TruthTest, CatchesAChunkThatComesTwiceOrNotAtAll) {
  EXPECT_EQ(Deliver(0, 128), "");
  EXPECT_NE(Deliver(0, 128), "");
  truth_.BeginRun({});
  EXPECT_EQ(Deliver(0, 128), "");
  EXPECT_NE(Deliver(256, 128), "");
}

TEST_F(TruthTest, OfAFileThatGrowsIsItsOldEndOrItsNewOne) {
  truth_.AddVersion(0, 1500, Truth::Change::kAppended);
  EXPECT_EQ(Deliver(0, 1000), "");
  EXPECT_EQ(End(), "");
  EXPECT_EQ(Deliver(1000, 400), "");
  EXPECT_NE(End(), "");
  EXPECT_EQ(Deliver(1400, 100), "");
  EXPECT_EQ(End(), "");
}

TEST_F(TruthTest, CatchesVersionsGluedInEveryEnd) {
  truth_.AddVersion(1, 1000, Truth::Change::kOther);
  EXPECT_EQ(Deliver(0, 400, 0), "");
  EXPECT_EQ(Deliver(400, 600, 1), "");
  EXPECT_THAT(Error(), HasSubstr("glued"));
  EXPECT_THAT(End(), HasSubstr("glued"));
}

TEST_F(TruthTest, CatchesVersionsGluedInOneChunk) {
  truth_.AddVersion(1, 1000, Truth::Change::kOther);
  Bytes bytes = Pattern(0, 400, 0);
  const Bytes rest = Pattern(400, 600, 1);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  EXPECT_EQ(truth_.OnDelivered(bytes), "");
  EXPECT_THAT(Error(), HasSubstr("glued"));
}

TEST_F(TruthTest, LetsGluedVersionsFailWhenAttributesWereAbsent) {
  knowledge_.attributes_were_absent = true;
  truth_.AddVersion(1, 1000, Truth::Change::kOther);
  EXPECT_EQ(Deliver(0, 400, 0), "");
  EXPECT_EQ(Deliver(400, 600, 1), "");
  EXPECT_EQ(Error(), "");
  EXPECT_THAT(End(), HasSubstr("glued"));
  knowledge_.asking_could_fail = true;
  EXPECT_EQ(End(), "");
}

TEST_F(TruthTest, CatchesAnotherVersionThanWasOpened) {
  truth_.AddVersion(1, 1000, Truth::Change::kOther);
  EXPECT_EQ(Deliver(0, 1000, 1), "");
  EXPECT_THAT(End(), HasSubstr("another version"));
}

TEST_F(TruthTest, CatchesAFileThatShrankUnnoticed) {
  truth_.AddVersion(0, 600, Truth::Change::kOther);
  EXPECT_EQ(Deliver(0, 600), "");
  EXPECT_NE(End(), "");
}

TEST_F(TruthTest, TakesAFileThatShrankAndGrewForGrown) {
  truth_.AddVersion(0, 600, Truth::Change::kOther);
  truth_.AddVersion(0, 1200, Truth::Change::kAppended);
  EXPECT_EQ(Deliver(0, 1200), "");
  EXPECT_EQ(End(), "");
}

TEST_F(TruthTest, TakesAFileThatWasRewrittenAndGrewForGrown) {
  truth_.AddVersion(1, 1000, Truth::Change::kOther);
  truth_.AddVersion(1, 1200, Truth::Change::kAppended);
  EXPECT_EQ(Deliver(0, 500, 0), "");
  EXPECT_EQ(Deliver(500, 700, 1), "");
  EXPECT_EQ(End(), "");
}

TEST(TruthAtOpening, IsEitherVersionWhenTheFileChangedThen) {
  for (uint64_t seed : {0, 1}) {
    Truth truth;
    truth.AddVersion(0, 100, Truth::Change::kOther);
    truth.OnOpening();
    truth.AddVersion(1, 100, Truth::Change::kOther);
    truth.OnOpened();
    EXPECT_TRUE(truth.changed_before_opened());
    truth.BeginRun({});
    EXPECT_EQ(truth.OnDelivered(Pattern(0, 100, seed)), "");
    EXPECT_EQ(truth.JudgeRun(true, {}), "");
  }
}

}  // namespace
}  // namespace sim
