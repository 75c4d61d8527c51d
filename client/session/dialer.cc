// Tested by tests/client/session_test.cc.
#include "client/session/dialer.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

io::SourcePort SourcePortOf(ReservedPort choice) {
  switch (choice) {
    case ReservedPort::kTry: return io::SourcePort::kReservedIfPossible;
    case ReservedPort::kInsist: return io::SourcePort::kReserved;
    case ReservedPort::kNever: return io::SourcePort::kAny;
  }
  return io::SourcePort::kAny;
}

}  // namespace

Dialer::Dialer(Pump& pump, std::vector<io::Address> addresses, const Options& options)
    : pump_(pump), addresses_(std::move(addresses)) {
  assert(!addresses_.empty());
  connect_options_.source_port = SourcePortOf(options.reserved_port);
}

absl::StatusOr<std::unique_ptr<Connection>> Dialer::Dial(uint16_t port, absl::Duration timeout,
                                                         const rpc::Channel::Options& channel) {
  absl::Status status;
  for (size_t i = 0; i < addresses_.size(); ++i) {
    auto connection = DialOne(addresses_[i].WithPort(port), timeout, channel);
    if (connection.ok()) {
      std::rotate(addresses_.begin(), addresses_.begin() + i, addresses_.begin() + i + 1);
      return connection;
    }
    status = connection.status();
  }
  return status;
}

absl::StatusOr<std::unique_ptr<Connection>> Dialer::DialOne(const io::Address& address,
                                                            absl::Duration timeout,
                                                            const rpc::Channel::Options& channel) {
  auto connection = std::make_unique<Connection>(pump_, channel);
  connection->StartConnect(address, connect_options_);
  const absl::Time deadline = pump_.transport().Now() + timeout;
  while (!connection->connected()) {
    if (!connection->status().ok()) return connection->status();
    if (pump_.now() >= deadline) {
      return absl::UnavailableError(absl::StrCat("connect: no answer within ",
                                                 absl::FormatDuration(timeout), " [",
                                                 address.ToString(), "]"));
    }
    pump_.Turn(deadline);
  }
  return connection;
}

}  // namespace nfs
