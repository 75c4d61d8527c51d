// Tested by tests/io/transport_contract_test.cc and tests/io/engine_test.cc.
#include "io/ring.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "io/errno_status.h"

namespace io {

namespace {

constexpr int kOperations[] = {
    IORING_OP_CONNECT, IORING_OP_RECV,     IORING_OP_RECVMSG,      IORING_OP_SEND,
    IORING_OP_WRITE,   IORING_OP_POLL_ADD, IORING_OP_ASYNC_CANCEL,
};

// Timeouts as an argument (Linux 5.11, the youngest), waiting for sockets without a
// thread each, no lost completions, writing at the file's own position.
constexpr unsigned kFeatures =
    IORING_FEAT_EXT_ARG | IORING_FEAT_FAST_POLL | IORING_FEAT_NODROP | IORING_FEAT_RW_CUR_POS;

struct FreeProbe {
  void operator()(io_uring_probe* probe) const { io_uring_free_probe(probe); }
};

bool IsTransient(int error) {
  // ETIME, EINTR: nothing happened. EAGAIN, EBUSY: the kernel has no memory, or wants
  // completions to be taken first.
  return error == ETIME || error == EINTR || error == EAGAIN || error == EBUSY;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Ring>> Ring::Make() {
  std::unique_ptr<Ring> ring(new Ring);
  if (const absl::Status status = ring->SetUp(); !status.ok()) return status;
  if (const absl::Status status = ring->Probe(); !status.ok()) return status;
  return ring;
}

uint64_t Ring::ThisThread() {
  static std::atomic<uint64_t> threads = 0;
  thread_local const uint64_t number = ++threads;  // std::thread::id may be one of the dead
  return number;
}

Ring::~Ring() {
  if (is_set_up_) io_uring_queue_exit(&ring_);
}

absl::Status Ring::SetUp() {
  int error = -EINVAL;
  for (const unsigned flags : {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0U}) {
    if (error != -EINVAL) break;
    error = io_uring_queue_init(kEntries, &ring_, flags);
  }
  if (error != 0) return SocketError("io_uring_setup", -error);
  is_set_up_ = true;
  return absl::OkStatus();
}

absl::Status Ring::Probe() {
  if ((ring_.features & kFeatures) != kFeatures) {
    return absl::UnimplementedError("io_uring: the kernel is older than Linux 5.11");
  }
  const std::unique_ptr<io_uring_probe, FreeProbe> probe(io_uring_get_probe_ring(&ring_));
  for (const int operation : kOperations) {
    if (probe == nullptr || !io_uring_opcode_supported(probe.get(), operation)) {
      return absl::UnimplementedError(
          absl::StrCat("io_uring: the kernel does not have operation ", operation));
    }
  }
  return absl::OkStatus();
}

io_uring_sqe* Ring::GetEntry() {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  if (entry == nullptr) {
    io_uring_submit(&ring_);
    entry = io_uring_get_sqe(&ring_);
  }
  assert(entry != nullptr);
  return entry;
}

absl::Status Ring::SubmitAndWait(absl::Duration timeout) {
  int result = 0;
  if (timeout <= absl::ZeroDuration()) {
    result = io_uring_submit_and_get_events(&ring_);
  } else {
    const timespec left = absl::ToTimespec(std::min(timeout, absl::Hours(1)));
    __kernel_timespec limit = {.tv_sec = left.tv_sec, .tv_nsec = left.tv_nsec};
    io_uring_cqe* first = nullptr;
    result = io_uring_submit_and_wait_timeout(&ring_, &first, 1, &limit, nullptr);
  }
  if (result >= 0 || IsTransient(-result)) return absl::OkStatus();
  return SocketError("io_uring_enter", -result);
}

}  // namespace io
