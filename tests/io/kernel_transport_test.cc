// What only transports of the kernel can do, or suffer.
#include <sys/syscall.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/engine.h"
#include "tests/io/child.h"
#include "tests/io/contract_fixture.h"
#include "tests/io/scripted_listener.h"

namespace io {
namespace {

using Kind = Step::Kind;
using testing::HasSubstr;

class Kernel : public Contract {};

TEST_P(Kernel, IsWokenFromAnotherThread) {
  for (int i = 0; i < 100; ++i) {
    std::thread waker([&] { transport().Wake(); });
    EXPECT_TRUE(transport().Wait(absl::InfiniteFuture()).events.empty());
    waker.join();
  }
}

// As a file that is opened in one thread and read in another.
TEST_P(Kernel, GoesOnInAnotherThread) {
  const Script script = {{Kind::kAwait, {}, 3}, {Kind::kSend, "ONE"},    //
                         {Kind::kAwait, {}, 3}, {Kind::kSend, "TWO"},    //
                         {Kind::kAwait, {}, 5}, {Kind::kSend, "THREE"},  //
                         {Kind::kAwait, {}, 4}, {Kind::kSend, "FOUR"}};
  const ConnectionId id = Connect(harness_->Serve({script}));
  const auto exchange = [&](const std::string& text) {
    SendText(id, text);
    EXPECT_NE(ReceiveText(id, text.size()), text);
  };
  exchange("one");
  std::thread([&] {
    exchange("two");
    transport().Wake();
    EXPECT_TRUE(transport().Wait(absl::InfiniteFuture()).events.empty());
  }).join();
  std::thread([&] { exchange("three"); }).join();  // maybe with the same std::thread::id
  exchange("four");
  transport().Close(id);
  EXPECT_EQ(harness_->Received(0), "onetwothreefour");
}

TEST_P(Kernel, GoesOnInAnotherThreadAfterASpliceThatWasStopped) {
  const ConnectionId id =
      Connect(harness_->Serve({{{Kind::kAwait, {}, 3}, {Kind::kSend, "text and more"}}}));
  const int fd = harness_->OpenPipe();
  harness_->ReadPipe();
  transport().StartSplice(id, fd, 4);
  EXPECT_TRUE(transport().Wait(transport().Now() + absl::Milliseconds(5)).events.empty());
  transport().StopSplice();
  std::thread([&] {
    SendText(id, "one");
    transport().StartSplice(id, fd, 4);
    EXPECT_EQ(Await(Event::Kind::kSpliced).bytes, 4u);
    EXPECT_EQ(ReceiveText(id, 9), " and more");
    transport().Close(id);
  }).join();
  EXPECT_EQ(harness_->EndPipe(), "text");
}

INSTANTIATE_TEST_SUITE_P(Worlds, Kernel, testing::Values(World::kUring, World::kPoll), NameOfParam);

// A program that gives up io_uring after it has opened a file.
TEST(Uring, WhenTheRingIsLostAllOperationsFailAndNothingHangs) {
  if (const auto uring = MakeTransport(Engine::kUring); !uring.ok()) {
    GTEST_SKIP() << "NOT TESTED here: " << uring.status();
  }
  ExpectPassesInChild([] {
    ScriptedListener listener(std::vector<Script>(2));
    const auto transport = *MakeTransport(Engine::kUring);
    std::byte space[100];
    const ConnectionId closed = *transport->Connect(listener.address(), {});
    ASSERT_EQ(transport->Wait(absl::InfiniteFuture()).events.size(), 1u);
    const ConnectionId id = *transport->Connect(listener.address(), {});
    ASSERT_EQ(transport->Wait(absl::InfiniteFuture()).events.size(), 1u);
    transport->StartSend(closed, space);
    transport->StartReceive(closed, {.first = std::span(space).first(50)});
    transport->StartReceive(id, {.first = std::span(space).last(50)});
    ASSERT_TRUE(BlockSystemCall(SYS_io_uring_enter, EPERM));
    transport->Close(closed);
    const Turn turn = transport->Wait(absl::InfiniteFuture());
    ASSERT_EQ(turn.events.size(), 1u);
    EXPECT_EQ(turn.events[0].kind, Event::Kind::kReceived);
    EXPECT_THAT(std::string(turn.events[0].status.message()), HasSubstr("io_uring_enter: EPERM"));
    EXPECT_EQ(transport->Connect(listener.address(), {}).status().code(),
              absl::StatusCode::kPermissionDenied);
    transport->Wake();
    EXPECT_TRUE(transport->Wait(absl::InfiniteFuture()).events.empty());
    transport->StartSend(id, space);
    EXPECT_FALSE(transport->Wait(absl::InfiniteFuture()).events[0].status.ok());
    transport->Close(id);
  });
}

}  // namespace
}  // namespace io
