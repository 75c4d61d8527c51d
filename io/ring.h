// One io_uring: a queue of operations to start, and the completions of those that ended.
#ifndef IO_RING_H_
#define IO_RING_H_

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace io {

// The kernel counts bytes in 32 bits.
inline unsigned CapSize(size_t size) {
  return static_cast<unsigned>(std::min<size_t>(size, 1 << 30));
}

// Whether an operation with this result did nothing, for a reason that is none of ours: it is
// to be started once more.
inline bool WasInterrupted(int result) { return result == -EINTR || result == -EAGAIN; }

// Belongs to the thread that made it: the kernel then keeps completions until that
// thread asks for them (SINGLE_ISSUER, DEFER_TASKRUN) and never interrupts it with
// them, nor any other thread. Where the kernel is too old for that the flags are left
// out. To go on in another thread, make another ring.
class Ring {
 public:
  // Fails as io_uring_setup(2) does, and with Unimplemented when the kernel has not
  // all the operations that io/uring_transport.cc uses.
  static absl::StatusOr<std::unique_ptr<Ring>> Make();
  // Cancels what is under way. Memory may still be in use then by a write that cannot
  // be interrupted.
  ~Ring();

  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Whether it was made by this thread.
  bool IsMine() const { return owner_ == ThisThread(); }

  // Whether a receive may be told to look for bytes only when the socket says that there are
  // enough (IORING_RECVSEND_POLL_FIRST, Linux 5.19).
  bool can_poll_first() const { return (ring_.flags & IORING_SETUP_DEFER_TASKRUN) != 0; }

  // The next entry of the submission queue, to be prepared. It is submitted by the
  // next SubmitAndWait(), and what it points to must stay until its completion.
  io_uring_sqe* GetEntry();

  // Whether entries have been prepared since the last submission.
  bool HasToSubmit() const { return io_uring_sq_ready(&ring_) != 0; }

  // Submits, then waits for at least one completion for `timeout` at most. Fails only
  // when the ring is of no use any more.
  absl::Status SubmitAndWait(absl::Duration timeout);

  // Calls visit(user_data, result) for each completion there is.
  void ForEachCompletion(auto&& visit) {
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(&ring_, &completion) == 0) {
      const uint64_t user_data = completion->user_data;
      const int result = completion->res;
      io_uring_cqe_seen(&ring_, completion);
      visit(user_data, result);
    }
  }

 private:
  // More than is begun in a turn: a receive and a send of each connection that is made, a
  // write and the eventfd. Where it is not enough the entries there are go out before.
  static constexpr unsigned kEntries = 256;

  Ring() = default;
  // A number that no other thread has or had.
  static uint64_t ThisThread();
  absl::Status SetUp();
  absl::Status Probe();

  bool is_set_up_ = false;
  io_uring ring_ = {};
  uint64_t owner_ = ThisThread();
};

}  // namespace io

#endif  // IO_RING_H_
