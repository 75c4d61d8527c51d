// Listening on a loopback address, and on no other, by TCP and UDP.
#ifndef TESTS_SERVER_LOOPBACK_ADDRESS_H_
#define TESTS_SERVER_LOOPBACK_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "io/unique_fd.h"
#include "tests/server/call.h"

namespace server {

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

// InvalidArgument: `address` is no loopback address.
absl::StatusOr<SocketAddress> ToLoopback(const std::string& address, uint16_t port);

// A non-blocking socket that listens on `port` of `address` (kTcp), or is bound to it
// (kUdp). When `port` is 0 the kernel picks one, and it is put there. InvalidArgument: no
// loopback address.
absl::StatusOr<io::UniqueFd> ListenOn(const std::string& address, Transport transport,
                                      uint16_t& port);

uint16_t PortOf(const sockaddr_storage& address);

// Whose address that is. Its connection has no number yet.
Peer PeerOf(const sockaddr_storage& address, Transport transport);

}  // namespace server

#endif  // TESTS_SERVER_LOOPBACK_ADDRESS_H_
