// Memory whose bytes have no value before they are written.
#ifndef RPC_RAW_BYTES_H_
#define RPC_RAW_BYTES_H_

#include <cstddef>
#include <memory>

namespace rpc {

// Costs nothing to make, however large: the system gives pages as they are written. A
// vector would fill it with zeros first, which a short visit to a server would feel.
// A range, so a span of it can be taken. Thread-compatible.
class RawBytes {
 public:
  explicit RawBytes(size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  size_t size() const { return size_; }
  std::byte* begin() { return data(); }
  std::byte* end() { return data() + size_; }
  std::byte& operator[](size_t at) { return bytes_[at]; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t size_;
};

}  // namespace rpc

#endif  // RPC_RAW_BYTES_H_
