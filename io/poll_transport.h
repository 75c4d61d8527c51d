// The transport by poll(2), for where io_uring is not to be had: default containers,
// hardened hosts, old kernels.
#ifndef IO_POLL_TRANSPORT_H_
#define IO_POLL_TRANSPORT_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "io/connection_table.h"
#include "io/file_writes.h"
#include "io/pipe_splice.h"
#include "io/poll_output.h"
#include "io/socket.h"
#include "io/transport.h"
#include "io/unique_fd.h"

namespace io {

// At most kMaxConnections at a time; Connect() gives ResourceExhausted beyond.
// Allocates at construction only, but for error texts.
class PollTransport final : public Transport {
 public:
  // ResourceExhausted: no file descriptor to be had.
  static absl::StatusOr<std::unique_ptr<PollTransport>> Make();

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
  const char* name() const override { return "poll"; }

 private:
  // An operation is first attempted when it is `ready`, and waits for poll() when not.
  struct Operation {
    bool active = false;
    bool ready = false;
  };
  struct Connection {
    SocketMaker sockets;
    UniqueFd fd;
    ReceiveThreshold threshold;
    Operation connect;
    Operation receive;
    Operation send;
    std::optional<int> connect_error;  // of connect(), when it did not take its time
    ReceiveInto into;
    std::span<const std::byte> bytes;  // to send
  };

  explicit PollTransport(UniqueFd wake);

  absl::Status BeginConnect(Connection& connection);
  // What can be done without waiting; outcomes go to events_.
  void AttemptAll();
  void AttemptConnect(ConnectionId id, Connection& connection);
  void AttemptReceive(ConnectionId id, Connection& connection);
  void AttemptSend(ConnectionId id, Connection& connection);
  void AttemptSplice();
  void AttemptWritesAt();
  void AddEvent(Event::Kind kind, ConnectionId id, size_t bytes, absl::Status status);

  // Waits for what the operations wait for, marks them ready; whether Wake() was called.
  bool Poll(absl::Time until);
  short PollEvents(ConnectionId id, const Connection& connection) const;
  void OnPolled(short happened, ConnectionId id, Connection& connection);
  bool TakeWake();

  ConnectionTable<Connection> connections_;
  PollOutput output_;
  FileWrites writes_at_;
  PipeSplice splice_;
  UniqueFd wake_;  // an eventfd
  std::vector<Event> events_;
};

}  // namespace io

#endif  // IO_POLL_TRANSPORT_H_
