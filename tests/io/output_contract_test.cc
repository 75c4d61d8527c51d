// What io/transport.h says of output, held against all three transports.
#include <csignal>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/contract_fixture.h"

namespace io {
namespace {

using Kind = Step::Kind;
using testing::HasSubstr;

class Output : public Contract {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    Contract::SetUp();
  }

  // Goes on until all is written.
  void WriteRest(int fd, std::span<const std::byte> left) {
    while (!left.empty()) {
      const Event event = Await(Event::Kind::kWritten);
      ASSERT_TRUE(event.status.ok()) << event.status;
      left = left.subspan(event.bytes);
      if (!left.empty()) transport().StartWrite(fd, left, std::nullopt);
    }
  }

  absl::Status WriteTo(int fd) {
    transport().StartWrite(fd, BytesOf(text_), std::nullopt);
    return Await(Event::Kind::kWritten).status;
  }

  const std::string text_ = "some text";
};

TEST_P(Output, APipeGetsAllBytesInOrder) {
  const int fd = harness_->OpenPipe();
  const std::string text = RandomText(2'000'000, 1);
  harness_->ReadPipe();
  transport().StartWrite(fd, BytesOf(text), std::nullopt);
  WriteRest(fd, BytesOf(text));
  EXPECT_TRUE(harness_->EndPipe() == text);
}

TEST_P(Output, AFullPipeHoldsUpNothingAndGoesOnWhenItIsRead) {
  const Address address =
      harness_->Serve({{{Kind::kAwait, {}, 4}, {Kind::kSend, "pong"}, {Kind::kClose}}});
  const int fd = harness_->OpenPipe();
  const std::string text = RandomText(1'000'000, 2);
  std::span<const std::byte> left = BytesOf(text);
  transport().StartWrite(fd, left, std::nullopt);
  // As much as goes in before somebody reads, in all likelihood.
  for (;;) {
    const Turn turn = transport().Wait(transport().Now() + absl::Milliseconds(20));
    if (turn.events.empty()) break;
    left = left.subspan(turn.events[0].bytes);
    transport().StartWrite(fd, left, std::nullopt);
  }
  const ConnectionId id = Connect(address);
  SendText(id, "ping");
  EXPECT_EQ(ReceiveText(id, 4), "pong");
  EXPECT_TRUE(events_.empty());
  harness_->ReadPipe();
  WriteRest(fd, left);
  EXPECT_TRUE(harness_->EndPipe() == text);
}

TEST_P(Output, AFullDeviceIsResourceExhausted) {
  const absl::Status status = WriteTo(harness_->OpenFull());
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(std::string(status.message()), "write: ENOSPC (28): No space left on device");
}

TEST_P(Output, APipeThatNobodyReadsAnyMoreIsAborted) {
  const absl::Status status = WriteTo(harness_->OpenBroken());
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(std::string(status.message()), "write: EPIPE (32): Broken pipe");
}

TEST_P(Output, AFileIsWrittenAtItsPositionAndAtOffsets) {
  const int fd = harness_->OpenFile();
  const auto write = [&](const std::string& text, std::optional<uint64_t> offset) {
    transport().StartWrite(fd, BytesOf(text), offset);
    const Event event = Await(Event::Kind::kWritten);
    EXPECT_TRUE(event.status.ok()) << event.status;
    EXPECT_EQ(event.bytes, text.size());
  };
  write("one ", std::nullopt);
  write("two ", std::nullopt);
  write("ONE", 0);
  write("four", 14);
  EXPECT_EQ(harness_->FileContents(), std::string("ONE two \0\0\0\0\0\0four", 18));
}

INSTANTIATE_TEST_SUITE_P(Worlds, Output, testing::ValuesIn(kWorlds), NameOfParam);

}  // namespace
}  // namespace io
