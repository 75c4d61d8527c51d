#include "tests/server/tcp_client.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

#include "tests/server/loopback_address.h"

namespace server {

namespace {

int ConnectIpv4(int fd, uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
}

int ConnectIpv6(int fd, uint16_t port) {
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_loopback;
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
}

}  // namespace

TcpClient::TcpClient(uint16_t port, bool ipv6)
    : fd_(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  const int result = ipv6 ? ConnectIpv6(fd_.get(), port) : ConnectIpv4(fd_.get(), port);
  if (result != 0) error_ = errno;
}

uint16_t TcpClient::local_port() const {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return PortOf(address);
}

bool TcpClient::Send(xdr::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(size));
  }
  return true;
}

size_t TcpClient::SendSome(xdr::ByteView bytes) {
  const ssize_t size = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return size < 0 ? 0 : static_cast<size_t>(size);
}

Bytes TcpClient::Receive(size_t size) {
  Bytes bytes(size);
  size_t got = 0;
  while (got < size) {
    const ssize_t result = ::recv(fd_.get(), bytes.data() + got, size - got, 0);
    if (result < 0) error_ = errno;
    if (result <= 0) break;
    got += static_cast<size_t>(result);
  }
  bytes.resize(got);
  return bytes;
}

std::vector<Reply> TcpClient::ReceiveReply() {
  Bytes record = Receive(4);
  if (record.size() < 4) return {};
  const Bytes rest = Receive(xdr::LoadUint32(record.data()) & 0x7fffffff);
  record.insert(record.end(), rest.begin(), rest.end());
  return DecodeReplies(record);
}

}  // namespace server
