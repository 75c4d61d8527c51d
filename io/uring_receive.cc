// Tested by tests/io/transport_contract_test.cc.
// How the transport by io_uring receives.
#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/time/time.h"
#include "io/errno_status.h"
#include "io/uring_transport.h"

namespace io {

void UringTransport::StartReceive(ConnectionId id, const ReceiveInto& into) {
  AdoptThread();
  Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.receiving && into.IsValid());
  connection.receiving = true;
  connection.into = into;
  SubmitReceive(id, connection);
}

void UringTransport::SubmitReceive(ConnectionId id, Connection& connection) {
  const ReceiveInto& into = connection.into;
  const int fd = connection.fd.get();
  const size_t awaited = connection.threshold.SetFor(into.promised, into.expected, fd);
  if (connection.threshold.exceeds_promise()) {
    connection.settle_at = Now() + ReceiveThreshold::kGrace;
    settle_at_ = std::min(settle_at_, connection.settle_at);
  }
  const bool all = into.promised == into.size() && awaited == 1;
  const int flags = all ? MSG_WAITALL : 0;
  const bool polls_first =
      ReceiveThreshold::IsLarge(awaited) && ring_ != nullptr && ring_->can_poll_first();
  Submit(Task::kReceive, id, [&](io_uring_sqe* entry) {
    if ((into.first.empty() || into.second.empty()) && into.more.empty()) {
      const std::span<std::byte> only = into.first.empty() ? into.second : into.first;
      io_uring_prep_recv(entry, fd, only.data(), CapSize(only.size()), flags);
    } else {
      connection.message = {};
      connection.message.msg_iov = connection.vectors.data();
      into.ForEach([&connection](std::span<std::byte> span) {
        connection.vectors[connection.message.msg_iovlen++] = {span.data(), span.size()};
      });
      io_uring_prep_recvmsg(entry, fd, &connection.message, static_cast<unsigned>(flags));
    }
    // Or it would take what is there, little as it may be, and have to come again.
    if (polls_first) entry->ioprio |= IORING_RECVSEND_POLL_FIRST;
  });
}

void UringTransport::SettleForPromises() {
  const absl::Time now = Now();
  settle_at_ = absl::InfiniteFuture();
  connections_.ForEach([&](ConnectionId, Connection& connection) {
    if (!connection.receiving || !connection.threshold.exceeds_promise()) return;
    if (connection.settle_at <= now) {
      connection.threshold.SettleFor(connection.into.promised, connection.fd.get());
    } else {
      settle_at_ = std::min(settle_at_, connection.settle_at);
    }
  });
}

void UringTransport::OnReceived(ConnectionId id, Connection& connection, int result) {
  if (WasInterrupted(result) && !connection.closing) return SubmitReceive(id, connection);
  connection.receiving = false;
  if (connection.closing) return;
  const Address& peer = connection.sockets.peer();
  absl::Status status;
  if (result < 0) status = SocketError("recv", -result, peer);
  if (result == 0) status = PeerClosed(peer);
  AddEvent(Event::Kind::kReceived, id, result, std::move(status));
}

}  // namespace io
