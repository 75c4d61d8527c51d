#include "tests/server/udp_client.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "tests/server/loopback_address.h"

namespace server {

UdpClient::UdpClient(uint16_t port, const std::string& address) {
  absl::StatusOr<SocketAddress> to = ToLoopback(address, port);
  EXPECT_TRUE(to.ok()) << to.status();
  fd_ = io::UniqueFd(::socket(to->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  EXPECT_EQ(::connect(fd_.get(), to->raw(), to->size), 0);
}

uint16_t UdpClient::local_port() const {
  SocketAddress local;
  local.size = sizeof(local.storage);
  ::getsockname(fd_.get(), local.raw(), &local.size);
  return PortOf(local.storage);
}

void UdpClient::Send(xdr::ByteView bytes) {
  ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

Bytes UdpClient::Receive() {
  Bytes bytes(65536);
  const ssize_t size = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return bytes;
}

}  // namespace server
