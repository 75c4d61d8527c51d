// The simulated network: times to the microsecond, and the same every time.
#include "io/simulated_transport.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace io {
namespace {

using absl::Milliseconds;
using testing::HasSubstr;

const Address kServer = Address::Loopback(2049);

std::span<const std::byte> BytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Answers every segment by `answer`, and notes when each came.
class Answering final : public SimulatedPeer {
 public:
  Answering(SimulatedNetwork& network, std::string answer, std::vector<std::string>& log)
      : network_(network), answer_(std::move(answer)), log_(log) {}
  void OnConnected(SimulatedSocket& socket) override {
    socket_ = &socket;
    Note("connected");
  }
  void OnBytes(std::span<const std::byte> bytes) override {
    Note(absl::StrCat("got ", bytes.size()));
    socket_->Send(BytesOf(answer_));
  }
  void OnClosed() override { Note("closed"); }

 private:
  void Note(const std::string& what) {
    const absl::Duration since = network_.now() - absl::FromUnixSeconds(1'000'000'000);
    log_.push_back(absl::StrCat(absl::FormatDuration(since), " ", what));
  }

  SimulatedNetwork& network_;
  const std::string answer_;
  std::vector<std::string>& log_;
  SimulatedSocket* socket_ = nullptr;
};

class Simulated : public testing::Test {
 protected:
  void Listen(const LinkPolicy& policy, const std::string& answer = "answer") {
    network_.SetLink(kServer, policy);
    network_.Listen(kServer,
                    [this, answer] { return std::make_unique<Answering>(network_, answer, log_); });
  }

