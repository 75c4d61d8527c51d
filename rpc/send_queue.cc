// Tested by tests/rpc/channel_test.cc.
#include "rpc/send_queue.h"

#include <cassert>

namespace rpc {

SendQueue::SendQueue(size_t capacity_bytes) : capacity_(capacity_bytes) {
  filling_.reserve(capacity_);
  sending_.reserve(capacity_);
}

void SendQueue::Append(xdr::ByteView record) {
  assert(filling_.size() + record.size() <= capacity_);
  filling_.insert(filling_.end(), record.begin(), record.end());
  total_appended_ += record.size();
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

}  // namespace rpc
