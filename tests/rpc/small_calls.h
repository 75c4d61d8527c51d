// A small channel, calls of any length, and replies that come whole.
#ifndef TESTS_RPC_SMALL_CALLS_H_
#define TESTS_RPC_SMALL_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/sent_calls.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/types.h"

namespace rpc {

// Arguments of any length.
struct SomeArgs {
  xdr::OpaqueView<1 << 20> bytes;
  static void Describe(auto& coder, auto& self) { coder.Field("bytes", self.bytes); }
};

// A timeout of 10 seconds, and 2 retransmissions.
inline Channel::Options SmallOptions(int slots = 4) {
  Channel::Options options;
  options.slots = slots;
  options.call_bytes = 512;
  options.results_bytes = 1024;
  options.timeout = absl::Seconds(10);
  options.retransmissions = 2;
  options.xid_seed = 77;
  return options;
}

inline void CallWith(Channel& channel, uint64_t tag, const Bytes& args,
                     absl::Time now = TestTime()) {
  Request request;
  request.procedure = kTestRead;
  request.tag = tag;
  channel.Call(request, SomeArgs{xdr::OpaqueView<1 << 20>(args)}, now);
}

inline void Call(Channel& channel, uint64_t tag, absl::Time now = TestTime()) {
  CallWith(channel, tag, Pattern(tag % 20, static_cast<uint32_t>(tag)), now);
}

// Calls it and sends it; what was sent.
inline SentCall CallAndSend(Channel& channel, uint64_t tag, absl::Time now = TestTime()) {
  Call(channel, tag, now);
  const std::vector<SentCall> calls = SendAllCalls(channel, now);
  EXPECT_EQ(calls.size(), 1u);
  return calls.back();
}

// The largest call that fits into SmallOptions().call_bytes, with AUTH_NONE.
inline Bytes LargestArgs() { return Pattern(512 - 4 - 40 - 4); }

// The tags of the replies in the stream.
inline std::vector<uint64_t> ReceiveStream(Channel& channel, xdr::ByteView stream) {
  std::vector<uint64_t> tags;
  Feed(channel, stream, Whole(), Waits::kForAByte, [&] {
    while (std::optional<Reply> reply = channel.NextReply()) tags.push_back(reply->tag);
    return channel.status().ok();
  });
  return tags;
}

inline std::vector<uint64_t> ReceiveReplyTo(Channel& channel, uint32_t xid) {
  return ReceiveStream(channel, AsRecord(SuccessReply(xid, {})));
}

inline std::vector<uint64_t> ReceiveReplyTo(Channel& channel, const SentCall& call) {
  return ReceiveReplyTo(channel, call.header.xid);
}

// What is equal in a call that is sent again.
inline std::vector<Bytes> Records(const std::vector<SentCall>& calls) {
  std::vector<Bytes> records;
  for (const SentCall& call : calls) records.push_back(call.record);
  return records;
}

}  // namespace rpc

#endif  // TESTS_RPC_SMALL_CALLS_H_
