// Tested by tests/xdr/coders_test.cc.
#include "xdr/encoder.h"

#include <cstring>

#include "xdr/wire.h"

namespace xdr {

std::byte* Encoder::Take(size_t size) {
  if (!ok_ || space_.size() - size_ < size) {
    ok_ = false;
    return nullptr;
  }
  std::byte* taken = space_.data() + size_;
  size_ += size;
  return taken;
}

void Encoder::PutUint32(uint32_t value) {
  if (std::byte* to = Take(4)) StoreUint32(to, value);
}

void Encoder::PutUint64(uint64_t value) {
  PutUint32(static_cast<uint32_t>(value >> 32));
  PutUint32(static_cast<uint32_t>(value));
}

void Encoder::PutPadded(ByteView bytes) {
  std::byte* to = Take(PaddedSize(bytes.size()));
  if (to == nullptr || bytes.empty()) return;
  std::memcpy(to, bytes.data(), bytes.size());
  std::memset(to + bytes.size(), 0, PaddedSize(bytes.size()) - bytes.size());
}

}  // namespace xdr
