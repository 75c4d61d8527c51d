// A channel over a transport, and the pump that turns it, in a simulated network.
#include "client/connection/connection.h"

#include <memory>
#include <string>

#include "client/connection/call.h"
#include "client/connection/pump.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/simulated_transport.h"
#include "tests/client/simulated_world.h"

namespace nfs {
namespace {

using testing::HasSubstr;

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest()
      : world_(absl::Milliseconds(10)),
        transport_(world_.network()),
        pump_(transport_),
        addresses_("server", {world_.At(0)}) {}

  std::unique_ptr<Connection> Make(uint16_t port = nfs3::kPort) {
    Connection::Options options;
    options.port = port;
    options.patience = absl::Seconds(3);
    options.channel.slots = 4;
    options.channel.timeout = absl::Seconds(1);
    options.channel.retransmissions = 2;
    return std::make_unique<Connection>(pump_, addresses_, options);
  }

  std::unique_ptr<Connection> Connect(uint16_t port = nfs3::kPort) {
    auto connection = Make(port);
    while (!connection->connected() && connection->status().ok()) {
      pump_.Turn(absl::InfiniteFuture());
    }
    return connection;
  }

  absl::Status Null(Connection& connection, absl::Time deadline = absl::InfiniteFuture()) {
    return Call<nfs3::Void>(pump_, connection, nfs3::kNull, nfs3::Void(), deadline).status();
  }

  void Rules(const char* rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()); }

  SimulatedWorld world_;
  io::SimulatedTransport transport_;
  Pump pump_;
  ServerAddresses addresses_;
};

TEST_F(ConnectionTest, CallsAndGetsItsReplyAfterOneRoundTrip) {
  auto connection = Connect();
  const absl::Time start = pump_.now();
  EXPECT_TRUE(Null(*connection).ok());
  EXPECT_EQ(pump_.now() - start, absl::Milliseconds(20));
  EXPECT_EQ(connection->calls_in_flight(), 0);
}

TEST_F(ConnectionTest, ThatIsRefusedNamesTheServer) {
  auto connection = Connect(4711);
  EXPECT_FALSE(connection->connected());
  EXPECT_THAT(std::string(connection->status().message()), HasSubstr("[127.0.0.1:4711]"));
}

TEST_F(ConnectionTest, ThatIsAnsweredByNothingNamesTheServer) {
  world_.SetLinks({.answers = false});
  auto connection = Connect();
  EXPECT_FALSE(connection->connected());
  EXPECT_EQ(connection->status().message(), "connect: no answer within 10s [127.0.0.1:2049]");
}

TEST_F(ConnectionTest, CarriesAsManyCallsAsItHasSlotsInOneRoundTrip) {
  auto connection = Connect();
  const absl::Time start = pump_.now();
  for (uint64_t tag = 0; tag < 4; ++tag) {
    connection->Call({.procedure = nfs3::kNull, .tag = tag}, nfs3::Void());
  }
  EXPECT_FALSE(connection->CanCall());
  for (int replies = 0; replies < 4;) {
    pump_.Turn(absl::InfiniteFuture());
    while (connection->NextReply()) ++replies;
  }
  EXPECT_EQ(pump_.now() - start, absl::Milliseconds(20));
}

TEST_F(ConnectionTest, SharesItsPumpWithOthers) {
  auto slow = Connect();
  auto quick = Connect(SimulatedWorld::kMountPort);
  Rules("NFS.NULL delay=500ms");
  slow->Call({.procedure = nfs3::kNull, .tag = 7}, nfs3::Void());
  EXPECT_TRUE(Call<nfs3::Void>(pump_, *quick, {100005, 3, 0, "NULL"}, nfs3::Void()).ok());
  std::optional<rpc::Reply> reply;
  while (!(reply = slow->NextReply())) pump_.Turn(absl::InfiniteFuture());
  EXPECT_EQ(reply->tag, 7u);
}

TEST_F(ConnectionTest, SendsACallThatIsNotAnsweredAgainWithTheSameXid) {
  Rules("NFS.NULL nth=1..2 drop");
  auto connection = Connect();
  EXPECT_TRUE(Null(*connection).ok());
  EXPECT_EQ(connection->counters().retransmissions, 2u);
  const auto calls = world_.server().log().calls(nfs3::kNull);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].xid, calls[2].xid);
}

TEST_F(ConnectionTest, GivesUpWhenEverythingIsUnanswered) {
  Rules("NFS.NULL drop");
  auto connection = Connect();
  const absl::Time start = pump_.now();
  const absl::Status status = Null(*connection);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(status.message(), "NULL: RPC: no reply within 3s [127.0.0.1:2049]");
  EXPECT_EQ(pump_.now() - start, absl::Seconds(3));
  EXPECT_FALSE(connection->connected());
}

TEST_F(ConnectionTest, StopsWaitingAtTheCallersDeadline) {
  Rules("NFS.NULL drop");
  auto connection = Connect();
  const absl::Time deadline = pump_.now() + absl::Milliseconds(100);
  EXPECT_EQ(Null(*connection, deadline).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(pump_.now(), deadline);
}

TEST_F(ConnectionTest, ThatLosesItsFramingIsClosed) {
  Rules("NFS.NULL raw=garbage!");
  auto connection = Connect();
  const absl::Status status = Null(*connection);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_FALSE(connection->connected());
  EXPECT_FALSE(connection->CanCall());
  EXPECT_EQ(connection->NextReply(), std::nullopt);
  pump_.Turn(pump_.now());  // and does not disturb the pump
}

TEST_F(ConnectionTest, MayBeDestroyedInEveryState) {
  Rules("NFS.NULL delay=30ms");
  for (int turns = 0; turns < 8; ++turns) {
    auto connection = Make();
    for (int turn = 0; turn < turns; ++turn) {
      if (connection->CanCall()) connection->Call({.procedure = nfs3::kNull}, nfs3::Void());
      pump_.Turn(pump_.now() + absl::Milliseconds(10));
    }
  }
}

TEST_F(ConnectionTest, ErrorsInContextNameProcedureAndServerOnce) {
  auto connection = Connect();
  const absl::Status bare = absl::DataLossError("XDR: bad");
  const absl::Status once = InContext(nfs3::kRead, bare, *connection);
  EXPECT_EQ(once.message(), "READ: XDR: bad [127.0.0.1:2049]");
  EXPECT_EQ(InContext(nfs3::kRead, once, *connection), once);
}

}  // namespace
}  // namespace nfs
