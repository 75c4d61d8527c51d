// Our channel against a server on libtirpc, over TCP: replies in libtirpc's own fragments,
// many calls in flight, refusals and credentials.
#include "tests/oracle/tirpc_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rpc/auth.h"
#include "rpc/channel.h"
#include "tests/rpc/exchange.h"
#include "tests/rpc/server_bytes.h"
#include "xdr/decoder.h"
#include "xdr/types.h"
#include "xdr/wire.h"

namespace oracle {
namespace {

using rpc::Bytes;
using rpc::Pattern;
using testing::HasSubstr;

struct EchoArgs {
  explicit EchoArgs(xdr::ByteView view) : bytes(view) {}
  xdr::OpaqueView<kMostBytes + 1> bytes;  // one more than the server takes
  static void Describe(auto& coder, auto& self) { coder.Field("bytes", self.bytes); }
};

rpc::PayloadPlace LocateEcho(xdr::ByteView results) {
  rpc::PayloadPlace place;
  place.results_bytes = 4;
  if (results.size() < 4) return place;
  place.found = true;
  place.payload_bytes = xdr::LoadUint32(results.data());
  return place;
}

// Counts record marks in a stream.
class MarkCounter {
 public:
  void Pass(xdr::ByteView bytes) {
    for (std::byte byte : bytes) {
      if (left_ > 0) {
        --left_;
        continue;
      }
      mark_[size_++] = byte;
      if (size_ < mark_.size()) continue;
      size_ = 0;
      const uint32_t mark = xdr::LoadUint32(mark_.data());
      left_ = mark & 0x7fffffff;
      ++fragments_;
      records_ += mark >> 31;
    }
  }
  size_t fragments() const { return fragments_; }
  size_t records() const { return records_; }

 private:
  std::array<std::byte, 4> mark_{};
  size_t size_ = 0;
  size_t left_ = 0;
  size_t fragments_ = 0;
  size_t records_ = 0;
};

rpc::Channel::Options Options() {
  rpc::Channel::Options options;
  options.slots = 8;
  options.call_bytes = kMostBytes + 1024;
  options.payload_bytes = kMostBytes;
  options.credentials = rpc::AuthSys({1000, 100, {4, 24, 27}}, "here", 12345);
  options.xid_seed = 99;
  return options;
}

// A connection to the server with a channel on it. Calls have the tags 0, 1, 2, ...
class Conversation {
 public:
  explicit Conversation(const TirpcServer& server, const rpc::Channel::Options& options = Options())
      : channel_(options), socket_(server.Connect()) {}
  ~Conversation() { close(socket_); }

  rpc::Channel& channel() { return channel_; }
  const MarkCounter& marks() const { return marks_; }

  // A call without payload in its reply, or with `locate` one of up to kMostBytes.
  template <typename Args>
  void Call(const rpc::Procedure& procedure, const Args& args, rpc::PayloadLocator locate = nullptr,
            size_t memory_bytes = 0) {
    while (!channel_.CanCall()) Turn();
    rpc::Request request;
    request.procedure = procedure;
    request.tag = memory_.size();
    request.locate = locate;
    request.payload = memory_.emplace_back(memory_bytes).span();
    outcomes_.emplace_back();
    channel_.Call(request, args, rpc::TestTime());
  }

  // Until all calls have their replies; what came of them, by tag.
  const std::deque<rpc::Outcome>& Finish() {
    while (channel_.calls_in_flight() > 0 && alive_) Turn();
    return outcomes_;
  }

 private:
  // Sends and receives what is possible, and waits until something is.
  void Turn() {
    constexpr int kGiveUpMilliseconds = 60'000;
    const xdr::ByteView to_send = channel_.SendBytes();
    pollfd ready = {socket_, POLLIN, 0};
    if (!to_send.empty()) ready.events |= POLLOUT;
    if (poll(&ready, 1, kGiveUpMilliseconds) != 1) return Die("the server is silent");
    if ((ready.revents & POLLOUT) != 0) Send(to_send);
    if ((ready.revents & POLLIN) != 0) Receive();
    if ((ready.revents & (POLLERR | POLLNVAL)) != 0) Die("the connection is broken");
  }

  void Send(xdr::ByteView bytes) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return Die("send");
    channel_.OnSent(static_cast<size_t>(sent), absl::Now());
  }

