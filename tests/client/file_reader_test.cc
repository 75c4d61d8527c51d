// The library's face, over real TCP on loopback, with its thread.
#include "client/file_reader.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "client/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/served_export.h"
#include "tests/server/contents.h"
#include "tests/server/server.h"

namespace nfs {
namespace {

using testing::HasSubstr;

std::vector<std::byte> PatternOf(uint64_t offset, size_t bytes) {
  std::vector<std::byte> pattern(bytes);
  server::FillPattern(offset, pattern);
  return pattern;
}

class FileReaderTest : public testing::TestWithParam<Engine>, protected ServedExport {
 protected:
  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    Serve();
    options_.engine = GetParam();
    options_.rsize = 32768;
    options_.readahead = 262144;
  }

  std::unique_ptr<FileReader> Open(const Range& range = Range()) {
    auto reader = FileReader::Open(Url("/export/file"), options_, range);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return reader.ok() ? *std::move(reader) : nullptr;
  }

  static constexpr uint64_t kSize = 3'000'001;
  Options options_;
};

TEST_P(FileReaderTest, LendsTheFilePieceByPiece) {
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->size(), kSize);
  std::vector<std::byte> all;
  for (;;) {
    const auto bytes = reader->Next();
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    if (bytes->empty()) break;
    all.insert(all.end(), bytes->begin(), bytes->end());
  }
  EXPECT_EQ(all, PatternOf(0, kSize));
  EXPECT_TRUE(reader->Next()->empty()) << "the end stays the end";
}

TEST_P(FileReaderTest, CopiesIntoMemoryOfAnySize) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  std::vector<std::byte> all;
  for (;;) {
    std::vector<std::byte> to(1 + random() % 100000);
    const auto size = reader->Read(to);
    ASSERT_TRUE(size.ok()) << size.status();
    all.insert(all.end(), to.begin(), to.begin() + static_cast<std::ptrdiff_t>(*size));
    if (*size == 0) break;
    EXPECT_TRUE(*size == to.size() || all.size() == kSize) << "short before the end";
  }
  EXPECT_EQ(all, PatternOf(0, kSize));
}

TEST_P(FileReaderTest, MixesCopiesAndLoans) {
  auto reader = Open({1000, 500000});
  ASSERT_NE(reader, nullptr);
  std::vector<std::byte> all;
  for (bool lend = false;; lend = !lend) {
    std::vector<std::byte> to(777);
    if (lend) {
      const auto bytes = reader->Next();
      ASSERT_TRUE(bytes.ok());
      to.assign(bytes->begin(), bytes->end());
    } else {
      to.resize(*reader->Read(to));
    }
    if (to.empty()) break;
    all.insert(all.end(), to.begin(), to.end());
  }
  EXPECT_EQ(all, PatternOf(1000, 500000));
}

TEST_P(FileReaderTest, ReadsOnWhileTheCallerComputes) {
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  ASSERT_FALSE(reader->Next()->empty());
  // Nobody calls the reader any more, and still the window is asked for.
  const uint64_t window = *options_.readahead / options_.rsize;
  while (served_.log().counters().reads < window) std::this_thread::yield();
}

TEST_P(FileReaderTest, WithoutReadaheadAsksForNothingThatNobodyWaitsFor) {
  options_.readahead = 0;
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  for (uint64_t reads = 1; reads <= 5; ++reads) {
    ASSERT_FALSE(reader->Next()->empty());
    EXPECT_EQ(served_.log().counters().reads, reads);
  }
}

TEST_P(FileReaderTest, MayBeClosedAtAnyPoint) {
  std::vector<std::byte> to(options_.rsize);
  for (int reads = 0; reads < 20; ++reads) {
    auto reader = Open();
    ASSERT_NE(reader, nullptr);
    for (int i = 0; i < reads; ++i) ASSERT_EQ(*reader->Read(to), to.size());
    if (reads % 2 == 0) {
      reader->Close();
      EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kCancelled);
    }
  }
  EXPECT_EQ(served_.log().counters().unmounts, 20u);
}

TEST_P(FileReaderTest, GivesWhatCameBeforeAnErrorAndThenTheErrorForGood) {
  Rules("READ offset=1000000.. status=IO");
  auto reader = Open();
  ASSERT_NE(reader, nullptr);
  uint64_t position = 0;
  absl::Status status;
  while (status.ok()) {
    const auto bytes = reader->Next();
    status = bytes.status();
    if (!status.ok()) break;
    ASSERT_FALSE(bytes->empty());
    ASSERT_TRUE(std::ranges::equal(*bytes, PatternOf(position, bytes->size())));
    position += bytes->size();
  }
  EXPECT_LT(position, 1000000u + options_.rsize);  // that of a READ which begins before
  EXPECT_EQ(NfsStatusOf(status), nfs3::Status::kIo) << status;
  EXPECT_EQ(reader->Next().status(), status);
  std::vector<std::byte> to(10);
  EXPECT_EQ(reader->Read(to).status(), status);
}

TEST_P(FileReaderTest, FailsToOpenWithTheReason) {
  const auto missing = FileReader::Open(Url("/export/missing"), options_);
  EXPECT_EQ(NfsStatusOf(missing.status()), nfs3::Status::kNoEnt);
  const auto nonsense = FileReader::Open("nonsense", options_);
  EXPECT_EQ(KindOf(nonsense.status()), ErrorKind::kUsage);
  const auto key = FileReader::Open(Url("/export/file") + "&bogus=1", options_);
  EXPECT_THAT(std::string(key.status().message()), HasSubstr("bogus"));
}

INSTANTIATE_TEST_SUITE_P(Engines, FileReaderTest, testing::Values(Engine::kAuto, Engine::kPoll),
                         [](const auto& test) {
                           return test.param == Engine::kAuto ? "Auto" : "Poll";
                         });

}  // namespace
}  // namespace nfs
