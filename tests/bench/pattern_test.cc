#include "tests/bench/pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace bench {
namespace {

using Bytes = std::vector<std::byte>;

constexpr size_t kBlock = 512;
constexpr size_t kBlocks = 24;

const Pattern& ThePattern() {
  static const auto* pattern = new Pattern();
  return *pattern;
}

// The blocks of a file, in this order.
Bytes FileOf(const std::vector<size_t>& blocks) {
  Bytes file(blocks.size() * kBlock);
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::memcpy(file.data() + i * kBlock, ThePattern().At(blocks[i] * kBlock, kBlock).data(),
                kBlock);
  }
  return file;
}

std::vector<size_t> InOrder(size_t count = kBlocks) {
  std::vector<size_t> blocks;
  for (size_t i = 0; i < count; ++i) blocks.push_back(i);
  return blocks;
}

bool Passes(const Bytes& file, size_t size = kBlocks * kBlock) {
  PatternCheck check(ThePattern());
  return check.Take(file).ok() && check.Finish(size).ok();
}

TEST(APattern, RepeatsItselfAsFarAsItIsGivenOut) {
  const std::span<const std::byte> last =
      ThePattern().At(Pattern::kPeriodBytes - 1, Pattern::kMostBytes);
  for (size_t i = 1; i < last.size(); ++i) {
    ASSERT_EQ(last[i], ThePattern().At(i - 1, 1).front()) << i;
  }
}

TEST(PatternCheck, TakesTheFileInPiecesOfAnySize) {
  const Bytes file = FileOf(InOrder());
  for (size_t piece : {size_t{1}, size_t{7}, size_t{8}, kBlock, file.size()}) {
    PatternCheck check(ThePattern());
    for (size_t at = 0; at < file.size(); at += piece) {
      const size_t size = std::min(piece, file.size() - at);
      ASSERT_TRUE(check.Take(std::span(file).subspan(at, size)).ok());
    }
    EXPECT_TRUE(check.Finish(file.size()).ok());
  }
}

TEST(PatternCheck, NoticesEveryBlockThatIsLost) {
  for (size_t lost = 0; lost < kBlocks; ++lost) {
    std::vector<size_t> blocks = InOrder();
    blocks.erase(blocks.begin() + static_cast<ptrdiff_t>(lost));
    EXPECT_FALSE(Passes(FileOf(blocks))) << lost;
  }
}

TEST(PatternCheck, NoticesEveryBlockThatComesTwice) {
  for (size_t twice = 0; twice < kBlocks; ++twice) {
    std::vector<size_t> blocks = InOrder();
    blocks.insert(blocks.begin() + static_cast<ptrdiff_t>(twice), twice);
    EXPECT_FALSE(Passes(FileOf(blocks))) << twice;
    if (twice + 1 == kBlocks) continue;
    blocks.pop_back();  // ... also when it has pushed the last one out
    EXPECT_FALSE(Passes(FileOf(blocks))) << twice;
  }
}

TEST(PatternCheck, NoticesEveryBlockInThePlaceOfAnother) {
  for (size_t at = 0; at < kBlocks; ++at) {
    for (size_t wrong = 0; wrong < kBlocks; ++wrong) {
      std::vector<size_t> blocks = InOrder();
      blocks[at] = wrong;
      EXPECT_EQ(Passes(FileOf(blocks)), at == wrong) << wrong << " at " << at;
    }
  }
}

TEST(PatternCheck, NoticesAnyByteThatIsWrongAndSaysWhere) {
  const Bytes right = FileOf(InOrder(2));
  for (size_t at = 0; at < right.size(); ++at) {
    Bytes wrong = right;
    wrong[at] ^= std::byte{1};
    PatternCheck check(ThePattern());
    EXPECT_EQ(check.Take(wrong).message(), "wrong bytes at offset " + std::to_string(at));
  }
}

TEST(PatternCheck, NoticesAFileThatIsTooShortOrTooLong) {
  EXPECT_FALSE(Passes(FileOf(InOrder(kBlocks - 1))));
  EXPECT_FALSE(Passes(FileOf(InOrder(kBlocks + 1))));
}

TEST(PatternCheck, StaysWithItsFirstError) {
  PatternCheck check(ThePattern());
  EXPECT_FALSE(check.Take(FileOf({1})).ok());
  EXPECT_FALSE(check.Take(FileOf({0})).ok());
  EXPECT_FALSE(check.Finish(0).ok());
}

// The last bytes before the pattern begins again, and the first after it.
TEST(Pattern, GoesOnWhereItRepeats) {
  const uint64_t end = Pattern::kPeriodBytes;
  const std::span<const std::byte> over = ThePattern().At(end - 8, 16);
  EXPECT_TRUE(std::ranges::equal(over.first(8), ThePattern().At(end - 8, 8)));
  EXPECT_TRUE(std::ranges::equal(over.last(8), ThePattern().At(0, 8)));
  PatternCheck check(ThePattern(), end - 8);
  EXPECT_TRUE(check.Take(over).ok());
}

uint64_t WordAt(uint64_t offset) {
  uint64_t word = 0;
  std::memcpy(&word, ThePattern().At(offset, sizeof(word)).data(), sizeof(word));
  return word;
}

// What the header promises: blocks at multiples of their size are alike only when they are
// a multiple of kPeriodWords of them apart.
TEST(Pattern, HasDifferentBlocksAtAllMultiplesOfAReadSize) {
  for (uint64_t rsize : {uint64_t{4096}, uint64_t{32} << 10, uint64_t{1} << 20}) {
    const uint64_t first = WordAt(0);
    for (uint64_t i = 1; i < Pattern::kPeriodWords; ++i) {
      ASSERT_NE(first, WordAt(i * rsize)) << i << " " << rsize;
    }
    EXPECT_EQ(first, WordAt(Pattern::kPeriodWords * rsize));
  }
}

}  // namespace
}  // namespace bench
