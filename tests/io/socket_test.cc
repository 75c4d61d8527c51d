// The parts of io/socket.h by themselves.
#include "io/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <set>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace io {
namespace {

TEST(ReservedPorts, GivesEachOnceWhereverItBegins) {
  for (uint32_t random = 0; random < 800; ++random) {
    ReservedPorts ports(random);
    std::set<uint16_t> given;
    while (const auto port = ports.Next()) {
      EXPECT_GE(*port, 665);
      EXPECT_LE(*port, 1023);
      EXPECT_TRUE(given.insert(*port).second) << *port << " twice";
    }
    EXPECT_EQ(given.size(), 359u);
  }
}

TEST(ReservedPorts, GoDownAndThenWrap) {
  ReservedPorts ports(1);
  EXPECT_EQ(ports.Next(), 666);
  EXPECT_EQ(ports.Next(), 665);
  EXPECT_EQ(ports.Next(), 1023);
}

int LowWaterMark(int fd) {
  int value = 0;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &value, &size), 0);
  return value;
}

TEST(ReceiveThreshold, IsNeverAboveThePromise) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ReceiveThreshold threshold;
  for (const size_t promised : {1u, 65535u, 65536u, 1'000'000u, 1u, 132u, 1u << 20, 1u << 26, 1u}) {
    threshold.SetFor(promised, fd.get());
    EXPECT_LE(LowWaterMark(fd.get()), static_cast<int>(promised));
    EXPECT_LE(LowWaterMark(fd.get()), 1 << 20);
    if (promised < 65536) {
      EXPECT_EQ(LowWaterMark(fd.get()), 1);
    }
    if (promised == 65536) {
      EXPECT_EQ(LowWaterMark(fd.get()), 65536);
    }
  }
}

TEST(ReceiveThreshold, IsWhatIsExpectedButForAWhileAfterThatDidNotCome) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ReceiveThreshold threshold;
  EXPECT_EQ(threshold.SetFor(70'000, 200'000, fd.get()), 200'000u);
  EXPECT_TRUE(threshold.exceeds_promise());
  EXPECT_EQ(LowWaterMark(fd.get()), 200'000);
  threshold.SettleFor(70'000, fd.get());
  EXPECT_FALSE(threshold.exceeds_promise());
  EXPECT_EQ(LowWaterMark(fd.get()), 70'000);
  for (int i = 1; i < ReceiveThreshold::kPause; ++i) {
    ASSERT_EQ(threshold.SetFor(1, 200'000, fd.get()), 1u) << i;
  }
  EXPECT_EQ(threshold.SetFor(1, 200'000, fd.get()), 200'000u);
}

TEST(ReceiveThreshold, DoesNotWaitForLittleThatIsOnlyExpected) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ReceiveThreshold threshold;
  EXPECT_EQ(threshold.SetFor(5, 65'535, fd.get()), 1u);
  EXPECT_FALSE(threshold.exceeds_promise());
}

TEST(SocketMaker, MakesSocketsAsTheTransportsWantThem) {
  SocketMaker maker(Address::Loopback(2049), SourcePort::kAny, SOCK_NONBLOCK);
  const auto fd = maker.Next();
  ASSERT_TRUE(fd.ok()) << fd.status();
  EXPECT_FALSE(maker.NextMayDoBetter(EADDRNOTAVAIL)) << "nothing to choose from";
}

int OptionOf(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

// A machine that is gone is noticed within half a minute, one that has come back sooner.
TEST(SocketMaker, MakesSocketsThatNoticeAPeerThatIsGone) {
  SocketMaker maker(Address::Loopback(2049), SourcePort::kReservedIfPossible, 0);
  for (int socket = 0; socket < 3; ++socket) {  // every one that it makes
    const auto fd = maker.Next();
    ASSERT_TRUE(fd.ok()) << fd.status();
    const auto tcp = [&](int name) { return OptionOf(fd->get(), IPPROTO_TCP, name); };
    EXPECT_EQ(OptionOf(fd->get(), SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_LE(tcp(TCP_KEEPIDLE) + tcp(TCP_KEEPINTVL) * tcp(TCP_KEEPCNT), 30);
    EXPECT_LE(tcp(TCP_KEEPINTVL), 2);
    EXPECT_GT(tcp(TCP_USER_TIMEOUT), 0);
    EXPECT_LE(tcp(TCP_USER_TIMEOUT), 30'000);
    EXPECT_EQ(tcp(TCP_NODELAY), 1);
  }
}

TEST(SocketMaker, AFamilyThatTheMachineDoesNotHaveIsUnimplemented) {
  SocketMaker maker(Address(), SourcePort::kAny, 0);
  EXPECT_EQ(maker.Next().status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace io