  void Receive() {
    const rpc::ReceiveSpans spans = channel_.GetReceiveSpans();
    iovec vectors[] = {{spans.first.data(), spans.first.size()},
                       {spans.second.data(), spans.second.size()}};
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = 2;
    const ssize_t received = recvmsg(socket_, &message, 0);
    if (received <= 0) return Die("the server closed the connection");
    const auto size = static_cast<size_t>(received);
    const size_t first = std::min(size, spans.first.size());
    marks_.Pass(spans.first.first(first));
    marks_.Pass(spans.second.first(size - first));
    channel_.OnReceived(size);
    while (std::optional<rpc::Reply> reply = channel_.NextReply()) Note(*reply);
    if (!channel_.status().ok()) Die(channel_.status().ToString());
  }

  void Note(const rpc::Reply& reply) {
    rpc::GuardedMemory& memory = memory_[reply.tag];
    const auto payload = memory.span().first(reply.payload_bytes);
    outcomes_[reply.tag] = {reply.tag, reply.status,
                            Bytes(reply.results.begin(), reply.results.end()),
                            Bytes(payload.begin(), payload.end())};
    EXPECT_TRUE(memory.OnlyTouchedIn(payload.size()));
  }

  void Die(const std::string& why) {
    alive_ = false;
    GTEST_FAIL() << why;
  }

  rpc::Channel channel_;
  const int socket_;
  bool alive_ = true;
  MarkCounter marks_;
  std::deque<rpc::GuardedMemory> memory_;  // by tag
  std::deque<rpc::Outcome> outcomes_;      // by tag
};

// --- Data ------------------------------------------------------------------------

// What a server is built with, and how the channel receives from it.
struct Setting {
  uint32_t send_bytes;  // of the server; 0 is libtirpc's default
  size_t receive_ahead;
};

class ATirpcServer : public testing::TestWithParam<Setting> {
 protected:
  ATirpcServer() : server_(GetParam().send_bytes), conversation_(server_) {
    conversation_.channel().set_receive_ahead(GetParam().receive_ahead);
  }

  void Give(uint32_t count, bool attributes, size_t memory_bytes) {
    const GiveArgs args{count, static_cast<uint32_t>(gives_.size()), attributes};
    gives_.push_back(args);
    conversation_.Call(kGive, args, &rpc::LocateReadData, memory_bytes);
  }

  // Every GIVE has got what it asked for, cut to `memory_bytes`.
  void ExpectGiven(size_t memory_bytes) {
    const std::deque<rpc::Outcome>& outcomes = conversation_.Finish();
    ASSERT_EQ(outcomes.size(), gives_.size());
    for (size_t i = 0; i < gives_.size(); ++i) {
      const GiveArgs& args = gives_[i];
      Bytes data = Pattern(args.count, args.seed);
      data.resize(std::min(data.size(), memory_bytes));
      EXPECT_TRUE(outcomes[i].status.ok()) << outcomes[i].status;
      EXPECT_EQ(outcomes[i].results, rpc::ReadResultsHead(args.count, args.attributes, false));
      EXPECT_TRUE(outcomes[i].payload == data) << args.count << " bytes";
    }
    EXPECT_EQ(conversation_.channel().counters().unexpected_replies, 0u);
    EXPECT_EQ(conversation_.marks().records(), gives_.size());
  }

