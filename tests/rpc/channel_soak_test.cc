// Random worlds: calls, replies in any order, lost, late and sent twice, cut anywhere, with
// sends and receives that are under way while everything else goes on. Every call gets its
// own reply, once.
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/sent_calls.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/decoder.h"

namespace rpc {
namespace {

constexpr size_t kPayloadBytes = 3000;

struct TagArgs {
  uint64_t tag = 0;
  static void Describe(auto& coder, auto& self) { coder.Field("tag", self.tag); }
};

// What the server says to a call depends on its tag alone, so that it says the same when it
// is asked again, and the client knows what to expect.
enum class Kind : uint8_t { kRead, kReadTooLong, kFailedRead, kPlain, kSystemErr };

Kind KindOf(uint64_t tag) { return static_cast<Kind>((tag * 2654435761u >> 8) % 5); }

Bytes DataOf(uint64_t tag) {
  const auto seed = static_cast<uint32_t>(tag);
  const bool too_long = KindOf(tag) == Kind::kReadTooLong;
  return Pattern(too_long ? kPayloadBytes + tag % 99 + 1 : tag * 7919 % (kPayloadBytes + 1), seed);
}

Bytes ReplyTo(uint64_t tag, uint32_t xid) {
  const Verifier verifier{2, Pattern(tag % 5 == 0 ? tag % 401 : 0)};
  switch (KindOf(tag)) {
    case Kind::kRead:
    case Kind::kReadTooLong:
      return SuccessReply(xid, ReadResults(DataOf(tag), tag % 2 == 0), verifier);
    case Kind::kFailedRead: return SuccessReply(xid, Words({70, 0}), verifier);
    case Kind::kPlain: return SuccessReply(xid, Pattern(tag % 50 * 4), verifier);
    case Kind::kSystemErr: return FailedReply(xid, 5);
  }
  return {};
}

Outcome OutcomeOf(uint64_t tag) {
  switch (KindOf(tag)) {
    case Kind::kRead:
    case Kind::kReadTooLong: {
      Bytes data = DataOf(tag);
      const auto announced = static_cast<uint32_t>(data.size());
      data.resize(std::min(data.size(), kPayloadBytes));
      return {tag, absl::OkStatus(), ReadResultsHead(announced, tag % 2 == 0, false), data};
    }
    case Kind::kFailedRead: return {tag, absl::OkStatus(), Words({70, 0}), {}};
    case Kind::kPlain: return {tag, absl::OkStatus(), Pattern(tag % 50 * 4), {}};
    case Kind::kSystemErr: break;
  }
  return {tag, absl::InternalError("RPC: SYSTEM_ERR (5): the server met a system error"), {}, {}};
}

// The network and a server that answers what it likes, when it likes.
class Server {
 public:
  explicit Server(Random& random) : random_(random) {}

  void Receive(xdr::ByteView bytes) {
    Append(from_client_, bytes);
    for (SentCall& call : TakeCalls(from_client_)) Note(std::move(call));
  }

  // Answers one of the calls, or loses it, or answers it and keeps it.
  void Answer() {
    if (calls_.empty()) return;
    std::swap(calls_[Draw(random_, 0, calls_.size() - 1)], calls_.back());
    const auto [tag, xid] = calls_.back();
    calls_.pop_back();
    const size_t fate = Draw(random_, 0, 9);
    if (fate == 0 && lost_[tag]++ < 2) return;
    Send(ReplyTo(tag, xid));
    if (fate == 1) calls_.push_back({tag, xid});
  }

  void SayNonsense() {
    Bytes message = SuccessReply(static_cast<uint32_t>(random_()), ReadResults(Pattern(99)));
    if (Draw(random_, 0, 1) == 0) message.resize(Draw(random_, 0, 12));
    // A guess may be right once in some billion times, but for the seeds it is not.
    Send(message);
  }

  Bytes& to_client() { return to_client_; }
  uint64_t messages_sent() const { return messages_sent_; }

 private:
  void Note(SentCall call) {
    const uint64_t tag = xdr::Decoder(call.args).Get<TagArgs>().tag;
    const Bytes& first = first_.try_emplace(tag, call.record).first->second;
    EXPECT_EQ(first, call.record) << "a call sent again looks different";
    const bool owns_xid = xids_.try_emplace(call.header.xid, tag).first->second == tag;
    EXPECT_TRUE(owns_xid) << "an xid used twice";
    calls_.push_back({tag, call.header.xid});
  }

  void Send(const Bytes& message) {
    Append(to_client_, AsRandomRecord(message, random_));
    ++messages_sent_;
  }

  Random& random_;
  Bytes from_client_;
  Bytes to_client_;
  std::vector<std::pair<uint64_t, uint32_t>> calls_;  // tag and xid
  std::map<uint64_t, Bytes> first_;                   // by tag: the call as it first came
  std::map<uint32_t, uint64_t> xids_;
  std::map<uint64_t, int> lost_;  // by tag
  uint64_t messages_sent_ = 0;
};

class World {
 public:
  explicit World(uint64_t seed) : random_(seed), server_(random_), channel_(Options(random_)) {
    channel_.set_receive_ahead(Draw(random_, 4, 5000));
  }

