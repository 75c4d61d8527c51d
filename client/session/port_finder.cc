// Tested by tests/client/session_test.cc.
#include "client/session/port_finder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/connection/call.h"
#include "rpc/rpcbind.h"

namespace nfs {

namespace {

// Firewalls drop what they do not like to see on port 111, and then other ports
// still are to be tried.
constexpr absl::Duration kLongestConnect = absl::Seconds(5);
// ... as do those that take every connection for a port where nobody is.
constexpr absl::Duration kLongestAnswer = absl::Seconds(10);

// Whether the other version is worth a question.
bool MayKnowMore(const absl::StatusOr<uint16_t>& port) {
  return port.ok() ? *port == 0 : !absl::IsDeadlineExceeded(port.status());
}

rpc::Channel::Options ChannelOptions() {
  rpc::Channel::Options channel;
  channel.slots = 1;
  channel.results_bytes = 4096;
  return channel;
}

}  // namespace

PortFinder::PortFinder(Dialer& dialer, const Options& options)
    : dialer_(dialer), options_(options) {}

absl::Status PortFinder::Connect() {
  if (connection_ != nullptr || !connect_status_.ok()) return connect_status_;
  // From any port: the reserved ones are few, and rpcbind does not ask for them.
  auto connection = dialer_.Dial({.port = rpc::kRpcbindPort,
                                  .timeout = std::min(options_.connect_timeout, kLongestConnect),
                                  .channel = ChannelOptions()});
  if (connection.ok()) {
    connection_ = *std::move(connection);
  } else {
    connect_status_ = Prepend("rpcbind: ", connection.status());
  }
  return connect_status_;
}

void PortFinder::Close() {
  connection_.reset();
  connect_status_ = absl::OkStatus();
}

absl::StatusOr<uint16_t> PortFinder::Find(uint32_t program, uint32_t version) {
  const absl::Status connected = Connect();
  if (!connected.ok()) return connected;
  const bool is_ipv6 = connection_->address().family() == AF_INET6;
  absl::StatusOr<uint16_t> port = is_ipv6 ? Getaddr(program, version) : Getport(program, version);
  if (MayKnowMore(port)) {
    port = is_ipv6 ? Getport(program, version) : Getaddr(program, version);
  }
  if (!port.ok()) return Failed(port.status());
  if (*port != 0) return port;
  return absl::UnavailableError(absl::StrCat("rpcbind: program ", program, " version ", version,
                                             " is not registered for TCP [",
                                             connection_->address().ToString(), "]"));
}

absl::Status PortFinder::Failed(const absl::Status& status) {
  absl::Status failed = Prepend("rpcbind: ", status);
  if (absl::IsDeadlineExceeded(status)) {
    connection_.reset();
    connect_status_ = failed;
  }
  return failed;
}

absl::StatusOr<uint16_t> PortFinder::Getport(uint32_t program, uint32_t version) {
  if (!connection_->status().ok()) return connection_->status();
  const rpc::Mapping mapping = {program, version, rpc::IpProtocol::kTcp, 0};
  const auto result = Call<rpc::GetportResult>(dialer_.pump(), *connection_, rpc::kGetport, mapping,
                                               dialer_.pump().now() + kLongestAnswer);
  if (!result.ok()) return result.status();
  return static_cast<uint16_t>(result->port <= 65535 ? result->port : 0);
}

absl::StatusOr<uint16_t> PortFinder::Getaddr(uint32_t program, uint32_t version) {
  if (!connection_->status().ok()) return connection_->status();
  rpc::Rpcb rpcb;
  rpcb.program = program;
  rpcb.version = version;
  rpcb.netid = rpc::RpcbString(connection_->address().family() == AF_INET6 ? "tcp6" : "tcp");
  const auto result = Call<rpc::GetaddrResult>(dialer_.pump(), *connection_, rpc::kGetaddr, rpcb,
                                               dialer_.pump().now() + kLongestAnswer);
  // An old port mapper has no version 4, and then version 2 has said all there is.
  if (absl::IsUnimplemented(result.status())) return uint16_t{0};
  if (!result.ok()) return result.status();
  return rpc::PortOfUniversalAddress(result->address.text()).value_or(0);
}

}  // namespace nfs
