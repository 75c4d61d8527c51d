// A channel with calls in flight, and everything that comes of them.
#ifndef TESTS_RPC_EXCHANGE_H_
#define TESTS_RPC_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/sent_calls.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/types.h"

namespace rpc {

inline constexpr Procedure kTestRead = {100003, 3, 6, "READ"};

// The arguments of a procedure that has none.
struct NoArgs {
  static void Describe(auto&, auto&) {}
};

// A reply, with copies of what it points to.
struct Outcome {
  uint64_t tag = 0;
  absl::Status status;
  Bytes results;
  Bytes payload;

  bool operator==(const Outcome&) const = default;
};

inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  const auto shown = [](const Bytes& bytes) {
    const size_t size = std::min<size_t>(bytes.size(), 40);
    return std::to_string(bytes.size()) + " bytes " +
           absl::BytesToHexString(xdr::TextOf(xdr::ByteView(bytes).first(size)));
  };
  *out << "{tag " << outcome.tag << ", " << outcome.status << ", results " << shown(outcome.results)
       << ", payload " << shown(outcome.payload) << "}\n";
}

// Memory for a payload, with guard bytes before and behind it.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t size) : bytes_(kGuard + size + kGuard, kUntouched) {}

  std::span<std::byte> span() {
    return std::span(bytes_).subspan(kGuard, bytes_.size() - 2 * kGuard);
  }
  // Whether everything is untouched but the first `size` bytes of span().
  bool OnlyTouchedIn(size_t size) const {
    const std::vector<std::byte> untouched(bytes_.size() - size, kUntouched);
    return std::memcmp(bytes_.data(), untouched.data(), kGuard) == 0 &&
           std::memcmp(bytes_.data() + kGuard + size, untouched.data(),
                       bytes_.size() - kGuard - size) == 0;
  }

 private:
  static constexpr size_t kGuard = 32;
  static constexpr std::byte kUntouched{0xa5};

  std::vector<std::byte> bytes_;
};

// Calls have the tags 0, 1, 2, ...
class Exchange {
 public:
  explicit Exchange(const Channel::Options& options)
      : foresees_(options.foresee_from <= options.payload_bytes), channel_(options) {}

  Channel& channel() { return channel_; }

  // A call whose reply has no payload, or, with `memory_bytes`, one of READ.
  void Call(std::optional<size_t> memory_bytes) {
    Request request;
    request.procedure = kTestRead;
    request.tag = memory_.size();
    GuardedMemory& memory = memory_.emplace_back(memory_bytes.value_or(0));
    if (memory_bytes.has_value()) {
      request.locate = &LocateReadData;
      request.payload = memory.span();
    }
    channel_.Call(request, NoArgs(), TestTime());
  }

  // Sends what there is to send; the xids of the calls, in the order of the calls.
  std::vector<uint32_t> SendCalls() {
    std::vector<uint32_t> xids;
    for (const SentCall& call : SendAllCalls(channel_)) xids.push_back(call.header.xid);
    return xids;
  }

  // All of `stream`, unless the channel fails on the way.
  void Receive(xdr::ByteView stream, const Pieces& pieces, Waits waits = Waits::kForAByte) {
    const size_t received = Feed(channel_, stream, pieces, waits, [this] {
      while (std::optional<Reply> reply = channel_.NextReply()) Note(*reply);
      return channel_.status().ok();
    });
    const size_t expected = channel_.status().ok() ? stream.size() : received;
    EXPECT_EQ(received, expected) << "more was promised than there is";
  }

  // In the order of the replies.
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  void Note(const Reply& reply) {
    ASSERT_LT(reply.tag, memory_.size());
    GuardedMemory& memory = memory_[reply.tag];
    ASSERT_LE(reply.payload_bytes, memory.span().size());
    const std::span<std::byte> payload = memory.span().first(reply.payload_bytes);
    outcomes_.push_back({reply.tag, reply.status, Bytes(reply.results.begin(), reply.results.end()),
                         Bytes(payload.begin(), payload.end())});
    EXPECT_EQ(reply.called, TestTime());
    const bool is_kept_clean = reply.status.ok() && !foresees_;
    const size_t may_touch = is_kept_clean ? payload.size() : memory.span().size();
    EXPECT_TRUE(memory.OnlyTouchedIn(may_touch)) << "payload memory of call " << reply.tag;
  }

  const bool foresees_;
  Channel channel_;
  std::deque<GuardedMemory> memory_;  // by tag
  std::vector<Outcome> outcomes_;
};

}  // namespace rpc

#endif  // TESTS_RPC_EXCHANGE_H_