  TirpcServer server_;
  Conversation conversation_;
  std::vector<GiveArgs> gives_;
};

TEST_P(ATirpcServer, GivesDataOfEverySizeWithManyCallsInFlight) {
  for (uint32_t count = 0; count < 300; ++count) Give(count, count % 2 == 0, 300);
  ExpectGiven(300);
}

TEST_P(ATirpcServer, CutsLargeDataIntoFragmentsOfItsOwn) {
  for (uint32_t around : {400u, 1000u, 4000u, 8192u, 9000u, 32768u, 65536u, 262144u, kMostBytes}) {
    for (uint32_t count : {around - 133, around - 5, around - 4, around - 1, around}) {
      Give(count, count % 2 == 0, kMostBytes);
    }
  }
  ExpectGiven(kMostBytes);
  EXPECT_GT(conversation_.marks().fragments(), 2 * conversation_.marks().records());
}

TEST_P(ATirpcServer, MayGiveMoreThanThereIsMemoryFor) {
  for (uint32_t count : {1u, 99u, 100u, 101u, 5000u, 200'000u, 7u}) Give(count, true, 100);
  ExpectGiven(100);
}

TEST_P(ATirpcServer, EchoesWhatItIsSent) {
  const size_t sizes[] = {0,         1, 2, 3, 4, 5, 399, 4096, 65535, 65536, 65537, kMostBytes - 1,
                          kMostBytes};
  std::vector<Bytes> sent;
  for (size_t size : sizes) sent.push_back(Pattern(size, static_cast<uint32_t>(size)));
  for (const Bytes& bytes : sent) {
    conversation_.Call(kEcho, EchoArgs(bytes), &LocateEcho, bytes.size());
  }
  const std::deque<rpc::Outcome>& outcomes = conversation_.Finish();
  for (size_t i = 0; i < sent.size(); ++i) {
    EXPECT_TRUE(outcomes[i].status.ok()) << outcomes[i].status;
    EXPECT_TRUE(outcomes[i].payload == sent[i]) << sent[i].size() << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Buffers, ATirpcServer,
                         testing::Values(Setting{0, 132}, Setting{0, 256 * 1024}, Setting{400, 4},
                                         Setting{400, 132}, Setting{4000, 256 * 1024},
                                         Setting{65536, 132}),
                         [](const auto& setting) {
                           return "Send" + std::to_string(setting.param.send_bytes) + "Ahead" +
                                  std::to_string(setting.param.receive_ahead);
                         });

// --- Headers ---------------------------------------------------------------------

// The reply to one call without arguments.
rpc::Outcome OutcomeOf(const rpc::Procedure& procedure,
                       const rpc::Channel::Options& options = Options()) {
  const TirpcServer server(0);
  Conversation conversation(server, options);
  conversation.Call(procedure, rpc::NoArgs());
  return conversation.Finish()[0];
}

TEST(ATirpcServersReply, ToNullIsEmpty) {
  const rpc::Outcome outcome = OutcomeOf(kNull);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_TRUE(outcome.results.empty());
}

TEST(ATirpcServersReply, SaysWhoItThinksIsCalling) {
  const rpc::Outcome outcome = OutcomeOf(kWho);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  xdr::Decoder decoder(outcome.results);
  const auto parms = decoder.Get<rpc::AuthSysParms>();
  EXPECT_TRUE(decoder.Finish().ok()) << decoder.Finish();
  EXPECT_EQ(parms.stamp, 12345u);
  EXPECT_EQ(parms.machine_name.text(), "here");
  EXPECT_EQ(parms.uid, 1000u);
  EXPECT_EQ(parms.gid, 100u);
  EXPECT_EQ(parms.gids.elements, (std::vector<uint32_t>{4, 24, 27}));
}

TEST(ATirpcServersReply, TakesTheLargestCredentialsThatWeMake) {
  rpc::Channel::Options options = Options();
  const rpc::Identity identity{1, 2, std::vector<uint32_t>(40, 7)};
  options.credentials = rpc::AuthSys(identity, std::string(300, 'x'), 1);
  const rpc::Outcome outcome = OutcomeOf(kWho, options);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.results.size(), 340u);
}

TEST(ATirpcServersReply, RefusesByTheRfcsNames) {
  rpc::Channel::Options without_credentials = Options();
  without_credentials.credentials = rpc::AuthNone();
  const struct {
    rpc::Outcome outcome;
    absl::StatusCode code;
    const char* text;
  } cases[] = {
      {OutcomeOf(kBreak), absl::StatusCode::kUnavailable, "SYSTEM_ERR (5)"},
      {OutcomeOf(kGive), absl::StatusCode::kDataLoss, "GARBAGE_ARGS (4)"},
      {OutcomeOf({kTestProgram, kTestVersion, 77, "?"}), absl::StatusCode::kUnimplemented,
       "PROC_UNAVAIL (3)"},
      {OutcomeOf({kTestProgram, 9, 0, "?"}), absl::StatusCode::kUnimplemented,
       "it has versions 3 to 3"},
      {OutcomeOf({kTestProgram + 1, 1, 0, "?"}), absl::StatusCode::kUnimplemented,
       "PROG_UNAVAIL (1)"},
      {OutcomeOf(kWho, without_credentials), absl::StatusCode::kUnauthenticated,
       "AUTH_TOOWEAK (5)"},
  };
  for (const auto& [outcome, code, text] : cases) {
    EXPECT_EQ(outcome.status.code(), code) << outcome.status;
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr(text));
  }
}

TEST(ATirpcServersReply, ToAnEchoThatIsTooLongIsARefusalAndTheNextIsRight) {
  const TirpcServer server(0);
  rpc::Channel::Options options = Options();
  options.call_bytes = 2 * kMostBytes;
  Conversation conversation(server, options);
  const Bytes bytes(kMostBytes + 1);
  conversation.Call(kEcho, EchoArgs(bytes), &LocateEcho, 100);
  conversation.Call(kGive, GiveArgs{50, 1, true}, &rpc::LocateReadData, 100);
  const std::deque<rpc::Outcome>& outcomes = conversation.Finish();
  EXPECT_THAT(std::string(outcomes[0].status.message()), HasSubstr("GARBAGE_ARGS"));
  EXPECT_EQ(outcomes[1].payload, Pattern(50, 1));
}

}  // namespace
}  // namespace oracle
