// What io/transport.h says of output, held against all three transports.
#include <csignal>
#include <optional>
#include <string>
#include <vector>

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
      if (!left.empty()) transport().StartWrite(fd, left);
    }
  }

  absl::Status WriteTo(int fd) {
    transport().StartWrite(fd, BytesOf(text_));
    return Await(Event::Kind::kWritten).status;
  }

  const std::string text_ = "some text";
};

TEST_P(Output, APipeGetsAllBytesInOrder) {
  const int fd = harness_->OpenPipe();
  const std::string text = RandomText(2'000'000, 1);
  harness_->ReadPipe();
  transport().StartWrite(fd, BytesOf(text));
  WriteRest(fd, BytesOf(text));
  EXPECT_TRUE(harness_->EndPipe() == text);
}

TEST_P(Output, AFullPipeHoldsUpNothingAndGoesOnWhenItIsRead) {
  const Address address =
      harness_->Serve({{{Kind::kAwait, {}, 4}, {Kind::kSend, "pong"}, {Kind::kClose}}});
  const int fd = harness_->OpenPipe();
  const std::string text = RandomText(1'000'000, 2);
  std::span<const std::byte> left = BytesOf(text);
  transport().StartWrite(fd, left);
  // As much as goes in before somebody reads, in all likelihood.
  for (;;) {
    const Turn turn = transport().Wait(transport().Now() + absl::Milliseconds(20));
    if (turn.events.empty()) break;
    left = left.subspan(turn.events[0].bytes);
    transport().StartWrite(fd, left);
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
    if (offset.has_value()) transport().StartWriteAt(fd, BytesOf(text), *offset, 0);
    if (!offset.has_value()) transport().StartWrite(fd, BytesOf(text));
    const Event event = Await(offset.has_value() ? Event::Kind::kWrittenAt : Event::Kind::kWritten);
    EXPECT_TRUE(event.status.ok()) << event.status;
    EXPECT_EQ(event.bytes, text.size());
  };
  write("one ", std::nullopt);
  write("ONE", 0);
  write("two ", std::nullopt);
  write("four", 14);
  EXPECT_EQ(harness_->FileContents(), std::string("ONE two \0\0\0\0\0\0four", 18));
}

TEST_P(Output, AFileTakesAsManyWritesAtATimeAsThereAreTags) {
  const int fd = harness_->OpenFile();
  ASSERT_TRUE(transport().CanWriteAt(fd));
  constexpr size_t kBytes = 300'000;
  const std::string text = RandomText(kMostWritesAt * kBytes, 3);
  const auto part = [&](WriteTag tag) { return BytesOf(text).subspan(tag * kBytes, kBytes); };
  std::vector<size_t> written(kMostWritesAt);
  for (WriteTag tag = kMostWritesAt; tag-- != 0;) {
    transport().StartWriteAt(fd, part(tag), tag * kBytes, tag);
  }
  for (size_t left = text.size(); left != 0;) {
    const Event event = Await(Event::Kind::kWrittenAt);
    ASSERT_TRUE(event.status.ok()) << event.status;
    ASSERT_LT(event.tag, kMostWritesAt);
    ASSERT_GE(event.bytes, 1u);
    const size_t at = written[event.tag] += event.bytes;
    ASSERT_LE(at, kBytes);
    left -= event.bytes;
    if (at == kBytes) continue;
    transport().StartWriteAt(fd, part(event.tag).subspan(at), event.tag * kBytes + at, event.tag);
  }
  EXPECT_TRUE(harness_->FileContents() == text);
}

TEST_P(Output, OnlyAFileIsWrittenAtOffsets) {
  EXPECT_FALSE(transport().CanWriteAt(harness_->OpenPipe()));
  EXPECT_FALSE(transport().CanWriteAt(harness_->OpenFull()));
}

INSTANTIATE_TEST_SUITE_P(Worlds, Output, testing::ValuesIn(kWorlds), NameOfParam);

}  // namespace
}  // namespace io
