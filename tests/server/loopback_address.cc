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

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
};

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

absl::Status Errno(const char* what, uint16_t port) {
  return absl::UnavailableError(
      absl::StrCat("server: ", what, " port ", port, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<io::UniqueFd> ListenOn(const std::string& address, uint16_t& port) {
  SocketAddress local;
  if (!ParseIpv4(address, port, local) && !ParseIpv6(address, port, local)) {
    return absl::InvalidArgumentError(
        absl::StrCat("server: \"", address, "\" is not a loopback address"));
  }
  io::UniqueFd fd(::socket(local.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return Errno("socket for", port);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(fd.get(), local.raw(), local.size) != 0) return Errno("bind to", port);
  if (::listen(fd.get(), SOMAXCONN) != 0) return Errno("listen on", port);
  if (::getsockname(fd.get(), local.raw(), &local.size) != 0) return Errno("name of", port);
  port = PortOf(local.storage);
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
