// Tested by tests/io/transport_contract_test.cc and tests/io/output_contract_test.cc.
// What UringTransport makes of the completions of its ring.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/errno_status.h"
#include "io/uring_transport.h"

namespace io {

void UringTransport::OnCompletion(uint64_t user_data, int result) {
  const ConnectionId id = static_cast<ConnectionId>(user_data);
  switch (static_cast<Task>(user_data >> 32)) {
    case Task::kConnect: return OnConnected(id, connections_.Get(id), result);
    case Task::kReceive: return OnReceived(id, connections_.Get(id), result);
    case Task::kReadable: return OnReadable(id, connections_.Get(id));
    case Task::kSend: return OnSent(id, connections_.Get(id), result);
    case Task::kWrite: return OnWritten(result);
    case Task::kWritable: return OnWritable(result);
    case Task::kWriteAt: return OnWrittenAt(id, result);
    case Task::kWake: return OnWake();
    case Task::kCancel: return;  // the operation itself completes as well
  }
}

void UringTransport::OnConnected(ConnectionId id, Connection& connection, int result) {
  connection.connecting = false;
  if (connection.closing) return;
  absl::Status status;
  if (result < 0 && connection.sockets.NextMayDoBetter(-result)) {
    status = SubmitConnect(id, connection);
    if (status.ok()) return;
  } else if (result < 0) {
    status = SocketError("connect", -result, connection.sockets.peer());
  }
  AddEvent(Event::Kind::kConnected, id, 0, std::move(status));
}

// Whether for bytes, the end or an error is found out by the splice, or else by nobody.
void UringTransport::OnReadable(ConnectionId id, Connection& connection) {
  connection.polling = false;
  if (splice_.IsOf(id)) splice_.OnReadable();
}

void UringTransport::OnSent(ConnectionId id, Connection& connection, int result) {
  if (WasInterrupted(result) && !connection.closing) return SubmitSend(id, connection);
  connection.sending = false;
  if (connection.closing) return;
  absl::Status status;
  if (result < 0) status = SocketError("send", -result, connection.sockets.peer());
  AddEvent(Event::Kind::kSent, id, result, std::move(status));
}

void UringTransport::OnWritten(int result) {
  if (!write_.closing && result == -EINTR) return SubmitWrite();
  // An O_NONBLOCK pipe that is full: some kernels leave the waiting to us.
  if (!write_.closing && result == -EAGAIN) return SubmitWritable();
  write_.active = false;
  absl::Status status;
  if (result <= 0) status = OutputError(result < 0 ? -result : EIO);
  AddEvent(Event::Kind::kWritten, 0, result, std::move(status));
}

void UringTransport::OnWritable(int result) {
  if (result < 0 || write_.closing) return OnWritten(result < 0 ? result : -ECANCELED);
  if (!write_.bytes.empty()) return SubmitWrite();
  write_.active = false;
  AddEvent(Event::Kind::kWritten, 0, 0, absl::OkStatus());
}

void UringTransport::OnWrittenAt(WriteTag tag, int result) {
  if (WasInterrupted(result)) return SubmitWriteAt(tag);
  gathered_.push_back(writes_at_.End(tag, result));
}

void UringTransport::OnWake() {
  uint64_t count = 0;
  woken_ |= read(wake_.get(), &count, sizeof(count)) == sizeof(count);
  wake_submitted_ = false;
}

void UringTransport::AddEvent(Event::Kind kind, ConnectionId id, int result, absl::Status status) {
  const size_t bytes = static_cast<size_t>(std::max(result, 0));
  gathered_.push_back(
      {.kind = kind, .connection = id, .status = std::move(status), .bytes = bytes});
}

void UringTransport::FailOperations() {
  connections_.ForEach([this](ConnectionId id, Connection& connection) {
    const auto fail = [&](bool& under_way, Event::Kind kind) {
      if (under_way && !connection.closing) AddEvent(kind, id, 0, lost_);
      under_way = false;
    };
    fail(connection.connecting, Event::Kind::kConnected);
    fail(connection.receiving, Event::Kind::kReceived);
    fail(connection.sending, Event::Kind::kSent);
    connection.polling = false;
  });
  if (splice_.active()) AddEvent(Event::Kind::kSpliced, splice_.connection(), 0, lost_);
  splice_.Stop();
  if (std::exchange(write_.active, false)) AddEvent(Event::Kind::kWritten, 0, 0, lost_);
  writes_at_.ForEach([this](WriteTag tag, const FileWrites::Write&) {
    gathered_.push_back(writes_at_.End(tag, -EIO));
    gathered_.back().status = lost_;
  });
}

void UringTransport::SleepWithoutRing(absl::Duration timeout) {
  const absl::Duration at_most = std::clamp(timeout, absl::ZeroDuration(), absl::Hours(1));
  const timespec limit = absl::ToTimespec(at_most);
  pollfd wake = {.fd = wake_.get(), .events = POLLIN, .revents = 0};
  if (ppoll(&wake, 1, &limit, nullptr) > 0) OnWake();
}

}  // namespace io
