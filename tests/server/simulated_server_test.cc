// The server in the simulated network, before a transport of ours.
#include "tests/server/simulated_server.h"

#include <memory>
#include <string>
#include <vector>

#include "client/protocol/nfs3_read.h"
#include "gtest/gtest.h"
#include "io/simulated_transport.h"
#include "tests/server/conversation.h"

namespace server {
namespace {

class SimulatedServerTest : public testing::Test {
 protected:
  SimulatedServerTest() {
    served_.tree().AddFile("/export/file", PatternContents(uint64_t{1} << 30));
    network_.SetLink(address_, {.delay = absl::Milliseconds(5), .segment_bytes = 1448});
    simulated_->Listen(address_, Programs());
  }

  void AddRules(absl::string_view text) {
    const absl::Status status = served_.AddRules(text);
    ASSERT_TRUE(status.ok()) << status;
  }

  // The outcome of a connect, on a new connection.
  absl::Status Connect() {
    connection_ = *transport_.Connect(address_, {});
    return WaitFor(io::Event::Kind::kConnected).status;
  }
  io::Event WaitFor(io::Event::Kind kind) {
    for (;;) {
      for (const io::Event& event : transport_.Wait(absl::InfiniteFuture()).events) {
        if (event.kind == kind) return event;
      }
    }
  }
  void PassTime(absl::Duration time) {
    const absl::Time until = network_.now() + time;
    while (network_.now() < until) transport_.Wait(until);
  }
  void Call(int reads, uint32_t count) {
    const nfs3::Read3Args args = {served_.tree().Handle("/export/file"), 0, count};
    sent_.clear();
    for (int i = 0; i < reads; ++i) {
      const Bytes call = EncodeCall(++xid_, nfs3::kRead, args, User(0, 0));
      sent_.insert(sent_.end(), call.begin(), call.end());
    }
    transport_.StartSend(connection_, sent_);
  }
  // All that comes until there are `size` bytes, or the connection ends.
  Bytes Receive(size_t size) {
    Bytes received, space(65536);
    while (received.size() < size) {
      transport_.StartReceive(connection_, {.first = space, .second = {}});
      const io::Event event = WaitFor(io::Event::Kind::kReceived);
      ended_ = event.status;
      if (!event.status.ok()) break;
      received.insert(received.end(), space.begin(), space.begin() + event.bytes);
    }
    return received;
  }
  static constexpr size_t ReplyBytes(size_t count) { return 4 + 24 + 104 + count; }

  const io::Address address_ = io::Address::Loopback(2049);
  Server served_;
  io::SimulatedNetwork network_;
  io::SimulatedTransport transport_{network_};
  std::unique_ptr<SimulatedServer> simulated_ =
      std::make_unique<SimulatedServer>(served_, network_);
  io::ConnectionId connection_ = 0;
  uint32_t xid_ = 0;
  Bytes sent_;
  absl::Status ended_;
};

TEST_F(SimulatedServerTest, ServesInVirtualTime) {
  AddRules("READ delay=50ms");
  ASSERT_TRUE(Connect().ok());
  const absl::Time start = network_.now();
  Call(16, 4096);
  const std::vector<Reply> replies = DecodeReplies(Receive(16 * ReplyBytes(4096)));
  ASSERT_EQ(replies.size(), 16u);
  Bytes expected(4096);
  FillPattern(0, expected);
  for (const Reply& reply : replies) {
    EXPECT_TRUE(SameBytes(reply.As<nfs3::Read3Res>().data.view(), expected));
  }
  EXPECT_EQ(network_.now() - start, absl::Milliseconds(60));
  EXPECT_EQ(served_.log().counters().max_reads_in_flight, 16u);
}

TEST_F(SimulatedServerTest, SendsManyMegabytes) {
  ASSERT_TRUE(Connect().ok());
  Call(16, 1 << 20);
  EXPECT_EQ(Receive(16 * ReplyBytes(1 << 20)).size(), 16 * ReplyBytes(1 << 20));
}

TEST_F(SimulatedServerTest, CutsConnections) {
  AddRules("READ nth=1 rst=7\nREAD nth=2 fin=9");
  ASSERT_TRUE(Connect().ok());
  Call(1, 8);
  EXPECT_EQ(Receive(1000).size(), 7u);
  EXPECT_FALSE(ended_.ok());
  ASSERT_TRUE(Connect().ok());
  Call(1, 8);
  EXPECT_EQ(Receive(1000).size(), 9u);
  EXPECT_FALSE(ended_.ok());
}

TEST_F(SimulatedServerTest, RefusesForAWhile) {
  AddRules("READ nth=1 rst=0 refuse=5s");
  ASSERT_TRUE(Connect().ok());
  Call(1, 8);
  EXPECT_EQ(Receive(1000).size(), 0u);
  EXPECT_FALSE(Connect().ok());
  PassTime(absl::Seconds(6));
  EXPECT_TRUE(Connect().ok());
}

TEST_F(SimulatedServerTest, ASlowReaderFillsTheWindow) {
  AddRules("CONNECT slow_read=100:1s");
  network_.SetLink(address_, {.delay = absl::Milliseconds(5), .window_bytes = 1000});
  ASSERT_TRUE(Connect().ok());
  const absl::Time start = network_.now();
  Call(16, 8);
  const size_t size = sent_.size();
  for (size_t sent = 0; sent < size;) {
    sent += WaitFor(io::Event::Kind::kSent).bytes;
    const xdr::ByteView rest = xdr::ByteView(sent_).subspan(sent);
    if (!rest.empty()) transport_.StartSend(connection_, rest);
  }
  // All but a window full of it has been taken, at 100 bytes per second.
  EXPECT_GE(network_.now() - start, absl::Seconds((size - 1000) / 100 - 1));
  EXPECT_EQ(DecodeReplies(Receive(16 * ReplyBytes(8))).size(), 16u);
  EXPECT_GE(network_.now() - start, absl::Seconds(size / 100 - 1));
  EXPECT_LE(network_.now() - start, absl::Seconds(size / 100 + 2));
  EXPECT_EQ(served_.log().counters().garbage_records, 0u);
}

TEST_F(SimulatedServerTest, StopsAndStarts) {
  AddRules("READ delay=1s");
  ASSERT_TRUE(Connect().ok());
  Call(3, 8);
  PassTime(absl::Milliseconds(100));
  EXPECT_EQ(served_.log().counters().reads_in_flight, 3u);
  simulated_->Stop();
  EXPECT_EQ(served_.log().counters().reads_in_flight, 0u);
  EXPECT_TRUE(Receive(1).empty());
  EXPECT_FALSE(Connect().ok());
  simulated_->Start();
  EXPECT_TRUE(Connect().ok());
}

TEST_F(SimulatedServerTest, MayGoBeforeTheNetwork) {
  AddRules("READ delay=1s");
  ASSERT_TRUE(Connect().ok());
  Call(3, 8);
  PassTime(absl::Milliseconds(100));
  simulated_.reset();
  EXPECT_TRUE(Receive(1).empty());
  EXPECT_FALSE(Connect().ok());
}

TEST_F(SimulatedServerTest, NoticesThatTheClientCloses) {
  AddRules("READ delay=1s");
  ASSERT_TRUE(Connect().ok());
  Call(3, 8);
  PassTime(absl::Milliseconds(100));
  transport_.Close(connection_);
  PassTime(absl::Milliseconds(100));
  EXPECT_EQ(served_.log().counters().reads_in_flight, 0u);
}

}  // namespace
}  // namespace server