  // Since the beginning.
  absl::Duration time() const { return network_.now() - absl::FromUnixSeconds(1'000'000'000); }

  Event NextEvent() {
    const Turn turn = transport_.Wait(absl::InfiniteFuture());
    EXPECT_EQ(turn.events.size(), 1u);
    EXPECT_EQ(turn.now, network_.now());
    return turn.events[0];
  }

  ConnectionId Connect() {
    const ConnectionId id = *transport_.Connect(kServer, {});
    EXPECT_TRUE(NextEvent().status.ok());
    return id;
  }

  // So many bytes of `space_`, which begins with them.
  Event Receive(ConnectionId id, size_t size) {
    transport_.StartReceive(id, {.first = std::as_writable_bytes(std::span(space_)).first(size)});
    return NextEvent();
  }

  SimulatedNetwork network_;
  SimulatedTransport transport_{network_};
  std::vector<std::string> log_;
  std::string space_ = std::string(1 << 20, '?');
};

TEST_F(Simulated, ADelayOf50MillisecondsIsJustThat) {
  Listen({.delay = Milliseconds(50)});
  const ConnectionId id = Connect();
  EXPECT_EQ(time(), Milliseconds(100));
  transport_.StartSend(id, BytesOf("call"));
  EXPECT_EQ(NextEvent().bytes, 4u);
  EXPECT_EQ(time(), Milliseconds(100)) << "a send is done when it is on its way";
  EXPECT_EQ(Receive(id, 100).bytes, 6u);
  EXPECT_EQ(time(), Milliseconds(200));
  EXPECT_EQ(space_.substr(0, 7), "answer?");
  transport_.Close(id);
  transport_.Wait(network_.now() + Milliseconds(70));
  EXPECT_EQ(time(), Milliseconds(270));
  EXPECT_THAT(log_, testing::ElementsAre("50ms connected", "150ms got 4", "250ms closed"));
}

TEST_F(Simulated, ARateSpreadsTheSegmentsOverTime) {
  Listen({.delay = Milliseconds(5), .bytes_per_second = 1e6, .segment_bytes = 10'000});
  const ConnectionId id = Connect();
  const std::string call(25'000, 'x');
  transport_.StartSend(id, BytesOf(call));
  EXPECT_EQ(NextEvent().bytes, 25'000u);
  transport_.Wait(network_.now() + Milliseconds(50));
  EXPECT_THAT(log_, testing::ElementsAre("5ms connected", "25ms got 10000", "35ms got 10000",
                                         "40ms got 5000"));
}

TEST_F(Simulated, AReceiveGivesWhatIsThereAndNoMoreThanTheLinkSays) {
  Listen({.segment_bytes = 4, .max_receive = 3});
  const ConnectionId id = Connect();
  transport_.StartSend(id, BytesOf("call"));
  NextEvent();
  EXPECT_EQ(Receive(id, 100).bytes, 3u);
  EXPECT_EQ(space_.substr(0, 3), "ans");
  EXPECT_EQ(Receive(id, 100).bytes, 3u);
  EXPECT_EQ(space_.substr(0, 3), "wer");
}

TEST_F(Simulated, AWindowHoldsBackASenderForARoundTrip) {
  Listen({.delay = Milliseconds(10), .window_bytes = 1000});
  const ConnectionId id = Connect();
  const std::string call(1500, 'x');
  transport_.StartSend(id, BytesOf(call));
  EXPECT_EQ(NextEvent().bytes, 1000u);
  EXPECT_EQ(time(), Milliseconds(20));
  transport_.StartSend(id, BytesOf(call).subspan(1000));
  EXPECT_EQ(NextEvent().bytes, 500u);
  EXPECT_EQ(time(), Milliseconds(40));
}

// Takes nothing by itself.
class Slow final : public SimulatedPeer {
 public:
  explicit Slow(SimulatedSocket*& socket) : socket_(socket) {}
  void OnConnected(SimulatedSocket& socket) override { socket_ = &socket; }
  void OnBytes(std::span<const std::byte> /*bytes*/) override {}
  bool TakesLater() const override { return true; }

 private:
  SimulatedSocket*& socket_;
};

TEST_F(Simulated, AWindowStaysFullUntilThePeerTakesTheBytes) {
  SimulatedSocket* peer = nullptr;
  network_.SetLink(kServer, {.delay = Milliseconds(10), .window_bytes = 1000});
  network_.Listen(kServer, [&] { return std::make_unique<Slow>(peer); });
  const ConnectionId id = Connect();
  const std::string call(1500, 'x');
  transport_.StartSend(id, BytesOf(call));
  EXPECT_EQ(NextEvent().bytes, 1000u);
  transport_.StartSend(id, BytesOf(call).subspan(1000));
  EXPECT_TRUE(transport_.Wait(network_.now() + absl::Hours(1)).events.empty());
  peer->Taken(300);
  EXPECT_EQ(NextEvent().bytes, 300u);
  EXPECT_EQ(time(), Milliseconds(20) + absl::Hours(1) + Milliseconds(10));
}

TEST_F(Simulated, ASilentAddressNeverAnswersAConnect) {
  Listen({.delay = Milliseconds(1), .answers = false});
  const ConnectionId id = *transport_.Connect(kServer, {});
  const Turn turn = transport_.Wait(network_.now() + absl::Hours(1));
  EXPECT_TRUE(turn.events.empty());
  EXPECT_EQ(time(), absl::Hours(1));
  transport_.Close(id);
}

TEST_F(Simulated, ALinkThatFallsSilentTakesItsConnectionsWithIt) {
  Listen({.delay = Milliseconds(1)});
  const ConnectionId id = Connect();
  network_.SetLink(kServer, {.delay = Milliseconds(1), .answers = false});
  transport_.StartSend(id, BytesOf("call"));
  NextEvent();
  transport_.StartReceive(id, {.first = std::as_writable_bytes(std::span(space_))});
  EXPECT_TRUE(transport_.Wait(network_.now() + absl::Minutes(1)).events.empty());
  network_.SetLink(kServer, {.delay = Milliseconds(1)});
  EXPECT_TRUE(transport_.Wait(network_.now() + absl::Minutes(1)).events.empty());
  transport_.Close(id);
  Connect();
}

TEST_F(Simulated, AListenerThatStopsRefuses) {
  Listen({.delay = Milliseconds(3)});
  network_.StopListening(kServer);
  EXPECT_TRUE(transport_.Connect(kServer, {}).ok());
  EXPECT_THAT(std::string(NextEvent().status.message()), HasSubstr("connect: ECONNREFUSED"));
  EXPECT_EQ(time(), Milliseconds(6));
}

TEST_F(Simulated, ReservedPortsNeedPrivilege) {
  Listen({});
  network_.set_privileged(false);
  EXPECT_EQ(transport_.Connect(kServer, {.source_port = SourcePort::kReserved}).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(transport_.Connect(kServer, {.source_port = SourcePort::kReservedIfPossible}).ok());
}

TEST_F(Simulated, AnOutputHasARateAndStalls) {
  SimulatedOutput& output = transport_.output(1);
  output.bytes_per_second = 1000;
  output.max_write = 100;
  const std::string text(500, 'x');
  transport_.StartWrite(1, BytesOf(text));
  EXPECT_EQ(NextEvent().bytes, 100u);
  EXPECT_EQ(time(), Milliseconds(100));
  output.stalled = true;
  transport_.StartWrite(1, BytesOf(text));
  EXPECT_TRUE(transport_.Wait(network_.now() + absl::Minutes(1)).events.empty());
  output.stalled = false;
  EXPECT_EQ(NextEvent().bytes, 100u);
  EXPECT_EQ(output.bytes.size(), 200u);
}

// A conversation on two connections that share a slow link, as a list of what happened.
std::vector<std::string> Conversation() {
  // Lent to the transport until it is gone, each to one operation.
  const std::array<std::string, 2> calls = {std::string(1000, 'x'), std::string(1000, 'x')};
  std::string space(1000, '?');
  SimulatedNetwork network;
  SimulatedTransport transport(network);
  std::vector<std::string> log;
  network.SetLink(kServer, {.delay = Milliseconds(7),
                            .bytes_per_second = 33'333,
                            .segment_bytes = 100,
                            .window_bytes = 700,
                            .max_receive = 77});
  network.Listen(kServer, [&] { return std::make_unique<Answering>(network, "12345", log); });
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(transport.Connect(kServer, {}).ok());
  for (int i = 0; i < 200; ++i) {
    for (const Event& event : transport.Wait(network.now() + absl::Seconds(1)).events) {
      log.push_back(absl::StrCat(absl::FormatTime(network.now()), " ", event.connection, " ",
                                 static_cast<int>(event.kind), " ", event.bytes));
      const std::span<std::byte> half =
          std::as_writable_bytes(std::span(space)).subspan(500 * event.connection, 500);
      if (event.kind != Event::Kind::kSent) transport.StartReceive(event.connection, {half});
      if (event.kind != Event::Kind::kReceived) {
        transport.StartSend(event.connection, BytesOf(calls[event.connection]));
      }
    }
  }
  return log;
}

TEST(SimulatedConversation, IsTheSameEveryTime) {
  const std::vector<std::string> log = Conversation();
  EXPECT_GT(log.size(), 200u);
  EXPECT_EQ(Conversation(), log);
}

using SimulatedDeathTest = Simulated;

TEST_F(SimulatedDeathTest, WaitingForEverForNothingEndsTheProgram) {
  EXPECT_DEATH(transport_.Wait(absl::InfiniteFuture()), "nothing will ever happen");
}

#ifndef NDEBUG
TEST_F(SimulatedDeathTest, ASecondReceiveIsAnAssertion) {
  Listen({});
  const ConnectionId id = Connect();
  const ReceiveInto into = {.first = std::as_writable_bytes(std::span(space_))};
  transport_.StartReceive(id, into);
  EXPECT_DEATH(transport_.StartReceive(id, into), "receiving");
  transport_.Close(id);  // before its memory goes
}

TEST_F(SimulatedDeathTest, AClosedConnectionIsAnAssertion) {
  Listen({});
  const ConnectionId id = Connect();
  transport_.Close(id);
  Connect();
  EXPECT_DEATH(transport_.Close(id), "was closed");
}
#endif

class SimulatedTrouble : public Simulated {
 protected:
  using Trouble = SimulatedTransport::Trouble;

  SimulatedTrouble() {
    transport_.SetTroubleHandler([this](Trouble trouble, absl::string_view) {
      troubles_.push_back(trouble);
      if (trouble != Trouble::kMemoryTouched) throw trouble;
    });
  }

  std::vector<Trouble> troubles_;
};

TEST_F(SimulatedTrouble, OfNothingToComeAndOfTimeStandingStillIsTold) {
  EXPECT_THROW(transport_.Wait(absl::InfiniteFuture()), Trouble);
  EXPECT_THROW(for (;;) transport_.Wait(network_.now()), Trouble);
  EXPECT_THAT(troubles_, testing::ElementsAre(Trouble::kNothingToCome, Trouble::kStandsStill));
}

#ifndef __SANITIZE_ADDRESS__
TEST_F(SimulatedTrouble, OfMemoryTouchedWhileItWasLentIsTold) {
  Listen({.delay = Milliseconds(1)});
  const ConnectionId id = Connect();
  std::string call = "call";
  transport_.StartSend(id, BytesOf(call));
  transport_.StartReceive(id, {.first = std::as_writable_bytes(std::span(space_))});
  space_.back() = '!';
  call[2] = '!';
  transport_.Close(id);
  EXPECT_THAT(troubles_, testing::ElementsAre(Trouble::kMemoryTouched, Trouble::kMemoryTouched));
}

TEST_F(SimulatedTrouble, IsNoneWhenMemoryIsLeftAloneAndItComesBackAsItWas) {
  Listen({});
  const ConnectionId id = Connect();
  const std::string before = space_;
  transport_.StartReceive(id, {.first = std::as_writable_bytes(std::span(space_))});
  transport_.Close(id);
  EXPECT_EQ(space_, before);
  EXPECT_TRUE(troubles_.empty());
}
#endif

#ifdef __SANITIZE_ADDRESS__
TEST_F(SimulatedDeathTest, MemoryOfAnOperationMustNotBeTouched) {
  Listen({});
  const ConnectionId id = Connect();
  transport_.StartReceive(id, {.first = std::as_writable_bytes(std::span(space_))});
  EXPECT_DEATH(space_[5] = 'x', "use-after-poison");
  transport_.Close(id);
  space_[5] = 'x';
}
#endif

}  // namespace
}  // namespace io
