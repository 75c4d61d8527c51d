// Reads what a channel sends as a server would: strictly, record by record.
#ifndef TESTS_RPC_SENT_CALLS_H_
#define TESTS_RPC_SENT_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "rpc/message.h"
#include "tests/rpc/segmented_feed.h"
#include "xdr/decoder.h"
#include "xdr/wire.h"

namespace rpc {

inline absl::Time TestTime(int64_t seconds = 0) { return absl::FromUnixSeconds(1000 + seconds); }

struct SentCall {
  CallHeader header;
  Bytes args;
  Bytes record;  // all of it, with its mark
};

// The calls in `stream`, whose complete records it drops from the stream's front. Every
// call is one record of one fragment.
inline std::vector<SentCall> TakeCalls(Bytes& stream) {
  std::vector<SentCall> calls;
  size_t begin = 0;
  while (stream.size() - begin >= 4) {
    const uint32_t mark = xdr::LoadUint32(stream.data() + begin);
    EXPECT_NE(mark & 0x80000000, 0u) << "not a last fragment";
    const size_t record_bytes = 4 + (mark & 0x7fffffff);
    if (stream.size() - begin < record_bytes) break;
    SentCall call;
    call.record.assign(stream.begin() + begin, stream.begin() + begin + record_bytes);
    xdr::Decoder decoder(xdr::ByteView(call.record).subspan(4));
    call.header = decoder.Get<CallHeader>();
    EXPECT_TRUE(decoder.ok()) << decoder.status();
    EXPECT_EQ(call.header.type, MessageType::kCall);
    EXPECT_EQ(call.header.rpc_version, 2u);
    call.args.assign(decoder.rest().begin(), decoder.rest().end());
    calls.push_back(std::move(call));
    begin += record_bytes;
  }
  stream.erase(stream.begin(), stream.begin() + begin);
  return calls;
}

// Everything that `channel` has to send, sent.
inline Bytes SendAll(Channel& channel, absl::Time now = TestTime()) {
  Bytes stream;
  for (xdr::ByteView bytes = channel.SendBytes(); !bytes.empty(); bytes = channel.SendBytes()) {
    Append(stream, bytes);
    channel.OnSent(bytes.size(), now);
  }
  return stream;
}

inline std::vector<SentCall> SendAllCalls(Channel& channel, absl::Time now = TestTime()) {
  Bytes stream = SendAll(channel, now);
  std::vector<SentCall> calls = TakeCalls(stream);
  EXPECT_TRUE(stream.empty()) << "sent half a call";
  return calls;
}

}  // namespace rpc

#endif  // TESTS_RPC_SENT_CALLS_H_
