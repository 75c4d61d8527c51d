// The bytes of one reply while it is written.
#ifndef TESTS_SERVER_REPLY_BUFFER_H_
#define TESTS_SERVER_REPLY_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "xdr/types.h"

namespace server {

// Grows at its end and keeps its memory for the next reply. Unlike std::vector it does
// not write zeros first, which would cost as much as the data of a READ itself.
class ReplyBuffer {
 public:
  size_t size() const { return size_; }
  std::span<std::byte> bytes() { return {memory_.get(), size_}; }
  xdr::ByteView view() const { return {memory_.get(), size_}; }

  void Clear() { size_ = 0; }
  // REQUIRES: size <= size().
  void Truncate(size_t size) { size_ = size; }

  // Another `size` bytes at the end, not initialised. Invalidates earlier spans.
  std::span<std::byte> Extend(size_t size) {
    Reserve(size_ + size);
    size_ += size;
    return bytes().last(size);
  }
  void Append(xdr::ByteView bytes) {
    const std::span<std::byte> to = Extend(bytes.size());
    if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
  }

 private:
  void Reserve(size_t wanted) {
    if (wanted <= capacity_) return;
    const size_t capacity = std::max(wanted, capacity_ * 2);
    auto memory = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (size_ != 0) std::memcpy(memory.get(), memory_.get(), size_);
    memory_ = std::move(memory);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> memory_;
  size_t capacity_ = 0;
  size_t size_ = 0;
};

}  // namespace server

#endif  // TESTS_SERVER_REPLY_BUFFER_H_
