// What io/transport.h says of splices, held against all three transports.
#include <csignal>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/contract_fixture.h"

namespace io {
namespace {

using Kind = Step::Kind;
using testing::HasSubstr;

class Splice : public Contract {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    Contract::SetUp();
  }

  Event SpliceOnce(ConnectionId id, int fd, size_t bytes) {
    transport().StartSplice(id, fd, bytes);
    return Await(Event::Kind::kSpliced);
  }

  // So many bytes, waiting for the pipe's reader whenever it is full.
  void SpliceAll(ConnectionId id, int fd, size_t bytes) {
    while (bytes != 0) {
      const Event event = SpliceOnce(id, fd, bytes);
      ASSERT_TRUE(event.status.ok()) << event.status;
      ASSERT_EQ(event.connection, id);
      ASSERT_LE(event.bytes, bytes);
      ASSERT_NE(event.output, OutputState::kRefuses);
      bytes -= event.bytes;
      if (event.output == OutputState::kFull) AwaitRoom(fd);
    }
  }

  void AwaitRoom(int fd) {
    transport().StartWrite(fd, {});
    const Event event = Await(Event::Kind::kWritten);
    EXPECT_TRUE(event.status.ok()) << event.status;
    EXPECT_EQ(event.bytes, 0u);
  }

  // Until the pipe is full; how many bytes it has taken.
  size_t Fill(ConnectionId id, int fd, size_t bytes) {
    size_t moved = 0;
    for (;;) {
      const Event event = SpliceOnce(id, fd, bytes - moved);
      moved += event.bytes;
      if (event.output == OutputState::kFull) return moved;
    }
  }
};

TEST_P(Splice, APipeGetsTheBytesInOrderAndNotOneMore) {
  const std::string text = RandomText(2'000'000, 1);
  const Address address = harness_->Serve({{{Kind::kSend, text + "the rest", 50'000}}});
  const int fd = harness_->OpenPipe();
  ASSERT_TRUE(transport().CanSplice(fd).ok()) << transport().CanSplice(fd);
  harness_->ReadPipe();
  const ConnectionId id = Connect(address);
  SpliceAll(id, fd, text.size());
  EXPECT_EQ(ReceiveText(id, 8), "the rest");
  EXPECT_TRUE(harness_->EndPipe() == text);
}

TEST_P(Splice, BytesGoByTurnsToAPipeAndToMemory) {
  const std::string text = RandomText(300'000, 2);
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, text, 1000}}}));
  const int fd = harness_->OpenPipe();
  harness_->ReadPipe();
  std::string piped, received;
  for (size_t begin = 0; begin < text.size(); begin += 30'000) {
    SpliceAll(id, fd, 20'000);
    piped += text.substr(begin, 20'000);
    received += ReceiveText(id, 10'000);
  }
  EXPECT_TRUE(harness_->EndPipe() == piped);
  for (size_t begin = 0; begin < text.size(); begin += 30'000) {
    EXPECT_TRUE(received.substr(begin / 3, 10'000) == text.substr(begin + 20'000, 10'000));
  }
}

TEST_P(Splice, AFullPipeEndsItAndTheRestCanBeReceived) {
  const std::string text = RandomText(1'500'000, 3);
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, text}}}));
  const int fd = harness_->OpenPipe();
  const size_t moved = Fill(id, fd, text.size());
  EXPECT_LT(moved, text.size());
  EXPECT_TRUE(ReceiveText(id, text.size() - moved) == text.substr(moved));
  harness_->ReadPipe();
  AwaitRoom(fd);
  EXPECT_TRUE(harness_->EndPipe() == text.substr(0, moved));
}

TEST_P(Splice, ThatWaitsForBytesHoldsUpNothingAndCanBeStopped) {
  const Script waits = {{Kind::kAwait, {}, 2}, {Kind::kSend, "late"}};
  const Script answers = {{Kind::kAwait, {}, 4}, {Kind::kSend, "pong"}};
  const Address address = harness_->Serve({waits, answers});
  const int fd = harness_->OpenPipe();
  const ConnectionId id = Connect(address);
  const ConnectionId other = Connect(address);
  transport().StartSplice(id, fd, 4);
  SendText(other, "ping");
  EXPECT_EQ(ReceiveText(other, 4), "pong");
  transport().StopSplice();
  SendText(id, "go");
  EXPECT_EQ(ReceiveText(id, 4), "late");
  EXPECT_TRUE(events_.empty());
}

TEST_P(Splice, ThatWaitsForBytesEndsWithItsConnection) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kAwait, {}, 1}}}));
  const int fd = harness_->OpenPipe();
  transport().StartSplice(id, fd, 4);
  EXPECT_TRUE(transport().Wait(transport().Now() + absl::Milliseconds(20)).events.empty());
  transport().Close(id);
  EXPECT_TRUE(transport().Wait(transport().Now() + absl::Milliseconds(20)).events.empty());
}

TEST_P(Splice, TheEndOfTheStreamComesAfterAllBytesBeforeIt) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, "all"}, {Kind::kClose}}}));
  const int fd = harness_->OpenPipe();
  harness_->ReadPipe();
  SpliceAll(id, fd, 3);
  const Event event = SpliceOnce(id, fd, 100'000);
  EXPECT_EQ(event.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(event.status.message()), HasSubstr("127.0.0.1:"));
  EXPECT_EQ(harness_->EndPipe(), "all");
}

TEST_P(Splice, AConnectionThatIsResetIsUnavailable) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kReset}}}));
  const Event event = SpliceOnce(id, harness_->OpenPipe(), 100'000);
  EXPECT_EQ(event.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(event.bytes, 0u);
}

TEST_P(Splice, APipeThatNobodyReadsAnyMoreRefusesAndIsReadyForTheWriteThatTellsWhy) {
  const ConnectionId id = Connect(harness_->Serve({{{Kind::kSend, "text"}}}));
  const int fd = harness_->OpenBroken();
  const Event event = SpliceOnce(id, fd, 4);
  EXPECT_TRUE(event.status.ok()) << event.status;
  EXPECT_EQ(event.bytes, 0u);
  EXPECT_EQ(event.output, OutputState::kRefuses);
  EXPECT_TRUE(transport().CanSplice(fd).ok());
  AwaitRoom(fd);
  EXPECT_EQ(ReceiveText(id, 4), "text");
  transport().StartWrite(fd, BytesOf("text"));
  EXPECT_EQ(Await(Event::Kind::kWritten).status.code(), absl::StatusCode::kAborted);
}

TEST_P(Splice, WhatIsNoPipeCannotBeSplicedTo) {
  EXPECT_EQ(transport().CanSplice(harness_->OpenFile()).code(),
            absl::StatusCode::kFailedPrecondition);
}

INSTANTIATE_TEST_SUITE_P(Worlds, Splice, testing::ValuesIn(kWorlds), NameOfParam);

}  // namespace
}  // namespace io
