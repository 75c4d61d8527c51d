// Connections, output and time: all that the client asks of an operating system.
//
// Three implementations: io_uring (io/uring_transport.h, the product), poll(2)
// (io/poll_transport.h, where io_uring is blocked: default containers, hardened
// hosts) and a simulated network with virtual time (io/simulated_transport.h, for
// tests). tests/io/transport_contract_test.cc holds all three to what is said here.
//
// Operations are started, and their outcomes come out of Wait() as events:
//
//   Connect()       -> kConnected     once per connection
//   StartReceive()  -> kReceived      at most one receive per connection at a time
//   StartSend()     -> kSent          at most one send per connection at a time;
//                                     SendNow() first, which has no event
//   StartWrite()    -> kWritten       at most one write per transport at a time
//   StartWriteAt()  -> kWrittenAt     at most one with each tag
//   StartSplice()   -> kSpliced       at most one per transport, and instead of a receive
//
// Memory: from a Start...() until its event has come out of Wait(), or until Close()
// has returned, the memory belongs to the transport (with io_uring: to the kernel).
// It must stay where it is and must not be touched.
//
// Threads: all functions but Wake(), and the destructor, belong to one thread at a time.
// They may go over to another thread while no operation is under way.
#ifndef IO_TRANSPORT_H_
#define IO_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "io/address.h"
#include "io/receive_into.h"

namespace io {

using ConnectionId = uint32_t;

// Tells the writes at offsets apart that are under way: a number below kMostWritesAt.
using WriteTag = uint32_t;
inline constexpr WriteTag kMostWritesAt = 8;

// Whether to connect from a port below 1024, which some servers take as a sign of a
// privileged process ("secure" exports).
enum class SourcePort : uint8_t {
  kAny,
  kReservedIfPossible,  // any port if there is none free or no privilege
  kReserved,            // fail with PermissionDenied or ResourceExhausted instead
};

struct ConnectOptions {
  SourcePort source_port = SourcePort::kAny;
};

// Why a splice ends before all of its bytes have moved, if that is for its output.
enum class OutputState : uint8_t {
  kTakes,    // it is not
  kFull,     // a pipe whose reader is slow
  kRefuses,  // its reader is gone, or see CanSplice(): a write will get on, or say why not
};

struct Event {
  enum class Kind : uint8_t {
    kConnected,
    kReceived,
    kSent,     // `bytes` of the memory were sent: maybe not all
    kWritten,  // `bytes` of the memory were written: maybe not all
    kWrittenAt,
    kSpliced,  // `bytes` went from the connection to the output: maybe not all
  };
  Kind kind = Kind::kConnected;
  ConnectionId connection = 0;  // not of kWritten and kWrittenAt
  WriteTag tag = 0;             // of kWrittenAt
  // Why nothing (more) can come of the operation. After an error of any kind but
  // those the connection is of no use: Close() it. "The server closed the
  // connection" is an error of kReceived. Codes: Unavailable for everything that
  // another try later may mend, PermissionDenied and ResourceExhausted for the
  // machine's own refusals. Of the writes: Aborted when nobody reads the output any more
  // (EPIPE; SIGPIPE may have been raised as well, or not), the others as
  // io/errno_status.h says for OutputError().
  absl::Status status;
  size_t bytes = 0;  // at least 1 when status is OK, but for kConnected and as said below
  OutputState output = OutputState::kTakes;  // of kSpliced

  bool is_of_output() const { return kind == Kind::kWritten || kind == Kind::kWrittenAt; }
};

// Close() takes no events out of a turn that was already given: skip those of
// connections that were closed since.
struct Turn {
  absl::Time now;                 // read once, after the wait
  std::span<const Event> events;  // valid until the next Wait()
};

// What the machine knows of a connection.
struct ConnectionState {
  uint16_t source_port = 0;
  // When bytes of the peer last reached this machine, received or not; before the first
  // ones, when the connection was made.
  absl::Time last_heard = absl::InfinitePast();
  // TCP's estimate of the round trip: the least so far, and of late. Zero: not known.
  absl::Duration round_trip;
  absl::Duration recent_round_trip;
  // Bytes of the peer that have reached this machine, and segments that came after a gap.
  uint64_t received = 0;
  uint64_t out_of_order = 0;
  // How many bytes the machine lets the peer have under way at most; 0: not known. About:
  // it is half of the largest receive buffer.
  uint64_t receive_window = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;  // closes everything, as Close() does

