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

// Of a connected TCP socket. `now` is the time that the answer goes by.
ConnectionState InspectSocket(int fd, absl::Time now);

// SO_RCVLOWAT: how many bytes have to be there before a socket counts as readable.
//
// A stream of 1 MiB replies arrives in hundreds of segments, and being woken up for
// each few of them costs more than all the rest of a receive. So:
//
//   1. A receive is tried at once and takes what is there: as long as the peer is
//      ahead of us, nothing sleeps, and the bytes are still in the cache.
//   2. If nothing is there, it sleeps until all that is promised is there, if that is
//      64 KiB or more (and 1 MiB at most), or else until a byte is.
//
// Measured on the loopback interface: a peer that sends pieces of 64 KiB, somewhat
// slower than we could receive, makes for 1 wake-up per MiB instead of 15, and 0.16 s
// of CPU per GiB instead of 0.49; one that is faster, for 0.11 s instead of 0.14 to
// 0.22. Not to try before everything is there (IORING_RECVSEND_POLL_FIRST) costs 20 %
// more with the faster one.
//
// It cannot stall. The threshold is about bytes that are queued and not yet taken, it
// is never above the promise, and none of what is promised is taken while a receive
// sleeps: one that has taken something ends, and the next has a smaller promise. (So
// MSG_WAITALL, which takes some and then sleeps, only goes with a threshold of 1.)
// The kernel wakes before the threshold when the stream ends or fails, and when its
// memory for the connection is used up.
//
// A steady stream promises the same every time, and then nothing has to be set.
class ReceiveThreshold {
 public:
  static constexpr size_t kLarge = 64 * 1024;
  static constexpr size_t kAtMost = 1024 * 1024;  // the kernel may cap it lower

  static bool IsLarge(size_t promised) { return promised >= kLarge; }

  // Sets what a receive with this promise sleeps for.
  void SetFor(size_t promised, int fd);

 private:
  int set_ = 1;
};

// As Transport::SendNow().
size_t SendNow(int fd, std::span<const std::byte> bytes);

}  // namespace io

#endif  // IO_SOCKET_H_
