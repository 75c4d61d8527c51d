// Tested by tests/io/splice_contract_test.cc and tests/io/kernel_splice_test.cc.
#include "io/pipe_splice.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cassert>
#include <cerrno>
#include <utility>

#include "io/errno_status.h"

namespace io {

namespace {

// Of a blocking socket as well, and without taking a byte.
ssize_t Peek(int socket) {
  char byte = 0;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

ssize_t Splice(int socket, int pipe, size_t bytes) {
  return splice(socket, nullptr, pipe, nullptr, bytes, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}

}  // namespace

absl::Status PipeSplice::CanSplice(int fd) const {
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISFIFO(about.st_mode)) {
    return absl::FailedPreconditionError("splice: the output is not a pipe");
  }
  if (refused_with_ == 0) return absl::OkStatus();
  return absl::UnimplementedError(OutputError("splice", refused_with_).message());
}

void PipeSplice::Start(ConnectionId connection, int socket, int pipe, size_t bytes) {
  assert(!active_ && bytes >= 1);
  active_ = ready_ = true;
  connection_ = connection;
  socket_ = socket;
  pipe_ = pipe;
  bytes_ = bytes;
  moved_ = 0;
}

std::optional<Event> PipeSplice::Attempt(const Address& peer, ReceiveThreshold& threshold) {
  while (moved_ < bytes_) {
    const ssize_t there = Peek(socket_);
    if (there == 0) return EndBySocket(PeerClosed(peer));
    if (there < 0 && errno == EINTR) continue;
    if (there < 0 && errno != EAGAIN) return EndBySocket(SocketError("recv", errno, peer));
    if (there < 0 && moved_ != 0) break;
    if (there < 0) {
      threshold.SetFor(bytes_, socket_);
      ready_ = false;
      return std::nullopt;
    }
    const ssize_t size = Splice(socket_, pipe_, bytes_ - moved_);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return EndByOutput(size < 0 ? errno : EINVAL);
    moved_ += static_cast<size_t>(size);
  }
  return End(absl::OkStatus(), OutputState::kTakes);
}

// After some bytes the error will be met again by the next operation.
std::optional<Event> PipeSplice::EndBySocket(absl::Status status) {
  return End(moved_ == 0 ? std::move(status) : absl::OkStatus(), OutputState::kTakes);
}

std::optional<Event> PipeSplice::EndByOutput(int error) {
  if (error == EAGAIN) return End(absl::OkStatus(), OutputState::kFull);
  if (error != EPIPE) refused_with_ = error;
  return End(absl::OkStatus(), OutputState::kRefuses);
}

std::optional<Event> PipeSplice::End(absl::Status status, OutputState output) {
  active_ = false;
  Event event;
  event.kind = Event::Kind::kSpliced;
  event.connection = connection_;
  event.status = std::move(status);
  event.bytes = moved_;
  event.output = output;
  return event;
}

}  // namespace io
