// After a channel is made, calls and replies allocate nothing. A program of its own, since
// it replaces operator new for everything in it.
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

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

TEST(AChannel, AllocatesNothingInTenThousandCallsAndReplies) {
  Channel::Options options;
  options.slots = kSlots;
  options.payload_bytes = kPayloadBytes;
  options.timeout = absl::Seconds(10);
  options.credentials = AuthSys({1, 2, {3, 4, 5}}, "host", 6);
  Channel channel(options);
  Bytes memory(kSlots * kPayloadBytes);
  Bytes record = AsRecord(SuccessReply(0, ReadResults(Pattern(kPayloadBytes)), {2, Pattern(5)}));
  Bytes sent(kSlots * options.call_bytes);

  absl::Time now = TestTime();
  size_t replies = 0;
  const uint64_t before = allocations;
  for (uint64_t call = 0; replies < 10000; now += absl::Seconds(1)) {
    while (channel.CanCall()) {
      Request request;
      request.procedure = kTestRead;
      request.tag = call++;
      request.locate = &LocateReadData;
      request.payload = std::span(memory).subspan(call % kSlots * kPayloadBytes, kPayloadBytes);
      channel.Call(request, NoArgs(), now);
    }
    const xdr::ByteView bytes = channel.SendBytes();
    std::ranges::copy(bytes, sent.begin());
    channel.OnSent(bytes.size());
    if (call % 3 == 0) {  // a round in which all calls are sent twice
      now += options.timeout;
      channel.OnTimeout(now);
    }
    // The calls are all of one size: their xids are found without decoding them.
    const size_t call_bytes = bytes.size() / kSlots;
    for (size_t i = 0; i < kSlots; ++i) {
      std::memcpy(record.data() + 4, sent.data() + i * call_bytes + 4, 4);
      replies += ReceiveAll(channel, record);
    }
    channel.OnSent(channel.SendBytes().size());
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_GE(channel.counters().retransmissions, kSlots);
  EXPECT_EQ(channel.counters().unexpected_replies, 0u);
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
