// Tested by tests/client/session_test.cc.
#include "client/session/dialer.h"

#include <limits>

namespace nfs {

Dialer::Dialer(Pump& pump, ServerAddresses& addresses, const Options& options, uint32_t seed)
    : pump_(pump),
      addresses_(addresses),
      options_(options),
      notice_(addresses.host(), options.announce),
      random_(seed) {}

io::SourcePort Dialer::source_port() const {
  switch (options_.reserved_port) {
    case ReservedPort::kTry: return io::SourcePort::kReservedIfPossible;
    case ReservedPort::kInsist: return io::SourcePort::kReserved;
    case ReservedPort::kNever: return io::SourcePort::kAny;
  }
  return io::SourcePort::kAny;
}

std::unique_ptr<Connection> Dialer::BeginToDial(const Call& call) {
  Connection::Options options;
  options.port = call.port;
  options.connect.source_port = call.source_port;
  options.connect_timeout = call.timeout;
  options.patience = Patience(options_);
  options.notice = &notice_;
  options.seed = random_();
  options.channel = call.channel;
  options.channel.xid_seed = random_();
  options.channel.timeout = options_.timeout;
  options.channel.retransmissions =
      options_.hard ? std::numeric_limits<int>::max() : options_.retransmissions;
  return std::make_unique<Connection>(pump_, addresses_, options);
}

absl::StatusOr<std::unique_ptr<Connection>> Dialer::Dial(const Call& call) {
  std::unique_ptr<Connection> connection = BeginToDial(call);
  while (!connection->connected()) {
    if (!connection->status().ok()) return connection->status();
    if (pump_.cancelled()) return absl::CancelledError("cancelled");
    pump_.Turn(absl::InfiniteFuture());
  }
  return connection;
}

}  // namespace nfs
