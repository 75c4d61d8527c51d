// What a stream measures of itself, and what it is judged to be limited by, in virtual time.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "client/stream/bottleneck.h"
#include "client/stream/file_stream.h"
#include "gtest/gtest.h"
#include "io/simulated_network.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kSize = 64 * kMiB;

class Facts : public testing::Test {
 protected:
  Facts() {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    link_ = {.delay = absl::Milliseconds(10), .bytes_per_second = 1e9};
    world_.options().rsize = kMiB;
    world_.options().nconnect = 1;
  }

  // The whole file; the consumer takes `pause` for each piece.
  StreamFacts Read(absl::Duration pause = absl::ZeroDuration()) {
    world_.SetLinks(link_);
    auto session = world_.Open("/export/file");
    EXPECT_TRUE(session.ok()) << session.status();
    auto stream = FileStream::Make(**session, Range(), 0);
    EXPECT_TRUE(stream.ok()) << stream.status();
    const auto now = [&] { return (*session)->pump().transport().Now(); };
    absl::Time busy_until = now();
    while (!(*stream)->AtEnd() && (*stream)->status().ok()) {
      const bool takes = now() >= busy_until;
      if (takes && (*stream)->Lend()) {
        (*stream)->Release();
        busy_until = now() + pause;
        continue;
      }
      (*stream)->Turn(takes, takes ? absl::InfiniteFuture() : busy_until);
    }
    EXPECT_TRUE((*stream)->status().ok()) << (*stream)->status();
    return (*stream)->facts();
  }

  static Bottleneck Judge(const StreamFacts& facts) { return JudgeStream(facts).bottleneck; }

  SimulatedWorld world_;
  io::LinkPolicy link_;
};

TEST_F(Facts, CountWhatWasRead) {
  const StreamFacts facts = Read();
  EXPECT_EQ(facts.bytes, kSize);
  EXPECT_EQ(facts.reads, 64u);
  EXPECT_EQ(facts.service.count(), 64u);
  EXPECT_EQ(facts.short_reads + facts.retransmissions + facts.reconnects, 0u);
  EXPECT_EQ(facts.connections, 1);
  EXPECT_EQ(facts.rsize, kMiB);
  EXPECT_EQ(facts.round_trip, absl::Milliseconds(20));
  EXPECT_GE(facts.round_trips.count(), 1u);
}

TEST_F(Facts, KnowHowLongReadsTook) {
  world_.options().readahead = 0;
  const StreamFacts facts = Read();
  EXPECT_GE(facts.service.least(), absl::Milliseconds(20));
  EXPECT_LE(facts.service.most(), absl::Milliseconds(25));
  EXPECT_GE(facts.elapsed, 64 * absl::Milliseconds(20));
}

TEST_F(Facts, KnowHowManyCallsWereInFlight) {
  world_.options().readahead = 8 * kMiB;
  EXPECT_EQ(Read().slots_peak, 8);
  world_.options().slots = 3;
  EXPECT_EQ(Read().slots_peak, 3);
}

TEST_F(Facts, OfASmallReadaheadOnALongPathBlameIt) {
  world_.options().readahead = 2 * kMiB;
  link_.delay = absl::Milliseconds(100);
  EXPECT_EQ(Judge(Read()), Bottleneck::kReadahead);
}

TEST_F(Facts, OfReadsOneAtATimeBlameTheReadahead) {
  world_.options().readahead = 0;
  link_.delay = absl::Milliseconds(100);
  EXPECT_EQ(Judge(Read()), Bottleneck::kReadahead);
}

TEST_F(Facts, OfFewSlotsOnALongPathBlameThem) {
  world_.options().slots = 2;
  link_.delay = absl::Milliseconds(100);
  EXPECT_EQ(Judge(Read()), Bottleneck::kSlots);
}

TEST_F(Facts, OfASmallReceiveWindowBlameIt) {
  link_.delay = absl::Milliseconds(100);
  link_.receive_window_bytes = kMiB;
  EXPECT_EQ(Judge(Read()), Bottleneck::kTcpWindow);
}

TEST_F(Facts, OfASlowConsumerBlameTheOutput) {
  const StreamFacts facts = Read(absl::Milliseconds(50));
  EXPECT_EQ(Judge(facts), Bottleneck::kOutput);
  EXPECT_GE(facts.ShareWaited(Waits::kOutput), 0.8);
}

TEST_F(Facts, OfAServerThatTakesItsTimeBlameTheServer) {
  // A sixteenth of the READs at a time, each 200 ms.
  ASSERT_TRUE(world_.server().AddRules("READ nth=2.. delay=200ms").ok());
  EXPECT_EQ(Judge(Read()), Bottleneck::kServer);
}

TEST_F(Facts, OfAStreamThatFailedSayHowFarItCame) {
  world_.SetLinks(link_);
  ASSERT_TRUE(world_.server().AddRules("READ offset=33554432.. status=NFS3ERR_IO").ok());
  auto session = world_.Open("/export/file");
  ASSERT_TRUE(session.ok()) << session.status();
  auto stream = FileStream::Make(**session, Range(), 0);
  ASSERT_TRUE(stream.ok()) << stream.status();
  while ((*stream)->status().ok() && !(*stream)->AtEnd()) {
    if ((*stream)->Lend()) {
      (*stream)->Release();
    } else {
      (*stream)->Turn(true, absl::InfiniteFuture());
    }
  }
  EXPECT_FALSE((*stream)->status().ok());
  EXPECT_LE((*stream)->facts().bytes, 32 * kMiB);
  EXPECT_GT((*stream)->facts().bytes, 0u);
}

}  // namespace
}  // namespace nfs
