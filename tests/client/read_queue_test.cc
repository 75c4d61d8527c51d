// Pieces of a file read side by side, from a server that does to them what servers do.
#include "client/stream/read_queue.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "client/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {
namespace {

using absl::Milliseconds;

constexpr uint64_t kSize = 100'000;
constexpr uint32_t kMost = 16;

class ReadQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    world_.options().rsize = 4096;
    world_.options().slots = 8;
    world_.options().timeout = absl::Seconds(2);
  }

  void Open(const char* rules = "") {
    ASSERT_TRUE(world_.server().AddRules(rules).ok());
    auto session = world_.Open("/export/file");
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
    queue_ = std::make_unique<ReadQueue>(*session_, kMost);
  }

  void Start(uint64_t offset, size_t bytes) {
    memory_[tag_].assign(bytes, std::byte{'?'});
    offsets_[tag_] = offset;
    queue_->Start(offset, memory_[tag_], tag_);
    ++tag_;
  }

  // The next piece, with the bytes that the file has there; how many.
  size_t TakeRight() {
    const std::optional<ReadQueue::Done> done = queue_->Next();
    EXPECT_TRUE(done.has_value());
    if (!done.has_value()) return 0;
    EXPECT_TRUE(done->status.ok()) << done->status;
    const std::vector<std::byte>& memory = memory_[done->tag];
    const uint64_t offset = offsets_[done->tag];
    const uint64_t left = offset < kSize ? kSize - offset : 0;
    EXPECT_EQ(done->bytes, std::min<uint64_t>(memory.size(), left)) << "at " << offset;
    const std::vector<std::byte> right = PatternOf(offset, done->bytes);
    EXPECT_TRUE(std::equal(right.begin(), right.end(), memory.begin())) << "at " << offset;
    EXPECT_EQ(taken_.count(done->tag), 0u) << "twice";
    taken_[done->tag] = done->bytes;
    return done->bytes;
  }

  // Many pieces of all kinds, as many under way as there may be.
  void ReadAtRandom(uint64_t seed, int pieces) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    for (int started = 0; started < pieces || queue_->under_way() != 0;) {
      if (started < pieces && queue_->CanStart()) {
        Start(random() % (kSize + 5000), random() % 20'000);
        ++started;
        continue;
      }
      TakeRight();
      if (HasFailure()) return;
    }
    EXPECT_EQ(taken_.size(), static_cast<size_t>(pieces));
    EXPECT_FALSE(queue_->Next().has_value()) << "none is under way";
  }

  SimulatedWorld world_{Milliseconds(1)};
  std::unique_ptr<Session> session_;
  std::map<uint64_t, std::vector<std::byte>> memory_;
  std::map<uint64_t, uint64_t> offsets_;
  std::map<uint64_t, size_t> taken_;
  uint64_t tag_ = 0;
  std::unique_ptr<ReadQueue> queue_;
};

TEST_F(ReadQueueTest, GivesAPieceOfOneReadAndOneOfMany) {
  Open();
  Start(5000, 100);
  Start(333, 50'000);
  EXPECT_EQ(TakeRight() + TakeRight(), 50'100u);
  EXPECT_FALSE(queue_->Next().has_value());
}

TEST_F(ReadQueueTest, HasAllSlotsInFlightAtOnce) {
  Open();
  const absl::Time begin = world_.network().now();
  for (uint64_t i = 0; i < 8; ++i) Start(i * 10'000, 4096);
  for (int i = 0; i < 8; ++i) TakeRight();
  EXPECT_EQ(world_.network().now() - begin, Milliseconds(2)) << "one round trip";
}

TEST_F(ReadQueueTest, EndsAPieceWhereTheFileEnds) {
  Open();
  Start(kSize - 10, 4096);
  Start(kSize - 10'000, 30'000);
  Start(kSize, 100);
  Start(kSize + 12'345, 100);
  for (int i = 0; i < 4; ++i) TakeRight();
}

TEST_F(ReadQueueTest, APieceOfNothingIsDoneAtOnce) {
  Open();
  Start(5, 0);
  EXPECT_EQ(TakeRight(), 0u);
  EXPECT_EQ(world_.server().log().counters().reads, 0u);
}

TEST_F(ReadQueueTest, TakesNoMorePiecesThanItHasRoomFor) {
  Open();
  for (uint32_t i = 0; i < kMost; ++i) {
    ASSERT_TRUE(queue_->CanStart());
    Start(i, 10);
  }
  EXPECT_FALSE(queue_->CanStart());
  TakeRight();
  EXPECT_TRUE(queue_->CanStart());
}

TEST_F(ReadQueueTest, FlushSendsWithoutWaiting) {
  Open();
  Start(0, 100);
  const absl::Time begin = world_.network().now();
  queue_->Flush();
  EXPECT_EQ(world_.network().now(), begin);
  while (world_.network().RunNext(begin + Milliseconds(1))) {
  }
  EXPECT_EQ(world_.server().log().counters().reads, 1u);
  TakeRight();
}

TEST_F(ReadQueueTest, MayBeDroppedWithPiecesUnderWay) {
  Open();
  for (int i = 0; i < 10; ++i) Start(static_cast<uint64_t>(i) * 1000, 20'000);
  TakeRight();
  queue_.reset();
  memory_.clear();
}

struct Trouble {
  const char* name;
  const char* rules;
  friend void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }
};

class ReadQueueTroubles : public ReadQueueTest, public testing::WithParamInterface<Trouble> {};

TEST_P(ReadQueueTroubles, AreSurvivedByEveryPiece) {
  Open(GetParam().rules);
  for (uint64_t seed = 1; seed <= 5 && !HasFailure(); ++seed) {
    taken_.clear();
    ReadAtRandom(seed, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, ReadQueueTroubles,
                         testing::Values(Trouble{"None", ""},
                                         Trouble{"ShortReads", "READ every=3 short=1000"},
                                         Trouble{"Jukebox", "READ nth=5 jukebox=9"},
                                         Trouble{"NoAttributes", "READ noattr"},
                                         Trouble{"EarlyEof", "READ every=9 eof=true short=500"},
                                         Trouble{"Delays", "READ every=5 delay=20ms"}),
                         [](const testing::TestParamInfo<Trouble>& tested) {
                           return std::string(tested.param.name);
                         });

TEST_F(ReadQueueTest, AnErrorIsTheEndOfAllPieces) {
  Open("READ offset=50000.. status=IO");
  for (uint64_t i = 0; i < 10; ++i) Start(i * 10'000, 4096);
  int errors = 0;
  while (const std::optional<ReadQueue::Done> done = queue_->Next()) {
    if (done->status.ok()) continue;
    EXPECT_EQ(NfsStatusOf(done->status), nfs3::Status::kIo) << done->status;
    EXPECT_EQ(done->bytes, 0u);
    ++errors;
  }
  EXPECT_GE(errors, 5);
  EXPECT_EQ(queue_->under_way(), 0u);
}

TEST_F(ReadQueueTest, AFileThatIsRewrittenIsAnError) {
  Open("READ nth=2 rewrite");
  Start(0, 4096);
  TakeRight();
  absl::Status status;
  for (uint64_t i = 1; i <= 2 && status.ok(); ++i) {
    Start(i * 4096, 4096);
    status = queue_->Next()->status;
  }
  EXPECT_EQ(KindOf(status), ErrorKind::kFileChanged) << status;
}

}  // namespace
}  // namespace nfs
