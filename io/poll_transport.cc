// Tested by tests/io/transport_contract_test.cc.
#include "io/poll_transport.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>

#include "absl/time/time.h"
#include "io/clock.h"
#include "io/errno_status.h"
#include "io/tcp_state.h"

namespace io {

namespace {

int ConnectOutcome(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

ssize_t Receive(int fd, const ReceiveInto& into) {
  iovec vectors[ReceiveInto::kMostSpans];
  msghdr message = {};
  message.msg_iov = vectors;
  into.ForEach([&](std::span<std::byte> span) {
    vectors[message.msg_iovlen++] = {span.data(), span.size()};
  });
  return recvmsg(fd, &message, MSG_DONTWAIT);
}

timespec TimeoutUntil(absl::Time until) {
  const absl::Duration left = until - SteadyNow();
  return absl::ToTimespec(std::clamp(left, absl::ZeroDuration(), absl::Hours(1)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PollTransport>> PollTransport::Make() {
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake.get() < 0) return SocketError("eventfd", errno);
  return std::unique_ptr<PollTransport>(new PollTransport(std::move(wake)));
}

PollTransport::PollTransport(UniqueFd wake) : wake_(std::move(wake)) {
  events_.reserve(2 * kMaxConnections + 2 + kMostWritesAt);
}

absl::StatusOr<ConnectionId> PollTransport::Connect(const Address& address,
                                                    const ConnectOptions& options) {
  const std::optional<ConnectionId> id = connections_.Take();
  if (!id.has_value()) return TooManyConnections();
  Connection& connection = connections_.Get(*id);
  connection.sockets = SocketMaker(address, options.source_port, SOCK_NONBLOCK);
  const absl::Status status = BeginConnect(connection);
  if (status.ok()) return *id;
  connections_.Release(*id);
  return status;
}

absl::Status PollTransport::BeginConnect(Connection& connection) {
  const Address& peer = connection.sockets.peer();
  int error = 0;
  do {
    absl::StatusOr<UniqueFd> fd = connection.sockets.Next();
    if (!fd.ok()) return fd.status();
    connection.fd = *std::move(fd);
    error = connect(connection.fd.get(), peer.raw(), peer.raw_size()) == 0 ? 0 : errno;
  } while (connection.sockets.NextMayDoBetter(error));
  if (error != EINPROGRESS) connection.connect_error = error;
  connection.connect = {.active = true, .ready = error != EINPROGRESS};
  return absl::OkStatus();
}

void PollTransport::StartReceive(ConnectionId id, const ReceiveInto& into) {
  Connection& connection = connections_.Get(id);
  assert(!connection.connect.active && !connection.receive.active && into.IsValid());
  connection.into = into;
  connection.receive = {.active = true, .ready = true};
}

void PollTransport::StartSend(ConnectionId id, std::span<const std::byte> bytes) {
  Connection& connection = connections_.Get(id);
  assert(!connection.connect.active && !connection.send.active && !bytes.empty());
  connection.bytes = bytes;
  connection.send = {.active = true, .ready = true};
}

size_t PollTransport::SendNow(ConnectionId id, std::span<const std::byte> bytes) {
  const Connection& connection = connections_.Get(id);
  assert(!connection.connect.active && !connection.send.active && !bytes.empty());
  return io::SendNow(connection.fd.get(), bytes);
}

ConnectionState PollTransport::Inspect(ConnectionId id) {
  return InspectSocket(connections_.Get(id).fd.get(), Now());
}

bool PollTransport::EnlargeReceiveBuffer(ConnectionId id, size_t bytes) {
  return io::EnlargeReceiveBuffer(connections_.Get(id).fd.get(), bytes);
}

void PollTransport::Close(ConnectionId id) {
  if (splice_.IsOf(id)) splice_.Stop();
  connections_.Release(id);
}

void PollTransport::StartWrite(int fd, std::span<const std::byte> bytes) {
  output_.Start(fd, bytes);
}

void PollTransport::StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                                 WriteTag tag) {
  writes_at_.Begin(tag, {fd, bytes, offset});
}

void PollTransport::StartSplice(ConnectionId id, int fd, size_t bytes) {
  const Connection& connection = connections_.Get(id);
  assert(!connection.connect.active && !connection.receive.active && !output_.active());
  splice_.Start(id, connection.fd.get(), fd, bytes);
}

Turn PollTransport::Wait(absl::Time until) {
  events_.clear();
  AttemptAll();
  bool woken = false;
  do {
    woken = Poll(events_.empty() ? until : absl::InfinitePast());
    AttemptAll();
  } while (events_.empty() && !woken && Now() < until);
  return {Now(), events_};
}

void PollTransport::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));  // fails only when it is full, so awake
}

absl::Time PollTransport::Now() { return SteadyNow(); }

void PollTransport::AttemptAll() {
  connections_.ForEach([this](ConnectionId id, Connection& connection) {
    if (connection.connect.ready) AttemptConnect(id, connection);
    if (connection.receive.ready) AttemptReceive(id, connection);
    if (connection.send.ready) AttemptSend(id, connection);
  });
  if (splice_.active() && !splice_.WaitsForSocket()) AttemptSplice();
  if (std::optional<Event> event = output_.Attempt()) events_.push_back(*std::move(event));
  AttemptWritesAt();
}

void PollTransport::AttemptConnect(ConnectionId id, Connection& connection) {
  const int error = connection.connect_error.has_value() ? *connection.connect_error
                                                         : ConnectOutcome(connection.fd.get());
  connection.connect = {};
  AddEvent(
      Event::Kind::kConnected, id, 0,
      error == 0 ? absl::OkStatus() : SocketError("connect", error, connection.sockets.peer()));
}

void PollTransport::AttemptReceive(ConnectionId id, Connection& connection) {
  const ssize_t size = Receive(connection.fd.get(), connection.into);
  if (size < 0 && errno == EINTR) return;
  if (size < 0 && errno == EAGAIN) {
    connection.threshold.SetFor(connection.into.promised, connection.fd.get());
    connection.receive.ready = false;
    return;
  }
  const Address& peer = connection.sockets.peer();
  absl::Status status;
  if (size < 0) status = SocketError("recv", errno, peer);
  if (size == 0) status = PeerClosed(peer);
  connection.receive = {};
  AddEvent(Event::Kind::kReceived, id, size > 0 ? static_cast<size_t>(size) : 0, status);
}

void PollTransport::AttemptSend(ConnectionId id, Connection& connection) {
  const ssize_t size = send(connection.fd.get(), connection.bytes.data(), connection.bytes.size(),
                            MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size < 0 && errno == EINTR) return;
  if (size < 0 && errno == EAGAIN) {
    connection.send.ready = false;
    return;
  }
  absl::Status status;
  if (size < 0) status = SocketError("send", errno, connection.sockets.peer());
  connection.send = {};
  AddEvent(Event::Kind::kSent, id, size > 0 ? static_cast<size_t>(size) : 0, status);
}

void PollTransport::AttemptSplice() {
  Connection& connection = connections_.Get(splice_.connection());
  auto event = splice_.Attempt(connection.sockets.peer(), connection.threshold);
  if (event.has_value()) events_.push_back(*std::move(event));
}

// A file is always ready.
void PollTransport::AttemptWritesAt() {
  writes_at_.ForEach([this](WriteTag tag, const FileWrites::Write& write) {
    ssize_t size = 0;
    do size = pwrite(write.fd, write.bytes.data(), write.bytes.size(), write.position());
    while (size < 0 && errno == EINTR);
    events_.push_back(writes_at_.End(tag, size < 0 ? -errno : size));
  });
}

void PollTransport::AddEvent(Event::Kind kind, ConnectionId id, size_t bytes, absl::Status status) {
  events_.push_back({.kind = kind, .connection = id, .status = std::move(status), .bytes = bytes});
}

bool PollTransport::Poll(absl::Time until) {
  std::array<pollfd, kMaxConnections + 2> polled;
  size_t count = 0;
  polled[count++] = {.fd = wake_.get(), .events = POLLIN, .revents = 0};
  polled[count++] = {.fd = output_.waits_for(), .events = POLLOUT, .revents = 0};
  connections_.ForEach([&](ConnectionId id, Connection& connection) {
    const short events = PollEvents(id, connection);
    const int fd = events != 0 ? connection.fd.get() : -1;  // even then an error would wake
    polled[count++] = {.fd = fd, .events = events, .revents = 0};
  });
  const timespec timeout = TimeoutUntil(until);
  if (ppoll(polled.data(), count, &timeout, nullptr) <= 0) return false;
  if (polled[1].revents != 0) output_.OnWritable();
  size_t next = 2;
  connections_.ForEach([&](ConnectionId id, Connection& connection) {
    OnPolled(polled[next++].revents, id, connection);
  });
  return polled[0].revents != 0 && TakeWake();
}

short PollTransport::PollEvents(ConnectionId id, const Connection& connection) const {
  int events = 0;
  if (connection.receive.active || splice_.IsOf(id)) events |= POLLIN;
  if (connection.connect.active || connection.send.active) events |= POLLOUT;
  return static_cast<short>(events);
}

void PollTransport::OnPolled(short happened, ConnectionId id, Connection& connection) {
  const bool failed = (happened & (POLLERR | POLLHUP | POLLNVAL)) != 0;
  if (failed || (happened & POLLIN) != 0) {
    connection.receive.ready = connection.receive.active;
    if (splice_.IsOf(id)) splice_.OnReadable();
  }
  if (failed || (happened & POLLOUT) != 0) {
    connection.connect.ready = connection.connect.active;
    connection.send.ready = connection.send.active;
  }
}

bool PollTransport::TakeWake() {
  uint64_t count = 0;
  return read(wake_.get(), &count, sizeof(count)) == sizeof(count);
}

}  // namespace io
