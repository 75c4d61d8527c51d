// From a socket to a pipe by splice(2): the kernel hands the pages over that the bytes
// lie in. What the two transports of the kernel have in common.
//
// IORING_OP_SPLICE would go to a thread of the kernel every time, so the call is our own,
// in Wait(), and never blocks: not for the pipe, by its flag, and not for the socket,
// since it is only made when bytes are there.
#ifndef IO_PIPE_SPLICE_H_
#define IO_PIPE_SPLICE_H_

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "io/address.h"
#include "io/socket.h"
#include "io/transport.h"

namespace io {

// One at a time. Thread-compatible.
class PipeSplice {
 public:
  // As Transport::CanSplice.
  absl::Status CanSplice(int fd) const;

  // As Transport::StartSplice. REQUIRES: !active().
  void Start(ConnectionId connection, int socket, int pipe, size_t bytes);
  void Stop() { active_ = false; }
  bool active() const { return active_; }
  bool IsOf(ConnectionId connection) const { return active_ && connection_ == connection; }
  ConnectionId connection() const { return connection_; }

  // Whether it has nothing to do before the socket is readable.
  bool WaitsForSocket() const { return active_ && !ready_; }
  void OnReadable() { ready_ = true; }

  // Moves what can be moved now. Gives the kSpliced event at the end of the splice; if it
  // gives none, the socket has nothing, and `threshold` is set to what it waits for.
  std::optional<Event> Attempt(const Address& peer, ReceiveThreshold& threshold);

 private:
  std::optional<Event> End(absl::Status status, OutputState output);
  std::optional<Event> EndBySocket(absl::Status status);
  std::optional<Event> EndByOutput(int error);

  bool active_ = false;
  bool ready_ = false;
  ConnectionId connection_ = 0;
  int socket_ = -1;
  int pipe_ = -1;
  size_t bytes_ = 0;
  size_t moved_ = 0;      // of bytes_
  int refused_with_ = 0;  // the errno of a kernel that does not splice
};

}  // namespace io

#endif  // IO_PIPE_SPLICE_H_
