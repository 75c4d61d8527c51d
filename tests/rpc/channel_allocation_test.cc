// After a channel is made, calls and replies allocate nothing. A program of its own, since
// it replaces operator new for everything in it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rpc/auth.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/wire.h"

namespace {

uint64_t allocations = 0;

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

namespace rpc {
namespace {

constexpr size_t kSlots = 16;
constexpr size_t kPayloadBytes = 4096;
constexpr absl::Duration kTimeout = absl::Seconds(10);

// Receives `bytes`, in two pieces, and returns how many replies there were in them.
size_t ReceiveAll(Channel& channel, xdr::ByteView bytes) {
  size_t replies = 0;
  size_t received = 0;
  while (received < bytes.size()) {
    const size_t end = received < bytes.size() / 2 ? bytes.size() / 2 : bytes.size();
    const size_t size =
        CopyInto(channel.GetReceiveSpans(), bytes.subspan(received, end - received));
    channel.OnReceived(size);
    received += size;
    while (std::optional<Reply> reply = channel.NextReply()) {
      EXPECT_TRUE(reply->status.ok());
      ++replies;
    }
  }
  return replies;
}

// Calls that are all of one size, in rounds: their xids are found without decoding them.
class Rounds {
 public:
  Rounds()
      : channel_(Options()),
        memory_(kSlots * kPayloadBytes),
        record_(AsRecord(SuccessReply(0, ReadResults(Pattern(kPayloadBytes)), {2, Pattern(5)}))),
        sent_(kSlots * Options().call_bytes) {}

  static Channel::Options Options() {
    Channel::Options options;
    options.slots = kSlots;
    options.payload_bytes = kPayloadBytes;
    options.timeout = kTimeout;
    options.credentials = AuthSys({1, 2, {3, 4, 5}}, "host", 6);
    return options;
  }

  Channel& channel() { return channel_; }
  size_t replies() const { return replies_; }

  // Uses all slots.
  void Call() {
    while (channel_.CanCall()) {
      Request request;
      request.procedure = kTestRead;
      request.tag = calls_++;
      request.locate = &LocateReadData;
      request.payload = std::span(memory_).subspan(calls_ % kSlots * kPayloadBytes, kPayloadBytes);
      channel_.Call(request, NoArgs(), now_);
    }
  }

  void Send() {
    const xdr::ByteView bytes = channel_.SendBytes();
    std::ranges::copy(bytes, sent_.begin());
    call_bytes_ = bytes.size() / channel_.calls_in_flight();
    channel_.OnSent(bytes.size(), now_);
  }

  // Calls that were queued again, and answered before they left.
  void SendUnasked() { channel_.OnSent(channel_.SendBytes().size(), now_); }

  // The replies to what was sent from the `first` of all, up to the `end`.
  void AnswerFrom(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      SetXid(i);
      replies_ += ReceiveAll(channel_, record_);
    }
  }

  // All calls but the last are overdue, and that is answered: they are queued again.
  void SendAgain() {
    AnswerFrom(kSlots - 1, kSlots);
    now_ += kTimeout;
    EXPECT_TRUE(channel_.OnTimeout(now_, now_));
  }

  // The connection is lost in the midst of a reply.
  void Lose() {
    SetXid(0);
    EXPECT_EQ(ReceiveAll(channel_, xdr::ByteView(record_).first(record_.size() / 2)), 0u);
    channel_.OnConnectionLost(now_);
  }

 private:
  void SetXid(size_t i) { std::memcpy(record_.data() + 4, sent_.data() + i * call_bytes_ + 4, 4); }

  Channel channel_;
  Bytes memory_;
  Bytes record_;
  Bytes sent_;
  size_t call_bytes_ = 0;
  absl::Time now_ = TestTime();
  uint64_t calls_ = 0;
  size_t replies_ = 0;
};

TEST(AChannel, AllocatesNothingInTenThousandCallsAndReplies) {
  Rounds rounds;
  const uint64_t before = allocations;
  while (rounds.replies() < 10000) {
    rounds.Call();
    rounds.Send();
    rounds.AnswerFrom(0, kSlots);
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(rounds.channel().counters().unexpected_replies, 0u);
}

TEST(AChannel, AllocatesNothingInResends) {
  Rounds rounds;
  const uint64_t before = allocations;
  for (uint64_t round = 1; round <= 100; ++round) {
    rounds.Call();
    rounds.Send();
    rounds.SendAgain();
    EXPECT_EQ(rounds.channel().counters().retransmissions, round * (kSlots - 1));
    if (round % 2 == 0) rounds.Send();
    rounds.AnswerFrom(0, kSlots - 1);
    EXPECT_EQ(rounds.replies(), round * kSlots);
    rounds.SendUnasked();
  }
  EXPECT_EQ(allocations - before, 0u);
}

TEST(AChannel, AllocatesNothingWhenItsConnectionIsLost) {
  Rounds rounds;
  const uint64_t before = allocations;
  for (uint64_t round = 1; round <= 100; ++round) {
    rounds.Call();
    rounds.Send();
    if (round % 2 == 0) rounds.SendAgain();
    rounds.Lose();
    EXPECT_EQ(rounds.channel().calls_in_flight(), static_cast<int>(kSlots - (round % 2 == 0)));
    rounds.Send();
    rounds.AnswerFrom(0, kSlots - (round % 2 == 0));
    EXPECT_EQ(rounds.replies(), round * kSlots);
  }
  rounds.Call();
  rounds.Send();
  rounds.channel().OnConnectionLost(TestTime());
  rounds.channel().ForgetCalls();
  rounds.channel().RenewCredentials();
  EXPECT_EQ(rounds.channel().calls_in_flight(), 0);
  EXPECT_EQ(allocations - before, 0u);
}

TEST(AChannel, HasTheCounterCounting) {
  const uint64_t before = allocations;
  std::vector<int> numbers(10);
  EXPECT_EQ(allocations - before, 1u);
}

// No record makes a channel allocate for it, whatever length it claims.
TEST(AChannel, AllocatesNothingButAnErrorTextForARecordOfAbsurdLength) {
  for (uint32_t mark : {0xffffffffu, 0x7fffffffu, 0x48545450u}) {
    Channel channel(Channel::Options{});
    const Bytes stream = Words({mark, 1, 2, 3});
    channel.OnReceived(CopyInto(channel.GetReceiveSpans(), stream));
    const uint64_t before = allocations;
    EXPECT_FALSE(channel.NextReply().has_value());
    EXPECT_EQ(channel.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_LT(allocations - before, 10u);
  }
}

}  // namespace
}  // namespace rpc
