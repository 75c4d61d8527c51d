#include "tests/server/conversation.h"

#include <cstring>
#include <utility>

#include "gtest/gtest.h"
#include "xdr/wire.h"

namespace server {

namespace {

constexpr uint32_t kLastFragment = 0x80000000;

}  // namespace

rpc::OpaqueAuth User(uint32_t uid, uint32_t gid, std::vector<uint32_t> groups) {
  return rpc::AuthSys({uid, gid, std::move(groups)}, "client.example", 7);
}

bool SameBytes(xdr::ByteView one, xdr::ByteView other) {
  return xdr::TextOf(one) == xdr::TextOf(other);
}

void Reply::Check(const absl::Status& status) { EXPECT_TRUE(status.ok()) << status; }

Reply DecodeReply(Bytes record) {
  Reply reply;
  reply.record = std::move(record);
  xdr::Decoder decoder(reply.record);
  reply.header = decoder.Get<rpc::ReplyHeader>();
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  reply.results_at = decoder.position();
  return reply;
}

std::vector<Reply> DecodeReplies(xdr::ByteView stream) {
  std::vector<Reply> replies;
  Bytes record;
  while (stream.size() >= 4) {
    const uint32_t mark = xdr::LoadUint32(stream.data());
    const size_t size = mark & ~kLastFragment;
    if (stream.size() - 4 < size) break;
    const xdr::ByteView fragment = stream.subspan(4, size);
    record.insert(record.end(), fragment.begin(), fragment.end());
    stream = stream.subspan(4 + size);
    if ((mark & kLastFragment) != 0) replies.push_back(DecodeReply(std::exchange(record, {})));
  }
  return replies;
}

void Conversation::Feed(xdr::ByteView bytes) { EXPECT_EQ(FeedSome(bytes), bytes.size()); }

size_t Conversation::FeedSome(xdr::ByteView bytes) {
  size_t fed = 0;
  while (fed < bytes.size() && connection_.CanReceive(now_)) {
    const std::span<std::byte> into = connection_.GetReceiveSpan();
    const size_t size = std::min(bytes.size() - fed, into.size());
    std::memcpy(into.data(), bytes.data() + fed, size);
    connection_.OnReceived(size, now_);
    fed += size;
  }
  return fed;
}

Bytes Conversation::TakeBytes() {
  Bytes taken;
  for (;;) {
    size_t size = 0;
    for (xdr::ByteView part : connection_.Sendable(now_)) {
      taken.insert(taken.end(), part.begin(), part.end());
      size += part.size();
    }
    if (size == 0) return taken;
    connection_.OnSent(size, now_);
  }
}

std::vector<Reply> Conversation::Take() {
  std::vector<Reply> replies = DecodeReplies(TakeBytes());
  for (Reply& reply : replies) reply.came = now_;
  return replies;
}

std::vector<Reply> Conversation::TakeDuring(absl::Duration time) {
  std::vector<Reply> all;
  for (const absl::Time end = now_ + time;; now_ = connection_.NextTime()) {
    for (Reply& reply : Take()) all.push_back(std::move(reply));
    if (connection_.NextTime() <= end) continue;
    now_ = end;
    return all;
  }
}

Reply Conversation::Only(std::vector<Reply> replies) {
  EXPECT_EQ(replies.size(), 1u);
  return replies.empty() ? Reply() : std::move(replies[0]);
}

}  // namespace server
