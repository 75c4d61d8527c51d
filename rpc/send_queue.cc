// Tested by tests/rpc/send_queue_test.cc.
#include "rpc/send_queue.h"

#include <cassert>

namespace rpc {

SendQueue::SendQueue(size_t capacity_records, size_t record_bytes)
    : capacity_(capacity_records * record_bytes),
      records_(2 * capacity_records) {  // of both buffers
  filling_.reserve(capacity_);
  sending_.reserve(capacity_);
}

void SendQueue::Append(xdr::ByteView record, uint32_t slot) {
  assert(filling_.size() + record.size() <= capacity_ && record_count_ < records_.size());
  filling_.insert(filling_.end(), record.begin(), record.end());
  total_appended_ += record.size();
  records_[(records_begin_ + record_count_++) % records_.size()] = {total_appended_, slot};
}

xdr::ByteView SendQueue::Bytes() {
  if (sent_ == sending_.size()) {
    sending_.clear();
    sent_ = 0;
    sending_.swap(filling_);
  }
  return xdr::ByteView(sending_).subspan(sent_);
}

void SendQueue::OnSent(size_t size) {
  assert(size <= sending_.size() - sent_);
  sent_ += size;
  total_sent_ += size;
}

std::optional<uint32_t> SendQueue::TakeSentRecord() {
  if (record_count_ == 0 || records_[records_begin_].end > total_sent_) return std::nullopt;
  const uint32_t slot = records_[records_begin_].slot;
  records_begin_ = (records_begin_ + 1) % records_.size();
  --record_count_;
  return slot;
}

void SendQueue::Clear() {
  filling_.clear();
  sending_.clear();
  sent_ = 0;
  total_sent_ = total_appended_;
  record_count_ = 0;
}

}  // namespace rpc
