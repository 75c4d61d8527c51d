// Calls on their way out, back to back, so that one send carries all that are ready.
#ifndef RPC_SEND_QUEUE_H_
#define RPC_SEND_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "xdr/types.h"

namespace rpc {

// Two buffers in turn: one is being sent and stands still, one is being filled.
// Thread-compatible. Allocates at construction only.
class SendQueue {
 public:
  // REQUIRES: what is appended between two moves of Bytes() is no more than
  // `capacity_records` records of `record_bytes`; the owner of the slots sees to it.
  SendQueue(size_t capacity_records, size_t record_bytes);

  // Queues a copy of `record`, which is that of slot `slot`.
  void Append(xdr::ByteView record, uint32_t slot);

  // The bytes to send next; empty when there are none. They do not move or change
  // until OnSent.
  xdr::ByteView Bytes();
  // REQUIRES: size <= the size of the bytes last given.
  void OnSent(size_t size);
  // The slot of the next record that has wholly left since; nothing when there is none.
  // Each record is told once, in order.
  std::optional<uint32_t> TakeSentRecord();

  bool HasUnsent() const { return total_sent_ != total_appended_; }
  // Forgets what is queued: the connection is lost. The totals go on as if it had left.
  void Clear();

  // Bytes appended and bytes sent since construction. A record has left when
  // total_sent() has reached what total_appended() was after its Append.
  uint64_t total_appended() const { return total_appended_; }
  uint64_t total_sent() const { return total_sent_; }
  // ... and bytes that Bytes() has given: they may be at the peer, even before OnSent.
  uint64_t total_given() const { return total_appended_ - filling_.size(); }

 private:
  struct Record {
    uint64_t end = 0;  // in the totals
    uint32_t slot = 0;
  };

  const size_t capacity_;
  std::vector<std::byte> filling_;
  std::vector<std::byte> sending_;
  // Records that have not been told as sent: a ring, oldest at records_begin_.
  std::vector<Record> records_;
  size_t records_begin_ = 0;
  size_t record_count_ = 0;
  size_t sent_ = 0;  // of sending_
  uint64_t total_appended_ = 0;
  uint64_t total_sent_ = 0;
};

}  // namespace rpc

#endif  // RPC_SEND_QUEUE_H_
