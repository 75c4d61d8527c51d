// What io/transport.h says of connections, held against all three transports.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/connection_table.h"
#include "tests/io/contract_fixture.h"

namespace io {
namespace {

using Kind = Step::Kind;
using testing::HasSubstr;

std::string MessageOf(const Event& event) { return std::string(event.status.message()); }

TEST_P(Contract, ConnectsAndCarriesBytes) {
  const Address address =
      harness_->Serve({{{Kind::kAwait, {}, 5}, {Kind::kSend, "world"}, {Kind::kClose}}});
  const ConnectionId id = Connect(address);
  SendText(id, "hello");
  EXPECT_EQ(ReceiveText(id, 5), "world");
  transport().Close(id);
  EXPECT_EQ(harness_->Received(0), "hello");
}

TEST_P(Contract, ARefusedConnectIsUnavailableAndSaysWhereAndWhy) {
  const Address address = harness_->Refusing();
  const absl::StatusOr<ConnectionId> id = transport().Connect(address, {});
  ASSERT_TRUE(id.ok()) << id.status();
  const Event event = Await(Event::Kind::kConnected);
  EXPECT_EQ(event.connection, *id);
  EXPECT_EQ(event.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(MessageOf(event),
            "connect: ECONNREFUSED (111): Connection refused [" + address.ToString() + "]");
  transport().Close(*id);
}

TEST_P(Contract, InspectGivesTheSourcePortThatThePeerSees) {
  const Address address = harness_->Serve({{}, {}});
  const ConnectionId one = Connect(address);
  const ConnectionId two = Connect(address);
  const uint16_t port_of_one = transport().Inspect(one).source_port;
  const uint16_t port_of_two = transport().Inspect(two).source_port;
  EXPECT_NE(port_of_one, port_of_two);
  transport().Close(one);
  transport().Close(two);
  EXPECT_EQ(port_of_one, harness_->ClientPort(0));
  EXPECT_EQ(port_of_two, harness_->ClientPort(1));
}

// The kernel's clock for this ticks every few milliseconds.
constexpr absl::Duration kTick = absl::Milliseconds(25);

TEST_P(Contract, BytesAreHeardWhenTheyArriveThoughNobodyReceivesThem) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kAwait, {}, 1}, {Kind::kSend, "x"}}}));
  const absl::Time connected = transport().Now();
  const auto last_heard = [&] { return transport().Inspect(id).last_heard; };
  while (transport().Now() < connected + 2 * kTick) transport().Wait(connected + 2 * kTick);
  EXPECT_LT(last_heard(), connected + kTick) << "the connection has been quiet since";
  SendText(id, "!");
  // For ever, if they are not.
  while (last_heard() < connected + kTick) {
    transport().Wait(transport().Now() + absl::Milliseconds(1));
  }
  const absl::Time heard = last_heard();
  EXPECT_LE(heard, transport().Now());
  EXPECT_EQ(ReceiveText(id, 1), "x");
  transport().Close(id);
}

TEST_P(Contract, BytesAreHeardWhileAReceiveWaitsForMore) {
  const std::string half = RandomText(100'000, 6);
  const ConnectionId id =
      Connect(harness_->Serve({{{Kind::kAwait, {}, 1}, {Kind::kSend, half}, {Kind::kAwait}}}));
  const absl::Time connected = transport().Now();
  std::string space(2 * half.size(), '?');
  transport().StartReceive(
      id,
      {.first = std::as_writable_bytes(std::span(space)), .second = {}, .promised = space.size()});
  while (transport().Now() < connected + 2 * kTick) transport().Wait(connected + 2 * kTick);
  SendText(id, "!");
  while (transport().Inspect(id).last_heard < connected + kTick) {
    transport().Wait(transport().Now() + absl::Milliseconds(1));
  }
  transport().Close(id);
}

TEST_P(Contract, InspectCountsWhatHasComeAndKnowsTheRoundTrip) {
  const std::string text = RandomText(100'000, 7);
  const ConnectionId id =
      Connect(harness_->Serve({{{Kind::kAwait, {}, 1}, {Kind::kSend, text}, {Kind::kAwait}}}));
  EXPECT_EQ(transport().Inspect(id).received, 0u);
  SendText(id, "!");
  EXPECT_EQ(ReceiveText(id, text.size()), text);
  const ConnectionState state = transport().Inspect(id);
  EXPECT_EQ(state.received, text.size());
  EXPECT_EQ(state.out_of_order, 0u);
  EXPECT_LE(state.round_trip, state.recent_round_trip + absl::Milliseconds(1));
  EXPECT_LT(state.round_trip, absl::Seconds(10));
  transport().Close(id);
}

TEST_P(Contract, APrivilegedProcessGetsALargerReceiveBuffer) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kAwait}}}));
  const uint64_t before = transport().Inspect(id).receive_window;
  constexpr size_t kLarge = size_t{64} << 20;
  const bool enlarged = transport().EnlargeReceiveBuffer(id, kLarge);
  EXPECT_EQ(transport().Inspect(id).receive_window, enlarged ? kLarge / 2 : before);
  transport().Close(id);
}

