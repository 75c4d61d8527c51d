// Tested by tests/io/transport_contract_test.cc and tests/io/kernel_transport_test.cc.
#include "io/uring_transport.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "io/clock.h"
#include "io/errno_status.h"
#include "io/tcp_state.h"

namespace io {

namespace {

constexpr uint64_t kFilePosition = ~uint64_t{0};

}  // namespace

absl::StatusOr<std::unique_ptr<UringTransport>> UringTransport::Make() {
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake.get() < 0) return SocketError("eventfd", errno);
  absl::StatusOr<std::unique_ptr<Ring>> ring = Ring::Make();
  if (!ring.ok()) return ring.status();
  return std::unique_ptr<UringTransport>(new UringTransport(std::move(wake), *std::move(ring)));
}

UringTransport::UringTransport(UniqueFd wake, std::unique_ptr<Ring> ring)
    : wake_(std::move(wake)), ring_(std::move(ring)) {
  gathered_.reserve(2 * kMaxConnections + 2 + kMostWritesAt);
  given_.reserve(2 * kMaxConnections + 2 + kMostWritesAt);
}

UringTransport::~UringTransport() {
  connections_.ForEach([this](ConnectionId id, Connection&) { Close(id); });
  write_.closing = true;
  if (write_.active) Cancel(Task::kWrite, 0);
  if (write_.active) Cancel(Task::kWritable, 0);
  // Those of files are not cancelled: they end by themselves.
  while ((write_.active || writes_at_.any()) && ring_ != nullptr) {
    Pump(absl::InfiniteDuration());
  }
}

bool UringTransport::IsBusy() {
  bool busy = write_.active || writes_at_.any() || splice_.active();
  connections_.ForEach([&](ConnectionId, Connection& connection) { busy |= connection.IsBusy(); });
  return busy;
}

void UringTransport::AdoptThread() {
  if (ring_ == nullptr || ring_->IsMine()) return;
  const bool busy = IsBusy();
  assert(!busy && "to another thread with operations under way");
  if (busy) return;
  ring_.reset();
  wake_submitted_ = false;
  connections_.ForEach([](ConnectionId, Connection& connection) { connection.polling = false; });
  absl::StatusOr<std::unique_ptr<Ring>> ring = Ring::Make();
  lost_ = ring.status();
  if (ring.ok()) ring_ = *std::move(ring);
}

absl::StatusOr<ConnectionId> UringTransport::Connect(const Address& address,
                                                     const ConnectOptions& options) {
  AdoptThread();
  if (ring_ == nullptr) return lost_;
  const std::optional<ConnectionId> id = connections_.Take();
  if (!id.has_value()) return TooManyConnections();
  Connection& connection = connections_.Get(*id);
  connection.sockets = SocketMaker(address, options.source_port, 0);
  const absl::Status status = SubmitConnect(*id, connection);
  if (status.ok()) return *id;
  connections_.Release(*id);
  return status;
}

void UringTransport::StartSend(ConnectionId id, std::span<const std::byte> bytes) {
  AdoptThread();
  Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.sending && !bytes.empty());
  connection.sending = true;
  connection.bytes = bytes;
  SubmitSend(id, connection);
}

void UringTransport::StartWrite(int fd, std::span<const std::byte> bytes) {
  AdoptThread();
  assert(!write_.active);
  write_ = {.active = true, .fd = fd, .bytes = bytes};
  bytes.empty() ? SubmitWritable() : SubmitWrite();
}

void UringTransport::StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                                  WriteTag tag) {
  AdoptThread();
  writes_at_.Begin(tag, {fd, bytes, offset});
  SubmitWriteAt(tag);
}

void UringTransport::StartSplice(ConnectionId id, int fd, size_t bytes) {
  AdoptThread();
  const Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.receiving && !write_.active);
  splice_.Start(id, connection.fd.get(), fd, bytes);
}

size_t UringTransport::SendNow(ConnectionId id, std::span<const std::byte> bytes) {
  const Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.sending && !bytes.empty());
  return io::SendNow(connection.fd.get(), bytes);
}

ConnectionState UringTransport::Inspect(ConnectionId id) {
  return InspectSocket(connections_.Get(id).fd.get(), Now());
}

bool UringTransport::EnlargeReceiveBuffer(ConnectionId id, size_t bytes) {
  return io::EnlargeReceiveBuffer(connections_.Get(id).fd.get(), bytes);
}

void UringTransport::Close(ConnectionId id) {
  AdoptThread();
  Connection& connection = connections_.Get(id);
  connection.closing = true;
  if (splice_.IsOf(id)) splice_.Stop();
  if (connection.IsBusy()) shutdown(connection.fd.get(), SHUT_RDWR);
  if (connection.connecting) Cancel(Task::kConnect, id);
  if (connection.receiving) Cancel(Task::kReceive, id);
  if (connection.polling) Cancel(Task::kReadable, id);
  if (connection.sending) Cancel(Task::kSend, id);
  while (connection.IsInRing() && ring_ != nullptr) Pump(absl::InfiniteDuration());
  std::erase_if(gathered_, [id](const Event& event) {
    return !event.is_of_output() && event.connection == id;
  });
  connections_.Release(id);
}