  // Begins to connect to `address`; the outcome is a kConnected event. Fails at once
  // when the machine refuses (no socket, no reserved port), and with ResourceExhausted
  // when there are kMaxConnections (io/connection_table.h) already.
  virtual absl::StatusOr<ConnectionId> Connect(const Address& address,
                                               const ConnectOptions& options) = 0;

  // REQUIRES: the connection is connected, and has no receive (send) under way.
  virtual void StartReceive(ConnectionId connection, const ReceiveInto& into) = 0;
  virtual void StartSend(ConnectionId connection, std::span<const std::byte> bytes) = 0;

  // Sends as many bytes as the machine takes without waiting, and has done so when it
  // returns: how many, maybe none. What is wrong with the connection is left for
  // StartSend() to tell. REQUIRES: it is connected, and has no send under way.
  virtual size_t SendNow(ConnectionId connection, std::span<const std::byte> bytes) = 0;

  // REQUIRES: the connection is connected. Costs three system calls: not for every turn.
  virtual ConnectionState Inspect(ConnectionId connection) = 0;

  // Gives the connection a receive buffer of so many bytes, half of which count as window,
  // beyond what the machine gives by itself. Whether it did: that takes a privilege.
  // REQUIRES: it is connected.
  virtual bool EnlargeReceiveBuffer(ConnectionId connection, size_t bytes) = 0;

  // Ends the connection, whatever is under way on it, and waits (never for the peer)
  // until no memory of it belongs to the transport any more. No later turn has an event
  // of it. Its id is not given to a new connection for a long time.
  virtual void Close(ConnectionId connection) = 0;

  // Writes to an open file, pipe, socket or terminal at its position. May take fewer
  // bytes. Does not hold up the connections while a pipe's reader is slow. No bytes: waits
  // until a pipe has room or no reader, and ends with OK and 0 bytes. REQUIRES: no write of
  // this kind is under way.
  virtual void StartWrite(int fd, std::span<const std::byte> bytes) = 0;

  // Whether `fd` takes StartWriteAt(): a regular file, and not one that puts all at its end.
  virtual bool CanWriteAt(int fd) = 0;
  // Writes at `offset`, and leaves the position alone. May take fewer bytes. Several at a
  // time, which may end in any order. REQUIRES: CanWriteAt(fd), some bytes, a tag below
  // kMostWritesAt, with which no write is under way.
  virtual void StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                            WriteTag tag) = 0;

  // Whether bytes can go to `fd` by StartSplice(). FailedPrecondition: it is not a pipe.
  // Unimplemented, naming the errno: the kernel would not, when it was first tried.
  virtual absl::Status CanSplice(int fd) = 0;

  // Moves the next `bytes` of the connection's stream, all of which the peer is known to
  // send, to a pipe, without a copy. May wait until all of them have come. They move in
  // Wait() only, and the events of that very Wait() tell of all that have moved, so that
  // none is lost by a Close(). REQUIRES: bytes is at least 1, the connection is connected
  // and has no receive under way; no splice is, and no write.
  virtual void StartSplice(ConnectionId connection, int fd, size_t bytes) = 0;
  // Ends the splice, if one is under way, without an event.
  virtual void StopSplice() = 0;

  // Sleeps until there is an event, until `until`, or until Wake(), and gives the
  // events there are, maybe none.
  virtual Turn Wait(absl::Time until) = 0;

  // Makes the Wait() at hand, or else the next one, return at once. Any thread.
  virtual void Wake() = 0;

  // The clock that Wait() goes by.
  virtual absl::Time Now() = 0;

  // "uring", "poll" or "simulated".
  virtual const char* name() const = 0;
};

}  // namespace io

#endif  // IO_TRANSPORT_H_
