// Tested by tests/server/loopback_server_test.cc.
#include "tests/server/server_loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/server/loopback_address.h"

namespace server {

namespace {

// iovecs for sendmsg(2).
iovec ToIovec(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

msghdr ToMessage(std::span<iovec> parts) {
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return message;
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

timespec PollTimeout(absl::Duration wait) {
  return absl::ToTimespec(std::clamp(wait, absl::ZeroDuration(), absl::Hours(1)));
}

// What came and was not looked at would turn the close into a reset.
void DiscardReceived(int fd) {
  char junk[4096];
  while (::recv(fd, junk, sizeof(junk), MSG_DONTWAIT) > 0) {
  }
}

// Of what the server does not take; the kernel makes it the least that it can do.
void BufferLittle(int fd) {
  const int bytes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

void CloseWithReset(int fd) {
  const linger no_linger = {.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &no_linger, sizeof(no_linger));
}

}  // namespace

ServerLoop::ServerLoop(Server& served, const ListenOptions& options)
    : served_(served), options_(options), stop_(::eventfd(0, EFD_CLOEXEC)) {}

absl::Status ServerLoop::Listen() {
  for (const ListenOptions::Port& port : options_.ports) {
    const absl::Status status = ListenAt(port);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ServerLoop::ListenAt(const ListenOptions::Port& port) {
  Place place = {0, 0, port.programs};
  if (port.tcp) {
    place.tcp = port.port;
    absl::StatusOr<io::UniqueFd> fd = ListenOn(options_.address, Transport::kTcp, place.tcp);
    if (!fd.ok()) return fd.status();
    listeners_.push_back({place, *std::move(fd)});
  }
  if (port.udp) {
    place.udp = port.tcp ? place.tcp : port.port;
    absl::StatusOr<io::UniqueFd> fd = BindUdp(port, place.udp);
    if (!fd.ok()) return fd.status();
    udp_ports_.emplace_back(served_, port.programs, *std::move(fd));
  }
  places_.push_back(place);
  return absl::OkStatus();
}

// The number that TCP was given may be taken.
absl::StatusOr<io::UniqueFd> ServerLoop::BindUdp(const ListenOptions::Port& port,
                                                 uint16_t& number) {
  absl::StatusOr<io::UniqueFd> fd = ListenOn(options_.address, Transport::kUdp, number);
  if (fd.ok() || port.port != 0) return fd;
  number = 0;
  return ListenOn(options_.address, Transport::kUdp, number);
}

void ServerLoop::Stop() { ::eventfd_write(stop_.get(), 1); }

void ServerLoop::Run() {
  for (;;) {
    FillPollSet(absl::Now());
    Wait(NextTime());
    const absl::Time now = absl::Now();
    if (poll_set_[0].revents != 0) return;
    Turn(now);
    connections_.remove_if([](const Connection& connection) { return connection.done; });
    for (Listener& listener : listeners_) {
      if (now >= listener.reopens) Reopen(listener);
    }
  }
}

// The poll set: the stop event, UDP, the listeners (-1 while one is shut), the connections.
void ServerLoop::FillPollSet(absl::Time now) {
  poll_set_.assign(1, {stop_.get(), POLLIN, 0});
  for (const UdpPort& port : udp_ports_) poll_set_.push_back({port.fd(), POLLIN, 0});
  for (const Listener& listener : listeners_) poll_set_.push_back({listener.fd.get(), POLLIN, 0});
  for (Connection& connection : connections_) {
    const int in = connection.protocol.CanReceive(now) ? POLLIN : 0;
    const int out = connection.blocked ? POLLOUT : 0;
    poll_set_.push_back({connection.fd.get(), static_cast<short>(in | out), 0});
  }
}

absl::Time ServerLoop::NextTime() const {
  absl::Time next = absl::InfiniteFuture();
  for (const UdpPort& port : udp_ports_) next = std::min(next, port.NextTime());
  for (const Listener& listener : listeners_) next = std::min(next, listener.reopens);
  for (const Connection& connection : connections_) {
    const ServerConnection& protocol = connection.protocol;
    next = std::min(next, connection.blocked ? protocol.NextReceive() : protocol.NextTime());
  }
  return next;
}

void ServerLoop::Wait(absl::Time until) {
  const timespec timeout = PollTimeout(until - absl::Now());
  if (::ppoll(poll_set_.data(), poll_set_.size(), &timeout, nullptr) > 0) return;
  for (pollfd& polled : poll_set_) polled.revents = 0;
}

void ServerLoop::Turn(absl::Time now) {
  size_t at = 1;
  for (UdpPort& port : udp_ports_) {
    if (poll_set_[at++].revents != 0) port.Receive(now);
    port.Send(now);
  }
  const size_t first_listener = std::exchange(at, at + listeners_.size());
  for (Connection& connection : connections_) {
    const short ready = poll_set_[at++].revents;
    if (ready & (POLLIN | POLLERR | POLLHUP)) Receive(connection, now);
    if (ready & POLLOUT) connection.blocked = false;
    if (!connection.done && !connection.blocked) Send(connection, now);
  }
  // Last, since these connections are not in the poll set yet.
  at = first_listener;
  for (Listener& listener : listeners_) {
    if (poll_set_[at++].revents != 0) Accept(listener, now);
  }
}

void ServerLoop::Accept(Listener& listener, absl::Time now) {
  sockaddr_storage peer;
  socklen_t size = sizeof(peer);
  io::UniqueFd fd(::accept4(listener.fd.get(), reinterpret_cast<sockaddr*>(&peer), &size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd.get() < 0) return;
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  Connection& connection = connections_.emplace_back(
      served_, listener, PeerOf(peer, Transport::kTcp), now, std::move(fd));
  if (connection.protocol.reads_slowly()) BufferLittle(connection.fd.get());
  Send(connection, now);
}

void ServerLoop::Receive(Connection& connection, absl::Time now) {
  // It has not been asked for bytes, so this is a client that is gone.
  if (!connection.protocol.CanReceive(now)) {
    connection.done = true;
    return;
  }
  const std::span<std::byte> into = connection.protocol.GetReceiveSpan();
  const ssize_t size = ::recv(connection.fd.get(), into.data(), into.size(), MSG_DONTWAIT);
  if (size > 0) return connection.protocol.OnReceived(static_cast<size_t>(size), now);
  if (size == 0 || !WouldBlock()) connection.done = true;
}

void ServerLoop::Send(Connection& connection, absl::Time now) {
  for (;;) {
    std::vector<iovec> parts;
    for (xdr::ByteView bytes : connection.protocol.Sendable(now)) parts.push_back(ToIovec(bytes));
    if (parts.empty()) return End(connection, now);
    const msghdr message = ToMessage(parts);
    const ssize_t size = ::sendmsg(connection.fd.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0) {
      connection.blocked = WouldBlock();
      connection.done = !connection.blocked;
      return;
    }
    connection.protocol.OnSent(static_cast<size_t>(size), now);
  }
}

void ServerLoop::End(Connection& connection, absl::Time now) {
  const Verdict verdict = connection.protocol.verdict();
  if (verdict.kind == Verdict::Kind::kOpen) return;
  if (verdict.kind == Verdict::Kind::kReset) CloseWithReset(connection.fd.get());
  if (verdict.kind == Verdict::Kind::kFin) DiscardReceived(connection.fd.get());
  connection.done = true;
  if (verdict.refuse > absl::ZeroDuration()) {
    connection.listener.fd = io::UniqueFd();
    connection.listener.reopens = now + verdict.refuse;
  }
}

void ServerLoop::Reopen(Listener& listener) {
  // The port was ours a moment ago, and SO_REUSEADDR takes it back.
  absl::StatusOr<io::UniqueFd> fd = ListenOn(options_.address, Transport::kTcp, listener.place.tcp);
  listener.reopens = fd.ok() ? absl::InfiniteFuture() : absl::Now() + absl::Milliseconds(50);
  if (fd.ok()) listener.fd = *std::move(fd);
}

}  // namespace server