TEST_P(Contract, ThereIsALimitOfConnections) {
  const Address address = harness_->Serve({});
  std::vector<ConnectionId> ids;
  for (size_t i = 0; i < kMaxConnections; ++i) {
    const absl::StatusOr<ConnectionId> id = transport().Connect(address, {});
    ASSERT_TRUE(id.ok()) << id.status();
    ids.push_back(*id);
  }
  EXPECT_EQ(transport().Connect(address, {}).status().code(), absl::StatusCode::kResourceExhausted);
  transport().Close(ids[7]);
  const absl::StatusOr<ConnectionId> another = transport().Connect(address, {});
  ASSERT_TRUE(another.ok()) << another.status();
  EXPECT_THAT(ids, testing::Not(testing::Contains(*another)));
}

// One direction's memory and progress in the test below.
struct Progress {
  std::string text;
  size_t done = 0;
  size_t left() const { return text.size() - done; }
};

TEST_P(Contract, CarriesManyBytesBothWaysAtOnceExactly) {
  std::mt19937 random(20);
  const auto up_to = [&](size_t size) { return random() % (size + 1); };
  const std::string back = RandomText(5'000'000, 2);
  Progress there{.text = RandomText(3'000'000, 1)};
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, back}}}));
  std::string received, first, second;
  const auto receive = [&] {
    const size_t left = back.size() - received.size();
    first.assign(up_to(std::min<size_t>(left, 400'000)), '?');
    second.assign(1 + up_to(5000), '?');
    const size_t at_most = std::min(left, first.size() + second.size());
    transport().StartReceive(id, {.first = std::as_writable_bytes(std::span(first)),
                                  .second = std::as_writable_bytes(std::span(second)),
                                  .promised = std::max<size_t>(up_to(at_most), 1)});
  };
  const auto some = [&] {
    return BytesOf(there.text).subspan(there.done, 1 + up_to(there.left() - 1));
  };
  const auto send = [&] {
    if (random() % 2 == 0) there.done += transport().SendNow(id, some());
    if (there.left() > 0) transport().StartSend(id, some());
  };
  receive();
  send();
  while (received.size() < back.size() || there.left() > 0) {
    for (const Event& event : transport().Wait(absl::InfiniteFuture()).events) {
      ASSERT_TRUE(event.status.ok()) << event.status;
      ASSERT_GE(event.bytes, 1u);
      if (event.kind == Event::Kind::kSent) {
        there.done += event.bytes;
        if (there.left() > 0) send();
      } else {
        received += (first + second).substr(0, event.bytes);
        if (received.size() < back.size()) receive();
      }
    }
  }
  EXPECT_TRUE(received == back);
  transport().Close(id);
  EXPECT_TRUE(harness_->Received(0) == there.text);
}

TEST_P(Contract, WhatWasSentNowMayBeOverwritten) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kAwait, {}, 3}, {Kind::kSend, "x"}}}));
  std::string text = "now";
  ASSERT_EQ(transport().SendNow(id, BytesOf(text)), 3u);
  text = "???";
  EXPECT_EQ(ReceiveText(id, 1), "x");
  transport().Close(id);
  EXPECT_EQ(harness_->Received(0), "now");
}

TEST_P(Contract, SendingNowNeverWaitsForAPeerThatTakesNothing) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kIgnore}}}));
  const std::string text(1 << 20, 'x');
  size_t sent = 0;
  while (const size_t size = transport().SendNow(id, BytesOf(text))) sent += size;
  EXPECT_GT(sent, 0u);
  transport().Close(id);
}

