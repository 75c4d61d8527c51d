// Reserved source ports, in a network where all of them are ours.
#include <netinet/in.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/socket.h"
#include "io/unique_fd.h"
#include "tests/io/child.h"
#include "tests/io/contract_fixture.h"
#include "tests/io/scripted_listener.h"

namespace io {
namespace {

World world_of_child;

// Has to be set up in the child: a process with threads cannot enter a new network.
class Client {
 public:
  Client() {
    std::string why_not;
    harness_ = MakeHarness(world_of_child, &why_not);
    if (harness_ == nullptr) ADD_FAILURE() << why_not;
  }

  absl::Status Connect(const Address& address, SourcePort source_port) {
    Transport& transport = harness_->transport();
    const auto id = transport.Connect(address, {.source_port = source_port});
    if (!id.ok()) return id.status();
    const Turn turn = transport.Wait(absl::InfiniteFuture());
    EXPECT_EQ(turn.events.size(), 1u);
    return turn.events[0].status;
  }

 private:
  std::unique_ptr<Harness> harness_;
};

// Sockets on all reserved ports but the first `but`.
std::vector<UniqueFd> OccupyReservedPorts(int but) {
  std::vector<UniqueFd> taken;
  for (int port = ReservedPorts::kFirst + but; port <= ReservedPorts::kLast; ++port) {
    taken.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_port = htons(static_cast<uint16_t>(port));
    EXPECT_EQ(bind(taken.back().get(), reinterpret_cast<sockaddr*>(&any), sizeof(any)), 0) << port;
  }
  return taken;
}

class SourcePorts : public testing::TestWithParam<World> {
 protected:
  void SetUp() override {
    world_of_child = GetParam();
    std::string why_not;
    if (MakeHarness(GetParam(), &why_not) == nullptr) {
      GTEST_SKIP() << "NOT TESTED here: " << why_not;
    }
    if (!PassesInChild([] { _exit(EnterPrivateNetwork() ? 0 : 1); })) {
      GTEST_SKIP() << "NOT TESTED here: no private network, are you root?";
    }
  }
};

TEST_P(SourcePorts, AreBelow1024WhenAskedFor) {
  ExpectPassesInChild([] {
    ASSERT_TRUE(EnterPrivateNetwork());
    ScriptedListener listener(std::vector<Script>(3));
    {
      Client client;
      EXPECT_TRUE(client.Connect(listener.address(), SourcePort::kReserved).ok());
      EXPECT_TRUE(client.Connect(listener.address(), SourcePort::kReservedIfPossible).ok());
      EXPECT_TRUE(client.Connect(listener.address(), SourcePort::kAny).ok());
    }
    EXPECT_LT(listener.ClientPort(0), 1024);
    EXPECT_LT(listener.ClientPort(1), 1024);
    EXPECT_NE(listener.ClientPort(0), listener.ClientPort(1));
    EXPECT_GE(listener.ClientPort(2), 1024);
  });
}

TEST_P(SourcePorts, WithNoneFreeAreGivenUpOrAnError) {
  ExpectPassesInChild([] {
    ASSERT_TRUE(EnterPrivateNetwork());
    const std::vector<UniqueFd> taken = OccupyReservedPorts(0);
    ScriptedListener listener(std::vector<Script>(1));
    {
      Client client;
      const absl::Status status = client.Connect(listener.address(), SourcePort::kReserved);
      EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
      EXPECT_THAT(std::string(status.message()),
                  testing::HasSubstr("bind to a port below 1024: EADDRINUSE"));
      EXPECT_TRUE(client.Connect(listener.address(), SourcePort::kReservedIfPossible).ok());
    }
    EXPECT_GE(listener.ClientPort(0), 1024);
  });
}

// A port that is bound but leads to the same peer already is found out by connect().
TEST_P(SourcePorts, AreSharedByConnectionsToDifferentPeersOnly) {
  ExpectPassesInChild([] {
    ASSERT_TRUE(EnterPrivateNetwork());
    const std::vector<UniqueFd> taken = OccupyReservedPorts(2);
    ScriptedListener one(std::vector<Script>(3));
    ScriptedListener other(std::vector<Script>(1));
    {
      Client client;
      EXPECT_TRUE(client.Connect(one.address(), SourcePort::kReserved).ok());
      EXPECT_TRUE(client.Connect(one.address(), SourcePort::kReserved).ok());
      EXPECT_EQ(client.Connect(one.address(), SourcePort::kReserved).code(),
                absl::StatusCode::kResourceExhausted);
      EXPECT_TRUE(client.Connect(one.address(), SourcePort::kReservedIfPossible).ok());
      EXPECT_TRUE(client.Connect(other.address(), SourcePort::kReserved).ok());
    }
    EXPECT_EQ(one.ClientPort(0) + one.ClientPort(1), 665 + 666);
    EXPECT_GE(one.ClientPort(2), 1024);
    EXPECT_LT(other.ClientPort(0), 1024);
  });
}

TEST_P(SourcePorts, WithoutPrivilegeAreGivenUpOrAnError) {
  if (geteuid() != 0) GTEST_SKIP() << "NOT TESTED here: there are no privileges to drop";
  ExpectPassesInChild([] {
    ASSERT_TRUE(EnterPrivateNetwork());
    ScriptedListener listener(std::vector<Script>(1));
    Client client;
    ASSERT_TRUE(DropPrivileges());
    EXPECT_EQ(client.Connect(listener.address(), SourcePort::kReserved).code(),
              absl::StatusCode::kPermissionDenied);
    EXPECT_TRUE(client.Connect(listener.address(), SourcePort::kReservedIfPossible).ok());
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, SourcePorts, testing::Values(World::kUring, World::kPoll),
                         NameOfParam);

}  // namespace
}  // namespace io
