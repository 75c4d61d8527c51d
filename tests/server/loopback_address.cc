// Tested by tests/server/loopback_server_test.cc.
#include "tests/server/loopback_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace server {

namespace {

bool ParseIpv4(const std::string& text, uint16_t port, SocketAddress& to) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::inet_pton(AF_INET, text.c_str(), &address.sin_addr) != 1) return false;
  std::memcpy(&to.storage, &address, sizeof(address));
  to.size = sizeof(address);
  return (ntohl(address.sin_addr.s_addr) >> 24) == 127;
}

bool ParseIpv6(const std::string& text, uint16_t port, SocketAddress& to) {
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, text.c_str(), &address.sin6_addr) != 1) return false;
  std::memcpy(&to.storage, &address, sizeof(address));
  to.size = sizeof(address);
  return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
}

absl::Status Errno(const char* what, Transport transport, uint16_t port) {
  const char* kind = transport == Transport::kTcp ? " TCP port " : " UDP port ";
  return absl::UnavailableError(
      absl::StrCat("server: ", what, kind, port, ": ", std::strerror(errno)));
}

// A restart takes its port back although connections of before are in TIME_WAIT. UDP has
// none of those, and there the option would let two servers have one port.
void ReuseAddress(int fd) {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

}  // namespace

absl::StatusOr<SocketAddress> ToLoopback(const std::string& address, uint16_t port) {
  SocketAddress local;
  if (ParseIpv4(address, port, local) || ParseIpv6(address, port, local)) return local;
  return absl::InvalidArgumentError(
      absl::StrCat("server: \"", address, "\" is not a loopback address"));
}

absl::StatusOr<io::UniqueFd> ListenOn(const std::string& address, Transport transport,
                                      uint16_t& port) {
  absl::StatusOr<SocketAddress> local = ToLoopback(address, port);
  if (!local.ok()) return local.status();
  const bool is_tcp = transport == Transport::kTcp;
  const int type = (is_tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
  io::UniqueFd fd(::socket(local->storage.ss_family, type, 0));
  const auto failed = [&](const char* what) { return Errno(what, transport, port); };
  if (fd.get() < 0) return failed("socket for");
  if (is_tcp) ReuseAddress(fd.get());
  if (::bind(fd.get(), local->raw(), local->size) != 0) return failed("bind to");
  if (is_tcp && ::listen(fd.get(), SOMAXCONN) != 0) return failed("listen on");
  if (::getsockname(fd.get(), local->raw(), &local->size) != 0) return failed("name of");
  port = PortOf(local->storage);
  return fd;
}

uint16_t PortOf(const sockaddr_storage& address) {
  sockaddr_in6 either;  // the port is at the same place in both
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  std::memcpy(&either, &address, sizeof(either));
  return ntohs(either.sin6_port);
}

Peer PeerOf(const sockaddr_storage& address, Transport transport) {
  sockaddr_in ipv4;
  sockaddr_in6 ipv6;
  std::memcpy(&ipv4, &address, sizeof(ipv4));
  std::memcpy(&ipv6, &address, sizeof(ipv6));
  const bool is_ipv4 = address.ss_family == AF_INET;
  const void* host = is_ipv4 ? static_cast<const void*>(&ipv4.sin_addr) : &ipv6.sin6_addr;
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(address.ss_family, host, text, sizeof(text));
  return {.source_port = PortOf(address), .address = text, .transport = transport};
}

}  // namespace server
