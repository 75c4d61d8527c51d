// Random worlds: calls, replies in any order, lost, late and sent twice, cut anywhere, with
// sends and receives that are under way while everything else goes on, and connections that
// are lost at any time. Every call gets its own reply, once.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
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
constexpr absl::Duration kTimeout = absl::Seconds(10);

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
  return {
      tag, absl::UnavailableError("RPC: SYSTEM_ERR (5): the server met a system error"), {}, {}};
}

// The network and a server that answers what it likes, when it likes. A new connection
// knows nothing of the last one.
class Server {
 public:
  explicit Server(Random& random) : random_(random) {}

  void BeginConnection() {
    from_client_.clear();
    to_client_.clear();
    ends_.clear();
    calls_.clear();
    messages_taken_ = 0;
    sent_bytes_ = taken_bytes_ = 0;
    seen_.clear();
    is_silent_ = false;
  }

  // For as long as the connection lasts.
  void FallSilent() { is_silent_ = true; }

  void Receive(xdr::ByteView bytes) {
    Append(from_client_, bytes);
    for (SentCall& call : TakeCalls(from_client_)) Note(std::move(call));
  }

  // Answers one of the calls, or loses it, or answers it and keeps it.
  void Answer() {
    if (calls_.empty() || is_silent_) return;
    std::swap(calls_[Draw(random_, 0, calls_.size() - 1)], calls_.back());
    const auto [tag, xid] = calls_.back();
    calls_.pop_back();
    const size_t fate = Draw(random_, 0, 9);
    if (fate == 0 && lost_[tag]++ < 2) return;
    Send(ReplyTo(tag, xid));
    if (fate == 1) calls_.push_back({tag, xid});
  }

  void SayNonsense() {
    if (is_silent_) return;
    Bytes message = SuccessReply(static_cast<uint32_t>(random_()), ReadResults(Pattern(99)));
    if (Draw(random_, 0, 1) == 0) message.resize(Draw(random_, 0, 12));
    // A guess may be right once in some billion times, but for the seeds it is not.
    Send(message);
  }

  const Bytes& to_client() const { return to_client_; }
  // The client has received so much of it.
  void TakeToClient(size_t size) {
    to_client_.erase(to_client_.begin(), to_client_.begin() + static_cast<long>(size));
    taken_bytes_ += size;
    for (; !ends_.empty() && ends_.front() <= taken_bytes_; ends_.pop_front()) ++messages_taken_;
  }
  // Messages on this connection that the client has received whole.
  uint64_t messages_taken() const { return messages_taken_; }

 private:
  void Note(SentCall call) {
    const uint64_t tag = xdr::Decoder(call.args).Get<TagArgs>().tag;
    const Bytes& first = first_.try_emplace(tag, call.record).first->second;
    EXPECT_EQ(first, call.record) << "a call sent again looks different";
    const bool owns_xid = xids_.try_emplace(call.header.xid, tag).first->second == tag;
    EXPECT_TRUE(owns_xid) << "an xid used twice";
    if (seen_.insert(tag).second) {
      EXPECT_EQ(tag, *seen_.rbegin()) << "on a connection calls come in their order";
    }
    calls_.push_back({tag, call.header.xid});
  }

  void Send(const Bytes& message) {
    const Bytes record = AsRandomRecord(message, random_);
    Append(to_client_, record);
    sent_bytes_ += record.size();
    ends_.push_back(sent_bytes_);
  }

  Random& random_;
  Bytes from_client_;
  Bytes to_client_;
  std::vector<std::pair<uint64_t, uint32_t>> calls_;  // tag and xid
  std::map<uint64_t, Bytes> first_;                   // by tag: the call as it first came
  std::map<uint32_t, uint64_t> xids_;
  std::map<uint64_t, int> lost_;  // by tag

