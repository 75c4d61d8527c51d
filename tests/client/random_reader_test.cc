// The library's second face, over real TCP on loopback.
#include "client/random_reader.h"

#include <memory>
#include <random>
#include <vector>

#include "client/errors.h"
#include "gtest/gtest.h"
#include "tests/client/served_export.h"
#include "tests/server/contents.h"
#include "tests/server/server.h"

namespace nfs {
namespace {

constexpr uint64_t kSize = 3'000'001;

std::vector<std::byte> PatternOf(uint64_t offset, size_t bytes) {
  std::vector<std::byte> pattern(bytes);
  server::FillPattern(offset, pattern);
  return pattern;
}

class RandomReaderTest : public testing::TestWithParam<Engine>, protected ServedExport {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    Serve();
    options_.engine = GetParam();
    options_.rsize = 32768;
  }

  std::unique_ptr<RandomReader> Open() {
    auto reader = RandomReader::Open(Url("/export/file"), options_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return reader.ok() ? *std::move(reader) : nullptr;
  }

  Options options_;
};

TEST_P(RandomReaderTest, ReadsAsPreadDoes) {
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->size(), kSize);
  for (const uint64_t offset : {uint64_t{0}, uint64_t{12345}, kSize - 5, kSize, kSize + 1}) {
    std::vector<std::byte> to(100'000);
    const auto bytes = reader->ReadAt(offset, to);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const uint64_t left = offset < kSize ? kSize - offset : 0;
    EXPECT_EQ(*bytes, std::min<uint64_t>(to.size(), left));
    to.resize(*bytes);
    EXPECT_EQ(to, PatternOf(offset, *bytes));
  }
}

TEST_P(RandomReaderTest, HasAThousandPiecesUnderWay) {
  options_.nconnect = 3;
  const auto reader = Open();
  ASSERT_NE(reader, nullptr);
  std::mt19937_64 random(7);
  std::vector<std::vector<std::byte>> memory(RandomReader::kMostPieces);
  std::vector<uint64_t> offsets;
  while (reader->CanStart()) {
    const size_t tag = offsets.size();
    offsets.push_back(random() % (kSize - 4096));
    memory[tag].resize(1 + random() % 4096);
    reader->Start(offsets[tag], memory[tag], tag);
  }
  EXPECT_EQ(offsets.size(), RandomReader::kMostPieces);
  size_t count = 0;
  for (; const auto done = reader->Next(); ++count) {
    ASSERT_TRUE(done->status.ok()) << done->status;
    EXPECT_EQ(memory[done->tag], PatternOf(offsets[done->tag], done->bytes));
    EXPECT_EQ(done->bytes, memory[done->tag].size());
  }
  EXPECT_EQ(count, offsets.size());
}

TEST_P(RandomReaderTest, FailsToOpenWithTheReason) {
  const auto reader = RandomReader::Open(Url("/export/nothing"), options_);
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(NfsStatusOf(reader.status()), nfs3::Status::kNoEnt) << reader.status();
}

INSTANTIATE_TEST_SUITE_P(Engines, RandomReaderTest, testing::Values(Engine::kAuto, Engine::kPoll),
                         [](const testing::TestParamInfo<Engine>& tested) {
                           return tested.param == Engine::kPoll ? "Poll" : "Auto";
                         });

}  // namespace
}  // namespace nfs