Turn UringTransport::Wait(absl::Time until) {
  AdoptThread();
  do {
    AttemptSplice();
    // What it has moved is worth a turn by itself; the rest has its events in the next.
    if (!gathered_.empty() && ring_ != nullptr && !ring_->HasToSubmit()) break;
    const bool sleep = gathered_.empty() && !woken_;
    Pump(sleep ? std::min(until, settle_at_) - Now() : absl::ZeroDuration());
    if (settle_at_ <= Now()) SettleForPromises();
  } while (gathered_.empty() && !woken_ && Now() < until);
  woken_ = false;
  given_.clear();
  std::swap(given_, gathered_);
  return {Now(), given_};
}

void UringTransport::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));  // fails only when it is full, so awake
}

absl::Time UringTransport::Now() { return SteadyNow(); }

absl::Status UringTransport::SubmitConnect(ConnectionId id, Connection& connection) {
  absl::StatusOr<UniqueFd> fd = connection.sockets.Next();
  if (!fd.ok()) return fd.status();
  connection.fd = *std::move(fd);
  connection.connecting = true;
  const Address& peer = connection.sockets.peer();
  Submit(Task::kConnect, id, [&](io_uring_sqe* entry) {
    io_uring_prep_connect(entry, connection.fd.get(), peer.raw(), peer.raw_size());
  });
  return absl::OkStatus();
}

void UringTransport::SubmitSend(ConnectionId id, Connection& connection) {
  const std::span<const std::byte> bytes = connection.bytes;
  Submit(Task::kSend, id, [&](io_uring_sqe* entry) {
    io_uring_prep_send(entry, connection.fd.get(), bytes.data(), CapSize(bytes.size()),
                       MSG_NOSIGNAL);
  });
}

// Asked once, not for every write: a number that by then is another file's costs at most
// what a terminal that is held does.
bool UringTransport::IsTerminal(int fd) {
  if (std::exchange(asked_fd_, fd) != fd) is_terminal_ = isatty(fd) != 0;
  return is_terminal_;
}

// A terminal that is held (Ctrl-S) blocks even a write that is not to block, and all of
// us with it (seen with Linux 6.18), unless a thread of the kernel does it.
void UringTransport::SubmitWrite() {
  const bool blocks = IsTerminal(write_.fd);
  Submit(Task::kWrite, 0, [this, blocks](io_uring_sqe* entry) {
    io_uring_prep_write(entry, write_.fd, write_.bytes.data(), CapSize(write_.bytes.size()),
                        kFilePosition);
    if (blocks) entry->flags |= IOSQE_ASYNC;
  });
}

void UringTransport::SubmitWritable() {
  Submit(Task::kWritable, 0,
         [this](io_uring_sqe* entry) { io_uring_prep_poll_add(entry, write_.fd, POLLOUT); });
}

void UringTransport::SubmitWriteAt(WriteTag tag) {
  const FileWrites::Write& write = writes_at_.Get(tag);
  Submit(Task::kWriteAt, tag, [&](io_uring_sqe* entry) {
    io_uring_prep_write(entry, write.fd, write.bytes.data(), CapSize(write.bytes.size()),
                        write.offset);
  });
}

void UringTransport::AttemptSplice() {
  if (!splice_.active() || splice_.WaitsForSocket() || ring_ == nullptr) return;
  const ConnectionId id = splice_.connection();
  Connection& connection = connections_.Get(id);
  auto event = splice_.Attempt(connection.sockets.peer(), connection.threshold);
  if (event.has_value()) return gathered_.push_back(*std::move(event));
  if (std::exchange(connection.polling, true)) return;
  Submit(Task::kReadable, id,
         [&](io_uring_sqe* entry) { io_uring_prep_poll_add(entry, connection.fd.get(), POLLIN); });
}

// A poll, not a read: a ring that is left behind must own no memory.
void UringTransport::SubmitWake() {
  wake_submitted_ = true;
  Submit(Task::kWake, 0,
         [this](io_uring_sqe* entry) { io_uring_prep_poll_add(entry, wake_.get(), POLLIN); });
}

void UringTransport::Cancel(Task task, ConnectionId id) {
  const uint64_t target = UserData(task, id);
  Submit(Task::kCancel, id,
         [target](io_uring_sqe* entry) { io_uring_prep_cancel64(entry, target, 0); });
}

void UringTransport::Pump(absl::Duration timeout) {
  if (ring_ == nullptr) {
    FailOperations();
    if (gathered_.empty()) SleepWithoutRing(timeout);
    return;
  }
  if (!wake_submitted_) SubmitWake();
  const absl::Status status = ring_->SubmitAndWait(timeout);
  ring_->ForEachCompletion(
      [this](uint64_t user_data, int result) { OnCompletion(user_data, result); });
  if (status.ok()) return;
  lost_ = status;
  ring_.reset();
  FailOperations();
}

}  // namespace io
