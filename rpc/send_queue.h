// Calls on their way out, back to back, so that one send carries all that are ready.
#ifndef RPC_SEND_QUEUE_H_
#define RPC_SEND_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "xdr/types.h"

namespace rpc {

// Two buffers in turn: one is being sent and stands still, one is being filled.
// Thread-compatible. Allocates at construction only.
class SendQueue {
 public:
  explicit SendQueue(size_t capacity_bytes);

  // Queues a copy of `record`. REQUIRES: what was appended since Bytes() last moved on,
  // and `record`, are no more than the capacity; the owner of the slots sees to it.
  void Append(xdr::ByteView record);

  // The bytes to send next; empty when there are none. They do not move or change
  // until OnSent.
  xdr::ByteView Bytes();
  // REQUIRES: size <= the size of the bytes last given.
  void OnSent(size_t size);

  // Bytes appended and bytes sent since construction. A record has left when
  // total_sent() has reached what total_appended() was after its Append.
  uint64_t total_appended() const { return total_appended_; }
  uint64_t total_sent() const { return total_sent_; }
  // ... and bytes that Bytes() has given: they may be at the peer, even before OnSent.
  uint64_t total_given() const { return total_appended_ - filling_.size(); }

 private:
  const size_t capacity_;
  std::vector<std::byte> filling_;
  std::vector<std::byte> sending_;
  size_t sent_ = 0;  // of sending_
  uint64_t total_appended_ = 0;
  uint64_t total_sent_ = 0;
};

}  // namespace rpc

#endif  // RPC_SEND_QUEUE_H_
