// Tested by tests/io/socket_test.cc and tests/io/source_port_test.cc.
#include "io/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "absl/time/time.h"
#include "io/errno_status.h"

namespace io {

namespace {

void SetOption(int fd, int level, int name, int value) {
  // None of the options used here can fail on a TCP socket.
  (void)setsockopt(fd, level, name, &value, sizeof(value));
}

// A peer that has gone without a word is noticed by the kernel, whether it owes us an
// answer (keepalive) or an acknowledgement (user timeout, which bounds the other as
// well). The probes are close together because a machine that has started anew answers
// them with a reset: so its return is noticed within an interval. They also keep alive
// what routers on the way remember of an idle connection.
constexpr int kIdleSeconds = 10;
constexpr int kProbeSeconds = 2;
constexpr int kSilentProbes = 10;
constexpr int kUserTimeoutMilliseconds = 30'000;

void SetOptions(int fd) {
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, kSilentProbes);
  SetOption(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMilliseconds);
}

Address AnyHost(int family) {
  sockaddr_storage any = {};  // all zeros is INADDR_ANY, and in6addr_any
  any.ss_family = static_cast<sa_family_t>(family);
  return Address(reinterpret_cast<const sockaddr*>(&any),
                 family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
}

}  // namespace

ReservedPorts::ReservedPorts(uint32_t random)
    : next_(static_cast<uint16_t>(kFirst + random % (kLast - kFirst + 1))) {}

std::optional<uint16_t> ReservedPorts::Next() {
  if (left_ == 0) return std::nullopt;
  --left_;
  const uint16_t port = next_;
  next_ = port == kFirst ? kLast : static_cast<uint16_t>(port - 1);
  return port;
}

SocketMaker::SocketMaker(const Address& peer, SourcePort source_port, int flags)
    : peer_(peer), source_port_(source_port), flags_(flags), ports_(std::random_device()()) {}

absl::StatusOr<UniqueFd> SocketMaker::Next() {
  UniqueFd fd(socket(peer_.family(), SOCK_STREAM | SOCK_CLOEXEC | flags_, IPPROTO_TCP));
  if (fd.get() < 0) return SocketError("socket", errno, peer_);
  SetOptions(fd.get());
  if (source_port_ == SourcePort::kAny) return fd;
  const absl::Status bound = BindToReservedPort(fd.get());
  is_reserved_ = bound.ok();
  if (!bound.ok() && source_port_ == SourcePort::kReserved) return bound;
  return fd;
}

absl::Status SocketMaker::BindToReservedPort(int fd) {
  // Another connection's port will do if that one goes to another peer: whether it
  // does is found out by connect().
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  int error = EADDRINUSE;
  while (const std::optional<uint16_t> port = ports_.Next()) {
    const Address from = AnyHost(peer_.family()).WithPort(*port);
    if (bind(fd, from.raw(), from.raw_size()) == 0) return absl::OkStatus();
    error = errno;
    if (error != EADDRINUSE) break;
  }
  return SocketError("bind to a port below 1024", error, peer_);
}

bool SocketMaker::NextMayDoBetter(int error) const {
  return is_reserved_ && (error == EADDRNOTAVAIL || error == EADDRINUSE);
}

size_t SendNow(int fd, std::span<const std::byte> bytes) {
  const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent > 0 ? static_cast<size_t>(sent) : 0;
}

size_t ReceiveThreshold::SetFor(size_t promised, size_t expected, int fd) {
  exceeds_promise_ = expected > promised && IsLarge(expected) && pause_ == 0;
  if (pause_ > 0) --pause_;
  const size_t bytes = exceeds_promise_ ? expected : promised;
  const size_t wanted = IsLarge(bytes) ? std::min(bytes, kAtMost) : 1;
  if (static_cast<int>(wanted) != set_) {
    set_ = static_cast<int>(wanted);
    SetOption(fd, SOL_SOCKET, SO_RCVLOWAT, set_);
  }
  return wanted;
}

void ReceiveThreshold::SettleFor(size_t promised, int fd) {
  pause_ = kPause;
  SetFor(promised, fd);
}

}  // namespace io
