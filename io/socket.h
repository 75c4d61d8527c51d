// What the two transports of the kernel have in common: how a socket is made, from
// which port it connects, and how many bytes a receive on it waits for.
#ifndef IO_SOCKET_H_
#define IO_SOCKET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "io/address.h"
#include "io/transport.h"
#include "io/unique_fd.h"

namespace io {

// The reserved ports that connections may come from, 1023 down to 665 (those below
// belong to well-known services), each once, beginning anywhere.
class ReservedPorts {
 public:
  static constexpr uint16_t kFirst = 665;
  static constexpr uint16_t kLast = 1023;

  // `random`: any number; where to begin.
  explicit ReservedPorts(uint32_t random = 0);

  // Nothing when all have been given.
  std::optional<uint16_t> Next();

 private:
  uint16_t next_;
  int left_ = kLast - kFirst + 1;
};

// Makes the socket of a connection: several, one after the other, if it is to come
// from a reserved port and the ports that are tried first are taken.
class SocketMaker {
 public:
  SocketMaker() = default;
  // `flags`: SOCK_NONBLOCK or 0.
  SocketMaker(const Address& peer, SourcePort source_port, int flags);

  // The next TCP socket to connect with, bound if it has to be. ResourceExhausted: no
  // free port; PermissionDenied: no privilege for a reserved one.
  absl::StatusOr<UniqueFd> Next();

  // Whether connect() failed with `error` only because this very source port is in use
  // for this very peer. Then Next() may do better.
  bool NextMayDoBetter(int error) const;

  const Address& peer() const { return peer_; }

 private:
  absl::Status BindToReservedPort(int fd);

  Address peer_;
  SourcePort source_port_ = SourcePort::kAny;
  int flags_ = 0;
  ReservedPorts ports_;
  bool is_reserved_ = false;  // the port of the socket last made
};

// SO_RCVLOWAT: how many bytes have to be there before a socket counts as readable.
//
// A stream of 1 MiB replies arrives in hundreds of segments, and being woken up for
// each few of them costs more than all the rest of a receive. So a receive sleeps until
// all that is promised is there, if that is 64 KiB or more (and 1 MiB at most), or else
// until a byte is; with io_uring it does not even try before (IORING_RECVSEND_POLL_FIRST).
//
// It cannot stall. The threshold is about bytes that are queued and not yet taken, it
// is never above the promise, and none of what is promised is taken while a receive
// sleeps: one that has taken something ends, and the next has a smaller promise. (So
// MSG_WAITALL, which takes some and then sleeps, only goes with a threshold of 1.)
// The kernel wakes before the threshold when the stream ends or fails, and when its
// memory for the connection is used up.
//
// More may be expected than is promised: the replies to other calls. A receive that sleeps
// for it takes many replies at a time, but may sleep for ever: the server may have another
// answer, or none. So who sleeps sees to it that after kGrace SettleFor() is called. Then
// nothing but promises is waited for, for a while.
//
// A steady stream promises and expects the same every time, and nothing has to be set.
class ReceiveThreshold {
 public:
  static constexpr size_t kLarge = 64 * 1024;
  static constexpr size_t kAtMost = 1024 * 1024;  // the kernel may cap it lower
  // What is expected and has not come after so long may be slow, or never come.
  static constexpr absl::Duration kGrace = absl::Milliseconds(5);
  // For so many receives from then on nothing is expected.
  static constexpr int kPause = 128;

  static bool IsLarge(size_t bytes) { return bytes >= kLarge; }

  // Sets what a receive sleeps for, and returns it.
  size_t SetFor(size_t promised, size_t expected, int fd);
  size_t SetFor(size_t promised, int fd) { return SetFor(promised, promised, fd); }
  // Whether that is more than is promised.
  bool exceeds_promise() const { return exceeds_promise_; }
  // It has slept for kGrace: what is promised is all that it sleeps for from now on.
  void SettleFor(size_t promised, int fd);

 private:
  int set_ = 1;
  int pause_ = 0;
  bool exceeds_promise_ = false;
};

// As Transport::SendNow().
size_t SendNow(int fd, std::span<const std::byte> bytes);

}  // namespace io

#endif  // IO_SOCKET_H_
