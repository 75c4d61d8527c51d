// Tested by tests/server/duplicate_request_cache_test.cc.
#include "tests/server/duplicate_request_cache.h"

namespace server {

void DuplicateRequestCache::SetCapacity(size_t entries) {
  capacity_ = entries;
  Shrink(capacity_);
}

const std::vector<std::byte>* DuplicateRequestCache::Find(const Call& call) const {
  const auto found = replies_.find(KeyOf(call));
  return found == replies_.end() ? nullptr : &found->second;
}

void DuplicateRequestCache::Store(const Call& call, xdr::ByteView reply) {
  if (capacity_ == 0) return;
  const bool is_new =
      replies_.insert_or_assign(KeyOf(call), std::vector(reply.begin(), reply.end())).second;
  if (is_new) by_age_.push_back(KeyOf(call));
  Shrink(capacity_);
}

void DuplicateRequestCache::Clear() { Shrink(0); }

void DuplicateRequestCache::Shrink(size_t entries) {
  while (by_age_.size() > entries) {
    replies_.erase(by_age_.front());
    by_age_.pop_front();
  }
}

}  // namespace server
