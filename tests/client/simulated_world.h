// A server, a network and a clock in one process, for tests of the session and what is
// above it.
#ifndef TESTS_CLIENT_SIMULATED_WORLD_H_
#define TESTS_CLIENT_SIMULATED_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/options.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "io/address.h"
#include "io/resolver.h"
#include "io/simulated_network.h"
#include "io/simulated_transport.h"
#include "tests/server/server.h"
#include "tests/server/simulated_server.h"

namespace nfs {

// rpcbind on port 111, MOUNT on 635 and NFS on 2049 of one address, exporting
// "/export". Time stands still but in the client's waits.
class SimulatedWorld {
 public:
  static constexpr uint16_t kMountPort = 635;

  explicit SimulatedWorld(absl::Duration one_way_delay = absl::ZeroDuration());

  server::Server& server() { return server_; }
  server::FileTree& tree() { return server_.tree(); }
  server::SimulatedServer& simulated() { return simulated_; }
  io::SimulatedNetwork& network() { return network_; }
  io::Address At(uint16_t port) const { return address_.WithPort(port); }
  Options& options() { return options_; }
  // Where the client finds the server; the simulated one is at At(port) only.
  void SetAddresses(io::Addresses addresses) { addresses_ = std::move(addresses); }
  // Whom the next session that is opened asks when they do not work any more.
  void SetResolver(std::unique_ptr<io::Resolver> resolver) { resolver_ = std::move(resolver); }

  // The way to one port, or to all three.
  void SetLink(uint16_t port, const io::LinkPolicy& policy);
  void SetLinks(const io::LinkPolicy& policy);

  absl::StatusOr<std::unique_ptr<Session>> Open(absl::string_view path);

  // Everything of the file that came, and how it ended.
  struct Outcome {
    absl::Status status;
    std::vector<std::byte> bytes;
    absl::Duration opening;    // virtual time until the file was open
    absl::Duration streaming;  // ... and from then to the end
    FileStream::Counters counters;
    Connection::Counters connection;
  };
  Outcome Stream(absl::string_view path, const Range& range = Range());

 private:
  io::SimulatedNetwork network_;
  const io::Address address_ = io::Address::Loopback(0);
  server::Server server_;
  server::SimulatedServer simulated_;
  Options options_;
  io::Addresses addresses_ = {address_};
  std::unique_ptr<io::Resolver> resolver_;
};

// The bytes that PatternContents(size, seed) has in the range.
std::vector<std::byte> PatternOf(uint64_t offset, size_t bytes, uint64_t seed = 0);

}  // namespace nfs

#endif  // TESTS_CLIENT_SIMULATED_WORLD_H_
