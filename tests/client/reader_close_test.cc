// A FileReader that is closed while its thread waits for what never comes.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "client/file_reader.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "gtest/gtest.h"
#include "tests/server/contents.h"
#include "tests/server/loopback_server.h"
#include "tests/server/server.h"

namespace nfs {
namespace {

// A close waits at most a second, for the goodbye; what hangs without one waits for a
// reply, that is three minutes, or for ever. The rest is for machines that are busy.
constexpr auto kSoon = std::chrono::seconds(20);

struct Waiting {
  const char* name;
  const char* rules;
  // The thread is waiting, or will be without more ado, when the server has been sent so
  // many of these.
  rpc::Procedure call;
  size_t count;
  bool server_dies = false;  // then
};

const Waiting kWaits[] = {
    {"ForTheFirstRead", "READ drop", nfs3::kRead, 1},
    {"ForALaterRead", "READ offset=100000.. drop", nfs3::kRead, 4},
    {"ForHalfAReply", "READ cut=-20000", nfs3::kRead, 1},
    {"ForAServerThatIsSilent", "CONNECT nth=4.. silent\nREAD nth=1 rst=0", nfs3::kRead, 1},
    {"ForAJukebox", "READ status=JUKEBOX", nfs3::kRead, 1},
    {"ForAttributes", "READ short=0 eof=false\nGETATTR drop", nfs3::kGetattr, 1},
    {"ForALookupOfAStaleFile", "READ status=STALE\nLOOKUP nth=2.. drop", nfs3::kLookup, 2},
    {"ForALookupThatIsAJukebox", "READ status=STALE\nLOOKUP nth=2.. status=JUKEBOX", nfs3::kLookup,
     2},
    {"ForAMountOfAStaleRoot", "READ status=STALE\nLOOKUP nth=2.. status=STALE\nMNT nth=2.. drop",
     mount3::kMnt, 2},
    {"ForAMountThatHangsUp",
     "READ status=STALE\nLOOKUP nth=2.. status=STALE\nMNT nth=2.. fin=0\nEXPORT nth=2.. fin=0",
     nfs3::kLookup, 2},
    {"ForAServerThatHasDied", "READ drop", nfs3::kRead, 1, /*server_dies=*/true},
    {"ForTheGoodbye", "UMNT drop", nfs3::kRead, 1},
    {"ForNothing", "", nfs3::kRead, 1},
};

class ReaderCloseTest : public testing::TestWithParam<std::tuple<Waiting, Engine>> {
 protected:
  static constexpr uint64_t kSize = 3'000'000;

  void SetUp() override {
    served_.tree().AddFile("/export/file", server::PatternContents(kSize));
    auto loopback = server::LoopbackServer::Start(served_);
    ASSERT_TRUE(loopback.ok()) << loopback.status();
    loopback_ = *std::move(loopback);
    ASSERT_TRUE(served_.AddRules(waiting_.rules).ok()) << waiting_.rules;
    options_.engine = std::get<1>(GetParam());
    options_.rsize = 32768;
    options_.readahead = 262144;
    options_.hard = true;
  }

  std::unique_ptr<FileReader> OpenAndWait() {
    auto reader = FileReader::Open(loopback_->Url("/export/file"), options_);
    EXPECT_TRUE(reader.ok()) << reader.status();
    if (!reader.ok()) return nullptr;
    while (served_.log().calls(waiting_.call).size() < waiting_.count) std::this_thread::yield();
    if (waiting_.server_dies) loopback_.reset();
    return *std::move(reader);
  }

  static void ExpectSoon(const std::function<void()>& what) {
    const auto start = std::chrono::steady_clock::now();
    what();
    EXPECT_LE(std::chrono::steady_clock::now() - start, kSoon);
  }

  const Waiting waiting_ = std::get<0>(GetParam());
  server::Server served_;
  std::unique_ptr<server::LoopbackServer> loopback_;
  Options options_;
};

TEST_P(ReaderCloseTest, EndsSoonAndWhatComesAfterItIsCancelled) {
  const auto reader = OpenAndWait();
  ASSERT_NE(reader, nullptr);
  ExpectSoon([&] { reader->Close(); });
  EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kCancelled);
  std::vector<std::byte> to(10);
  EXPECT_EQ(reader->Read(to).status().code(), absl::StatusCode::kCancelled);
  reader->Close();
  EXPECT_EQ(reader->Next().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(reader->size(), kSize);
}

TEST_P(ReaderCloseTest, IsWhatTheDestructorDoesToo) {
  auto reader = OpenAndWait();
  ASSERT_NE(reader, nullptr);
  ExpectSoon([&] { reader.reset(); });
}

INSTANTIATE_TEST_SUITE_P(WhileItWaits, ReaderCloseTest,
                         testing::Combine(testing::ValuesIn(kWaits),
                                          testing::Values(Engine::kAuto, Engine::kPoll)),
                         [](const auto& test) {
                           const bool polls = std::get<1>(test.param) == Engine::kPoll;
                           return std::string(std::get<0>(test.param).name) +
                                  (polls ? "ByPoll" : "");
                         });

}  // namespace
}  // namespace nfs