// The peer sends what it has promised, in dribs, and nothing more before it is told
// that all of that was received: whoever waits for more waits for ever.
TEST_P(Contract, NeverWaitsForMoreThanWasPromised) {
  for (const size_t promised : {1u, 5000u, 65536u, 200'000u, 1'048'577u, 1'500'000u}) {
    SCOPED_TRACE(promised);
    SetUp();
    const std::string text = RandomText(promised, 3);
    const Address address =
        harness_->Serve({{{Kind::kSend, text, promised / 7 + 1}, {Kind::kAwait, {}, 1}}});
    const ConnectionId id = Connect(address);
    std::string space(promised + 132, '?');
    size_t size = 0;
    while (size < promised) {
      const Event event =
          Receive(id, std::as_writable_bytes(std::span(space)).subspan(size), promised - size);
      ASSERT_TRUE(event.status.ok()) << event.status;
      size += event.bytes;
    }
    EXPECT_TRUE(space.substr(0, size) == text);
    SendText(id, "!");
    transport().Close(id);
    EXPECT_EQ(harness_->Received(0), "!");
  }
}

// A large promise sets the threshold of the socket high; a small one must not be left
// waiting for it.
TEST_P(Contract, ASmallPromiseAfterALargeOneIsNotHeldUp) {
  const std::string large = RandomText(1 << 20, 4);
  std::vector<Step> script;
  for (int i = 0; i < 3; ++i) {
    script.push_back({Kind::kSend, large, 100'000});
    script.push_back({Kind::kAwait, {}, 1});
    script.push_back({Kind::kSend, "small"});
    script.push_back({Kind::kAwait, {}, 1});
  }
  const ConnectionId id = Connect(harness_->Serve({script}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(ReceiveText(id, large.size()) == large);
    SendText(id, "1");
    std::string space(1 << 20, '?');
    const Event event = Receive(id, std::as_writable_bytes(std::span(space)), 1);
    const std::string begin = space.substr(0, event.bytes);
    EXPECT_EQ(begin + ReceiveText(id, 5 - begin.size()), "small");
    SendText(id, "2");
  }
  transport().Close(id);
}

TEST_P(Contract, WhatIsOnlyExpectedHoldsUpAReceiveForAMoment) {
  const std::string text = RandomText(100'000, 7);
  const ConnectionId id =
      Connect(harness_->Serve({{{Kind::kSend, text}, {Kind::kAwait, {}, 1}, {Kind::kSend, text}}}));
  std::string received;
  while (received.size() < text.size()) {
    std::string space(1'000'000, '?');
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(space));
    transport().StartReceive(id, {.first = bytes,
                                  .second = {},
                                  .promised = text.size() - received.size(),
                                  .expected = space.size()});
    received += space.substr(0, Await(Event::Kind::kReceived).bytes);
  }
  EXPECT_TRUE(received == text);
  SendText(id, "!");
  EXPECT_TRUE(ReceiveText(id, text.size()) == text) << "and not the one after";
  transport().Close(id);
}

TEST_P(Contract, AReceiveFillsManyPiecesOfMemoryInTheirOrder) {
  const std::string text = RandomText(300'000, 8);
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, text}}}));
  std::string space(text.size(), '?');
  const std::span<std::byte> all = std::as_writable_bytes(std::span(space));
  for (size_t at = 0; at < text.size();) {
    std::vector<std::span<std::byte>> more;
    for (size_t i = 1; i < ReceiveInto::kMostSpans - 1; ++i) {
      const std::span<std::byte> rest = all.subspan(std::min(all.size(), at + i * 1000));
      if (!rest.empty()) more.push_back(rest.first(std::min<size_t>(rest.size(), 1000)));
    }
    const std::span<std::byte> left = all.subspan(at);
    transport().StartReceive(id, {.first = left.first(std::min<size_t>(left.size(), 1000)),
                                  .second = {},
                                  .promised = 1,
                                  .more = more});
    const Event event = Await(Event::Kind::kReceived);
    ASSERT_GT(event.bytes, 0u);
    at += event.bytes;
  }
  EXPECT_TRUE(space == text);
  transport().Close(id);
}

// The peer breaks its promise.
TEST_P(Contract, TheEndOfTheStreamCompletesAReceiveThatWasPromisedMore) {
  for (const size_t promised : {100u, 5000u, 300'000u}) {
    SetUp();
    const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, "short"}, {Kind::kClose}}}));
    std::string space(promised, '?');
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(space));
    std::string received;
    Event event = Receive(id, bytes, promised);
    while (event.status.ok()) {
      received += space.substr(0, event.bytes);
      event = Receive(id, bytes, promised);
    }
    EXPECT_EQ(received, "short");
    EXPECT_EQ(event.status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(MessageOf(event), HasSubstr("the peer closed the connection ["));
    transport().Close(id);
  }
}

TEST_P(Contract, AResetIsAnError) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kAwait, {}, 2}, {Kind::kReset}}}));
  std::string space(100'000, '?');
  transport().StartReceive(
      id,
      {.first = std::as_writable_bytes(std::span(space)), .second = {}, .promised = space.size()});
  SendText(id, "hi");
  const Event event = Await(Event::Kind::kReceived);
  EXPECT_EQ(event.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(event), HasSubstr("recv: ECONNRESET"));
  transport().Close(id);
}

