// The transport by io_uring: one system call per turn starts all that is to be started
// and waits.
#ifndef IO_URING_TRANSPORT_H_
#define IO_URING_TRANSPORT_H_

#include <sys/socket.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "io/connection_table.h"
#include "io/file_writes.h"
#include "io/pipe_splice.h"
#include "io/ring.h"
#include "io/socket.h"
#include "io/transport.h"
#include "io/unique_fd.h"

namespace io {

// At most kMaxConnections at a time; Connect() gives ResourceExhausted beyond.
// Allocates at construction only, but for error texts.
//
// May be used by one thread and then by another. A ring is one thread's (io/ring.h),
// so the first call from another thread makes the transport a new ring, which is why
// nothing may be under way then. Should that fail, or the kernel stop to let us use
// the ring, then all operations fail with the reason, and Close() works.
//
// A write to a pipe whose reader has gone raises SIGPIPE, as write(2) does, when the
// kernel made it in our thread, and does not when it used a thread of its own (before
// Linux 6.4). The event is the same in both cases: Aborted.
class UringTransport final : public Transport {
 public:
  // Fails as Ring::Make() does.
  static absl::StatusOr<std::unique_ptr<UringTransport>> Make();
  ~UringTransport() override;

  absl::StatusOr<ConnectionId> Connect(const Address& address,
                                       const ConnectOptions& options) override;
  void StartReceive(ConnectionId connection, const ReceiveInto& into) override;
  void StartSend(ConnectionId connection, std::span<const std::byte> bytes) override;
  size_t SendNow(ConnectionId connection, std::span<const std::byte> bytes) override;
  ConnectionState Inspect(ConnectionId connection) override;
  bool EnlargeReceiveBuffer(ConnectionId connection, size_t bytes) override;
  void Close(ConnectionId connection) override;
  void StartWrite(int fd, std::span<const std::byte> bytes) override;
  bool CanWriteAt(int fd) override { return TakesWritesAt(fd); }
  void StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                    WriteTag tag) override;
  absl::Status CanSplice(int fd) override { return splice_.CanSplice(fd); }
  void StartSplice(ConnectionId connection, int fd, size_t bytes) override;
  void StopSplice() override { splice_.Stop(); }
  Turn Wait(absl::Time until) override;
  void Wake() override;
  absl::Time Now() override;
  const char* name() const override { return "uring"; }

 private:
  // What a completion is of. Its user_data is
  //
  //   | task (32) | connection id (32) |
  enum class Task : uint32_t {
    kConnect,
    kReceive,
    kReadable,
    kSend,
    kWrite,
    kWritable,
    kWriteAt,
    kWake,
    kCancel,
  };

  struct Connection {
    bool IsBusy() const { return connecting || receiving || sending; }
    // Whether the ring has something of it.
    bool IsInRing() const { return IsBusy() || polling; }

    SocketMaker sockets;
    UniqueFd fd;
    ReceiveThreshold threshold;
    absl::Time settle_at;  // when a receive has waited for long enough for what is expected
    // Under way: the kernel owns what is below.
    bool connecting = false;
    bool receiving = false;
    bool polling = false;  // for a splice, which may have ended since
    bool sending = false;
    bool closing = false;  // no more events
    ReceiveInto into;
    std::array<iovec, ReceiveInto::kMostSpans> vectors;  // of `into`
    msghdr message = {};                                 // of `vectors`
    std::span<const std::byte> bytes;
  };

  struct Write {
    bool active = false;
    bool closing = false;
    int fd = -1;
    std::span<const std::byte> bytes;
  };

  UringTransport(UniqueFd wake, std::unique_ptr<Ring> ring);

  void AdoptThread();
  bool IsBusy();

  static uint64_t UserData(Task task, ConnectionId id) {
    return uint64_t{static_cast<uint32_t>(task)} << 32 | id;
  }
  // Queues what prepare(entry) makes of an entry. Without a ring, the next Pump() tells.
  void Submit(Task task, ConnectionId id, auto&& prepare) {
    if (ring_ == nullptr) return;
    io_uring_sqe* entry = ring_->GetEntry();
    prepare(entry);
    io_uring_sqe_set_data64(entry, UserData(task, id));
  }
  absl::Status SubmitConnect(ConnectionId id, Connection& connection);
  void SubmitReceive(ConnectionId id, Connection& connection);
  // Those receives that have slept for long enough for what is only expected.
  void SettleForPromises();
  void SubmitSend(ConnectionId id, Connection& connection);
  bool IsTerminal(int fd);
  void SubmitWrite();
  void SubmitWritable();
  void SubmitWriteAt(WriteTag tag);
  void AttemptSplice();
  void SubmitWake();
  void Cancel(Task task, ConnectionId id);

  // Submits, waits, takes the completions; outcomes go to gathered_.
  void Pump(absl::Duration timeout);
  void OnCompletion(uint64_t user_data, int result);
  void OnConnected(ConnectionId id, Connection& connection, int result);
  void OnReceived(ConnectionId id, Connection& connection, int result);
  void OnReadable(ConnectionId id, Connection& connection);
  void OnSent(ConnectionId id, Connection& connection, int result);
  void OnWritten(int result);
  void OnWritable(int result);
  void OnWrittenAt(WriteTag tag, int result);
  void OnWake();
  void AddEvent(Event::Kind kind, ConnectionId id, int result, absl::Status status);

  // Without a ring: everything under way has failed.
  void FailOperations();
  void SleepWithoutRing(absl::Duration timeout);

  ConnectionTable<Connection> connections_;
  Write write_;
  int asked_fd_ = -1;         // of the last write, and
  bool is_terminal_ = false;  // whether that is a terminal
  FileWrites writes_at_;
  PipeSplice splice_;
  UniqueFd wake_;                                  // an eventfd
  absl::Time settle_at_ = absl::InfiniteFuture();  // of all connections, or earlier
  bool wake_submitted_ = false;
  bool woken_ = false;
  std::unique_ptr<Ring> ring_;   // null when it was lost:
  absl::Status lost_;            // why
  std::vector<Event> gathered_;  // for the next Wait() to give
  std::vector<Event> given_;     // by the last one
};

}  // namespace io

#endif  // IO_URING_TRANSPORT_H_