  void Run() {
    for (int step = 0; step < 2000 && channel_.status().ok(); ++step) Step(Draw(random_, 0, 99));
    accepts_calls_ = false;
    for (int step = 0; step < 100000 && !IsQuiet(); ++step) Step(Draw(random_, 0, 99));
    EXPECT_TRUE(channel_.status().ok()) << channel_.status();
    EXPECT_EQ(channel_.calls_in_flight(), 0);
    EXPECT_EQ(replies_, next_tag_) << "calls without a reply";
    EXPECT_EQ(channel_.counters().unexpected_replies + replies_, server_.messages_sent());
  }

 private:
  static Channel::Options Options(Random& random) {
    Channel::Options options;
    options.slots = static_cast<int>(Draw(random, 1, 9));
    options.call_bytes = 512;
    options.results_bytes = 4096;
    options.payload_bytes = kPayloadBytes;
    options.timeout = absl::Seconds(10);
    options.retransmissions = 1000000;
    options.xid_seed = static_cast<uint32_t>(random());
    return options;
  }

  void Step(size_t dice) {
    if (dice < 20) return Call();
    if (dice < 35) return dice < 28 ? StartSend() : FinishSend();
    if (dice < 55) return server_.Answer();
    if (dice < 57) return accepts_calls_ ? server_.SayNonsense() : void();
    if (dice < 95) return Receive();
    if (dice < 97) return channel_.set_receive_ahead(Draw(random_, 4, 5000));
    now_ += absl::Seconds(Draw(random_, 0, 4));
    channel_.OnTimeout(now_);
  }

  void Call() {
    if (!channel_.CanCall() || !accepts_calls_) return;
    Request request;
    request.procedure = kTestRead;
    request.tag = next_tag_++;
    const Kind kind = KindOf(request.tag);
    GuardedMemory& memory = memory_.try_emplace(request.tag, kPayloadBytes).first->second;
    if (kind != Kind::kPlain) {
      request.locate = &LocateReadData;
      request.payload = memory.span();
    }
    channel_.Call(request, TagArgs{request.tag}, now_);
  }

  // The server has the bytes now; the channel is told later.
  void StartSend() {
    if (sending_ != 0) return;
    const xdr::ByteView bytes = channel_.SendBytes();
    if (bytes.empty()) return;
    sending_ = Draw(random_, 1, bytes.size());
    server_.Receive(bytes.first(sending_));
  }

  void FinishSend() { channel_.OnSent(std::exchange(sending_, 0)); }

  // Ends the receive that is under way, and starts the next.
  void Receive() {
    Bytes& stream = server_.to_client();
    if (stream.empty()) return;
    if (!receiving_) spans_ = channel_.GetReceiveSpans();
    const size_t there = Draw(random_, 1, std::min<size_t>(stream.size(), 4000));
    const size_t size = CopyInto(spans_, xdr::ByteView(stream).first(there));
    stream.erase(stream.begin(), stream.begin() + size);
    channel_.OnReceived(size);
    while (std::optional<Reply> reply = channel_.NextReply()) Check(*reply);
    receiving_ = channel_.status().ok() && Draw(random_, 0, 1) == 0;
    if (receiving_) spans_ = channel_.GetReceiveSpans();
  }

  void Check(const Reply& reply) {
    ++replies_;
    const auto memory = memory_.find(reply.tag);
    ASSERT_NE(memory, memory_.end()) << "a reply to no call, or a second one";
    const auto payload = memory->second.span().first(reply.payload_bytes);
    const Outcome outcome = {reply.tag, reply.status,
                             Bytes(reply.results.begin(), reply.results.end()),
                             Bytes(payload.begin(), payload.end())};
    EXPECT_EQ(outcome, OutcomeOf(reply.tag));
    EXPECT_TRUE(memory->second.OnlyTouchedIn(payload.size()));
    memory_.erase(memory);
  }

  bool IsQuiet() {
    return !channel_.status().ok() ||
           (channel_.calls_in_flight() == 0 && server_.to_client().empty());
  }

  Random random_;
  Server server_;
  Channel channel_;
  absl::Time now_ = TestTime();
  bool accepts_calls_ = true;
  uint64_t next_tag_ = 0;
  uint64_t replies_ = 0;
  size_t sending_ = 0;
  bool receiving_ = false;
  ReceiveSpans spans_;
  std::map<uint64_t, GuardedMemory> memory_;  // by tag, of calls without a reply yet
};

class ChannelSoak : public testing::TestWithParam<uint64_t> {};

TEST_P(ChannelSoak, EveryCallGetsItsReplyOnce) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  World(GetParam()).Run();
}

INSTANTIATE_TEST_SUITE_P(Seed, ChannelSoak, testing::Range<uint64_t>(1, 401));

}  // namespace
}  // namespace rpc