TEST_P(Contract, CloseTakesBackTheMemoryOfAReceive) {
  for (const size_t promised : {1u, 5000u, 300'000u}) {
    SetUp();
    const Address address = harness_->Serve({{}, {{Kind::kSend, "other"}}});
    const ConnectionId id = Connect(address);
    std::string space(promised, '?');
    std::string unchanged = space;
    transport().StartReceive(
        id,
        {.first = std::as_writable_bytes(std::span(space)), .second = {}, .promised = promised});
    transport().Wait(transport().Now() + absl::Milliseconds(3));
    transport().Close(id);
    const ConnectionId other = Connect(address);
    EXPECT_EQ(ReceiveText(other, 5), "other");
    EXPECT_EQ(space, unchanged);
    transport().Close(other);
  }
}

TEST_P(Contract, CloseTakesBackTheMemoryOfASend) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kIgnore}}}));
  std::string text(16 << 20, 'x');
  transport().StartSend(id, BytesOf(text));
  // Until nothing more goes, in all likelihood. What is checked holds in any case.
  while (!transport().Wait(transport().Now() + absl::Milliseconds(50)).events.empty()) {
    transport().StartSend(id, BytesOf(text));
  }
  transport().Close(id);
  text.assign(text.size(), 'y');
  EXPECT_TRUE(transport().Wait(transport().Now()).events.empty());
}

TEST_P(Contract, CloseEndsAConnectThatIsUnderWay) {
  const Address address = harness_->Serve({});
  const absl::StatusOr<ConnectionId> id = transport().Connect(address, {});
  ASSERT_TRUE(id.ok()) << id.status();
  transport().Close(*id);
  EXPECT_TRUE(transport().Wait(transport().Now()).events.empty());
}

TEST_P(Contract, ClosingOneConnectionLosesNoEventOfAnother) {
  const Address address = harness_->Serve({{{Kind::kSend, "one"}}, {{Kind::kSend, "two"}}});
  const ConnectionId one = Connect(address);
  const ConnectionId two = Connect(address);
  std::string space_of_one(3, '?'), space_of_two(3, '?');
  transport().StartReceive(one, {.first = std::as_writable_bytes(std::span(space_of_one))});
  transport().StartReceive(two, {.first = std::as_writable_bytes(std::span(space_of_two))});
  transport().Close(one);
  const Event event = Await(Event::Kind::kReceived);
  EXPECT_EQ(event.connection, two);
  EXPECT_EQ(space_of_two.substr(0, event.bytes), std::string("two").substr(0, event.bytes));
  transport().Close(two);
}

TEST_P(Contract, TwoConnectionsDoNotHoldUpEachOther) {
  const std::string large = RandomText(1'000'000, 5);
  const Address address = harness_->Serve({
      {{Kind::kAwait, {}, 4}, {Kind::kSend, large, 50'000}},
      {{Kind::kAwait, {}, 4}, {Kind::kSend, "pong"}},
  });
  const ConnectionId slow = Connect(address);
  const ConnectionId quick = Connect(address);
  std::string space(large.size(), '?');
  std::span<std::byte> left = std::as_writable_bytes(std::span(space));
  transport().StartReceive(slow, {.first = left, .second = {}, .promised = left.size()});
  SendText(quick, "ping");
  EXPECT_EQ(ReceiveText(quick, 4), "pong");
  SendText(slow, "ping");
  for (;;) {
    const Event event = Await(Event::Kind::kReceived);
    ASSERT_TRUE(event.status.ok()) << event.status;
    ASSERT_EQ(event.connection, slow);
    left = left.subspan(event.bytes);
    if (left.empty()) break;
    transport().StartReceive(slow, {.first = left, .second = {}, .promised = left.size()});
  }
  EXPECT_TRUE(space == large);
}

TEST_P(Contract, WaitEndsWhenItsTimeHasCome) {
  const absl::Time until = transport().Now() + absl::Milliseconds(20);
  const Turn turn = transport().Wait(until);
  EXPECT_TRUE(turn.events.empty());
  EXPECT_GE(turn.now, until);
  EXPECT_TRUE(transport().Wait(absl::InfinitePast()).events.empty());
}

TEST_P(Contract, WakeEndsTheNextWaitAndOnlyThat) {
  transport().Wake();
  transport().Wake();
  EXPECT_TRUE(transport().Wait(absl::InfiniteFuture()).events.empty());
  const absl::Time until = transport().Now() + absl::Milliseconds(5);
  EXPECT_GE(transport().Wait(until).now, until);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Contract, testing::ValuesIn(kWorlds), NameOfParam);

}  // namespace
}  // namespace io
