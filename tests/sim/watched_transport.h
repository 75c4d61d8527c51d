// A simulated transport that tells of connects, and of connections left behind.
#ifndef TESTS_SIM_WATCHED_TRANSPORT_H_
#define TESTS_SIM_WATCHED_TRANSPORT_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "io/simulated_transport.h"

namespace sim {

class WatchedTransport final : public io::SimulatedTransport {
 public:
  WatchedTransport(io::SimulatedNetwork& network,
                   std::function<void(const io::Address&)> on_connect,
                   std::function<void(const std::string&)> violate)
      : SimulatedTransport(network),
        on_connect_(std::move(on_connect)),
        violate_(std::move(violate)) {}
  ~WatchedTransport() override {
    const size_t open = open_connections();
    if (open != 0) violate_(absl::StrCat(open, " connections are open in the end"));
  }

  absl::StatusOr<io::ConnectionId> Connect(const io::Address& address,
                                           const io::ConnectOptions& options) override {
    on_connect_(address);
    return SimulatedTransport::Connect(address, options);
  }

 private:
  const std::function<void(const io::Address&)> on_connect_;
  const std::function<void(const std::string&)> violate_;
};

}  // namespace sim

#endif  // TESTS_SIM_WATCHED_TRANSPORT_H_
