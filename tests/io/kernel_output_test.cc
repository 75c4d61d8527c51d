// Output of every kind that the kernel has, and its peculiarities.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/engine.h"
#include "io/unique_fd.h"
#include "tests/io/child.h"
#include "tests/io/contract_fixture.h"

namespace io {
namespace {

struct Ends {
  UniqueFd in;   // to write to
  UniqueFd out;  // to read from
};

Ends MakePipe() {
  int ends[2] = {-1, -1};
  (void)!pipe2(ends, O_CLOEXEC);
  return {UniqueFd(ends[1]), UniqueFd(ends[0])};
}

Ends MakeSockets() {
  int ends[2] = {-1, -1};
  (void)socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A terminal that changes nothing of what goes through it.
Ends MakeTerminal() {
  UniqueFd out(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (grantpt(out.get()) != 0 || unlockpt(out.get()) != 0) return {};
  UniqueFd in(open(ptsname(out.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings;
  if (tcgetattr(in.get(), &settings) != 0) return {};
  cfmakeraw(&settings);
  tcsetattr(in.get(), TCSANOW, &settings);
  return {std::move(in), std::move(out)};
}

class KernelOutput : public Contract {
 protected:
  void SetUp() override {
    Contract::SetUp();
    if (harness_ == nullptr) return;
    ends_.push_back(MakePipe());
    ends_.push_back(MakeSockets());
    ends_.push_back(MakeTerminal());
  }

  // Whether a Wait() of some milliseconds gives no event.
  bool NothingHappens() {
    return transport().Wait(transport().Now() + absl::Milliseconds(20)).events.empty();
  }

  std::vector<Ends> ends_;
};

std::string ReadSome(int fd) {
  char space[3000];
  const ssize_t size = read(fd, space, sizeof(space));
  return size > 0 ? std::string(space, static_cast<size_t>(size)) : "";
}

// In one thread: a write that blocked would block for ever.
TEST_P(KernelOutput, OfEveryKindIsWrittenWhileTheReaderIsSlow) {
  const std::string text = RandomText(500'000, 1);
  for (const auto& [in, out] : ends_) {
    if (in.get() < 0) GTEST_SKIP() << "NOT TESTED here: there are no terminals";
    std::span<const std::byte> left = BytesOf(text);
    std::string read_back;
    transport().StartWrite(in.get(), left);
    while (read_back.size() < text.size()) {
      for (const Event& event : transport().Wait(transport().Now()).events) {
        ASSERT_TRUE(event.status.ok()) << event.status;
        left = left.subspan(event.bytes);
        if (!left.empty()) transport().StartWrite(in.get(), left);
      }
      fcntl(out.get(), F_SETFL, O_NONBLOCK);
      read_back += ReadSome(out.get());
    }
    EXPECT_TRUE(read_back == text);
    if (!left.empty()) Await(Event::Kind::kWritten);
  }
}

TEST_P(KernelOutput, OfEveryKindDoesNotHoldUpTheEnd) {
  const std::string text = RandomText(1'000'000, 1);
  for (const auto& [in, out] : ends_) {
    if (in.get() < 0) GTEST_SKIP() << "NOT TESTED here: there are no terminals";
    std::string why_not;
    harness_ = MakeHarness(GetParam(), &why_not);
    transport().StartWrite(in.get(), BytesOf(text));
    while (!NothingHappens()) transport().StartWrite(in.get(), BytesOf(text));
  }
}

TEST_P(KernelOutput, LeavesTheFlagsOfASharedOutputAlone) {
  const std::string text(1'000'000, 'x');
  for (const auto& [in, out] : ends_) {
    std::string why_not;
    harness_ = MakeHarness(GetParam(), &why_not);
    const int flags = fcntl(in.get(), F_GETFL);
    transport().StartWrite(in.get(), BytesOf(text));
    transport().Wait(transport().Now());
    EXPECT_EQ(fcntl(in.get(), F_GETFL), flags);
  }
}

TEST_P(KernelOutput, WaitsForAFullPipeThatDoesNotBlock) {
  const auto [in, out] = MakePipe();
  fcntl(in.get(), F_SETFL, O_NONBLOCK);
  while (write(in.get(), "full", 4) > 0) {
  }
  const std::string text = "after that";
  transport().StartWrite(in.get(), BytesOf(text));
  EXPECT_TRUE(NothingHappens());
  for (std::string read_back; read_back.size() < 65536;) read_back += ReadSome(out.get());
  EXPECT_TRUE(Await(Event::Kind::kWritten).status.ok());
  EXPECT_EQ(ReadSome(out.get()), text);
}

TEST_P(KernelOutput, ThatPutsAllAtItsEndIsNotWrittenAtOffsets) {
  const std::string path = testing::TempDir() + "append";
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  EXPECT_FALSE(transport().CanWriteAt(file.get()));
  fcntl(file.get(), F_SETFL, 0);
  EXPECT_TRUE(transport().CanWriteAt(file.get()));
}

TEST_P(KernelOutput, ThatFailsTellsWhichWriteItWas) {
  const UniqueFd file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const std::string text = "text";
  transport().StartWriteAt(file.get(), BytesOf(text), 7, 5);
  const Event event = Await(Event::Kind::kWrittenAt);
  EXPECT_EQ(event.tag, 5u);
  EXPECT_EQ(std::string(event.status.message()), "write: EBADF (9): Bad file descriptor");
}

TEST_P(KernelOutput, ThatIsAFileIsWrittenToItsEndBeforeTheTransportGoes) {
  const UniqueFd file(open(testing::TempDir().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.get() < 0) GTEST_SKIP() << "NOT TESTED here: no unnamed files";
  std::string text = RandomText(3'000'000, 1);
  transport().StartWriteAt(file.get(), BytesOf(text), 0, 0);
  transport().Wait(transport().Now());
  harness_ = nullptr;
  std::string read_back(text.size(), 0);
  (void)!pread(file.get(), read_back.data(), read_back.size(), 0);
  EXPECT_TRUE(read_back == text);
}

INSTANTIATE_TEST_SUITE_P(Worlds, KernelOutput, testing::Values(World::kUring, World::kPoll),
                         NameOfParam);

// Without a way to open the pipe once more it is written in small pieces, whenever
// there is room.
TEST(Poll, WritesToAPipeThatItCannotOpenOnceMore) {
  ExpectPassesInChild([] {
    auto transport = MakeTransport(Engine::kPoll);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_TRUE(BlockSystemCall(SYS_openat, EACCES));
    std::string text = RandomText(300'000, 1), read_back;
    (*transport)->StartWrite(ends[1], BytesOf(text));
    char space[7000];
    while ((*transport)->Wait((*transport)->Now()).events.empty()) {
      const ssize_t size = read(ends[0], space, sizeof(space));
      ASSERT_GT(size, 0);
      read_back.append(space, static_cast<size_t>(size));
    }
    close(ends[1]);
    for (ssize_t size; (size = read(ends[0], space, sizeof(space))) > 0;) {
      read_back.append(space, static_cast<size_t>(size));
    }
    EXPECT_TRUE(read_back == text);
  });
}

}  // namespace
}  // namespace io