  // Of this connection.
  bool is_silent_ = false;
  std::set<uint64_t> seen_;    // tags
  std::deque<uint64_t> ends_;  // of the messages to the client, in sent_bytes_
  uint64_t sent_bytes_ = 0;
  uint64_t taken_bytes_ = 0;
  uint64_t messages_taken_ = 0;
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
    EXPECT_EQ(replies_ + forgotten_, next_tag_) << "calls without a reply";
    EXPECT_EQ(CountedOnConnection(), server_.messages_taken());
  }

  // What happened, for a test of the test.
  uint64_t random_losses() const { return random_losses_; }
  uint64_t silences() const { return silences_; }
  uint64_t resends() const { return resends_; }
  uint64_t forgotten() const { return forgotten_; }

 private:
  static Channel::Options Options(Random& random) {
    Channel::Options options;
    options.slots = static_cast<int>(Draw(random, 1, 9));
    options.call_bytes = 512;
    options.results_bytes = 4096;
    options.payload_bytes = kPayloadBytes;
    options.foresee_from = Draw(random, 0, 1) == 0 ? 4 : SIZE_MAX;
    options.timeout = kTimeout;
    options.retransmissions = 1000000;
    options.xid_seed = static_cast<uint32_t>(random());
    return options;
  }

  void Step(size_t dice) {
    if (dice < 20) return Call();
    if (dice < 35) return dice < 28 ? StartSend() : FinishSend();
    if (dice < 57) return LetServerTalk(dice);
    if (dice < 95) return Receive();
    if (dice < 97) return channel_.set_receive_ahead(Draw(random_, 4, 5000));
    if (dice < 98) return Trouble(Draw(random_, 0, 19));
    now_ += absl::Seconds(Draw(random_, 0, 4));
    LookAtTimers();
  }

  void Trouble(size_t dice) {
    if (dice < 5) return LoseAtRandom();
    if (dice == 5) server_.FallSilent();
  }

  void LookAtTimers() {
    const uint64_t before = channel_.counters().retransmissions;
    if (channel_.OnTimeout(now_, last_heard_)) {
      resends_ += channel_.counters().retransmissions - before;
      EXPECT_GT(channel_.NextDeadline(), now_);
    } else {
      EXPECT_GE(now_ - last_heard_, kTimeout);
      EXPECT_GT(channel_.calls_in_flight(), 0);
      ++silences_;
      Lose();
    }
  }

  void LoseAtRandom() {
    ++random_losses_;
    Lose();
    if (Draw(random_, 0, 7) != 0) return;
    channel_.ForgetCalls();
    forgotten_ += memory_.size();
    memory_.clear();
  }

  // Whatever is under way ends with the connection; its spans are not used any more.
  void Lose() {
    EXPECT_GE(CountedOnConnection(), server_.messages_taken());
    EXPECT_LE(CountedOnConnection(), server_.messages_taken() + 1) << "that of half a message";
    counted_before_ += CountedOnConnection();
    sending_ = 0;
    receiving_ = false;
    spans_ = {};
    server_.BeginConnection();
    channel_.OnConnectionLost(now_);
  }

  // Messages that the channel has taken for a reply or for nobody's.
  uint64_t CountedOnConnection() const {
    return channel_.counters().unexpected_replies + replies_ - counted_before_;
  }

  void LetServerTalk(size_t dice) {
    const size_t before = server_.to_client().size();
    if (dice < 55) {
      server_.Answer();
    } else if (accepts_calls_) {
      server_.SayNonsense();
    }
    if (server_.to_client().size() != before) last_heard_ = now_;
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

  void FinishSend() {
    if (sending_ != 0) channel_.OnSent(std::exchange(sending_, 0), now_);
  }

  // Ends the receive that is under way, and starts the next.
  void Receive() {
    const Bytes& stream = server_.to_client();
    if (stream.empty()) return;
    if (!receiving_) spans_ = channel_.GetReceiveSpans();
    const size_t there = Draw(random_, 1, std::min<size_t>(stream.size(), 4000));
    const size_t size = CopyInto(spans_, xdr::ByteView(stream).first(there));
    server_.TakeToClient(size);
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
    EXPECT_TRUE(memory->second.OnlyTouchedIn(kPayloadBytes)) << "beyond the memory";
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
  absl::Time last_heard_ = now_;
  bool accepts_calls_ = true;
  uint64_t next_tag_ = 0;
  uint64_t replies_ = 0;
  uint64_t counted_before_ = 0;  // this connection
  uint64_t forgotten_ = 0;
  uint64_t random_losses_ = 0;
  uint64_t silences_ = 0;
  uint64_t resends_ = 0;
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

TEST(ASoak, MeetsEverythingThatCanHappen) {
  uint64_t random_losses = 0;
  uint64_t silences = 0;
  uint64_t resends = 0;
  uint64_t forgotten = 0;
  for (uint64_t seed = 1001; seed <= 1020; ++seed) {
    World world(seed);
    world.Run();
    random_losses += world.random_losses();
    silences += world.silences();
    resends += world.resends();
    forgotten += world.forgotten();
  }
  EXPECT_GT(random_losses, 50u);
  EXPECT_GT(silences, 10u);
  EXPECT_GT(resends, 10u);
  EXPECT_GT(forgotten, 10u);
}

INSTANTIATE_TEST_SUITE_P(Seed, ChannelSoak, testing::Range<uint64_t>(1, 401));

}  // namespace
}  // namespace rpc
