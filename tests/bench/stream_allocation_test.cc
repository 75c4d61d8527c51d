// Once a file is open, its data path allocates nothing: not the stream, not the reader with
// its thread, not random access, by either engine and at any READ size. A program of its own,
// since it replaces operator new for everything in it; the server in it keeps to the same.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/file_reader.h"
#include "client/options.h"
#include "client/random_reader.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "client/target.h"
#include "gtest/gtest.h"
#include "tests/bench/load_server.h"

namespace {

std::atomic<uint64_t> allocations = 0;

void* CountedAllocation(size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return CountedAllocation(size); }
void* operator new[](size_t size) { return CountedAllocation(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace bench {
namespace {

constexpr uint64_t kFileBytes = 48 << 20;

using Case = std::tuple<nfs::Engine, uint32_t, int>;  // rsize, connections

class DataPath : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    auto server = LoadServer::Start({.rsize = rsize(), .files = {{"file", kFileBytes}}});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    url_ = LoadUrl(server_->port(), "file");
    std::tie(options_.engine, options_.rsize, options_.nconnect.emplace()) = GetParam();
  }

  static uint32_t rsize() { return std::get<1>(GetParam()); }

  std::unique_ptr<LoadServer> server_;
  std::string url_;
  nfs::Options options_;
};

// Of `read_some`, which is called until it gives 0, and gives how many bytes it has read.
// The first READs are left out: the server makes its buffers for them.
uint64_t AllocationsOf(auto&& read_some) {
  uint64_t bytes = 0;
  while (bytes < kFileBytes / 4) bytes += read_some();
  // Connections that are still being made by a thread of the reader's.
  absl::SleepFor(absl::Milliseconds(50));
  const uint64_t before = allocations;
  while (bytes < kFileBytes) bytes += read_some();
  EXPECT_EQ(bytes, kFileBytes);
  return allocations - before;
}

TEST_P(DataPath, OfAStreamAllocatesNothing) {
  const auto target = nfs::ParseTarget(url_);
  ASSERT_TRUE(target.ok() && nfs::ApplyTarget(*target, options_).ok());
  auto session = nfs::Session::Open(*target, options_);
  ASSERT_TRUE(session.ok()) << session.status();
  auto stream = nfs::FileStream::Make(**session, nfs::Range(), 0);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const auto read_some = [&]() -> size_t {
    EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
    const auto bytes = (*stream)->Lend();
    if (!bytes.has_value()) {
      (*stream)->Turn(/*consumer_waits=*/true, absl::InfiniteFuture());
      return 0;
    }
    (*stream)->Release();
    return bytes->size();
  };
  EXPECT_EQ(AllocationsOf(read_some), 0u);
}

TEST_P(DataPath, OfAReaderAllocatesNothing) {
  auto reader = nfs::FileReader::Open(url_, options_);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto read_some = [&] {
    const auto bytes = (*reader)->Next();
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes->size();
  };
  EXPECT_EQ(AllocationsOf(read_some), 0u);
}

TEST_P(DataPath, OfRandomAccessAllocatesNothing) {
  auto reader = nfs::RandomReader::Open(url_, options_);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<std::byte> memory(rsize());
  uint64_t offset = 0;
  const auto read_some = [&] {
    const auto size = (*reader)->ReadAt(offset, memory);
    EXPECT_TRUE(size.ok()) << size.status();
    offset += *size;
    return *size;
  };
  EXPECT_EQ(AllocationsOf(read_some), 0u);
}

INSTANTIATE_TEST_SUITE_P(Each, DataPath,
                         testing::Combine(testing::Values(nfs::Engine::kUring, nfs::Engine::kPoll),
                                          testing::Values(8192, 65536, 1 << 20),
                                          testing::Values(1, 3)));

}  // namespace
}  // namespace bench
