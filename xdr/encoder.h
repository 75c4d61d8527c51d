// Writes XDR (RFC 4506) into memory that the caller provides.
#ifndef XDR_ENCODER_H_
#define XDR_ENCODER_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "xdr/describe.h"
#include "xdr/types.h"

namespace xdr {

// Appends to a fixed span; never allocates, never writes outside it. When the
// span is full the encoder stays failed: check ok() once at the end.
//
// Thread-compatible: one thread at a time.
class Encoder {
 public:
  explicit Encoder(std::span<std::byte> space) : space_(space) {}

  bool ok() const { return ok_; }
  // What has been written. REQUIRES: ok().
  ByteView written() const {
    assert(ok_);
    return space_.first(size_);
  }
  size_t size() const { return size_; }

  template <typename T>
  void Put(const T& value) {
    Visit(*this, value);
  }

  // What `Describe` functions call.
  template <typename T>
  void Field(const char* /*name*/, const T& value) {
    Visit(*this, value);
  }
  void Bool(bool value) { PutUint32(value ? 1 : 0); }
  template <typename E>
  void Enum(E value) {
    PutUint32(static_cast<uint32_t>(value));
  }
  template <typename I>
  void Integer(I value) {
    if constexpr (sizeof(I) == 4) {
      PutUint32(static_cast<uint32_t>(value));
    } else {
      PutUint64(static_cast<uint64_t>(value));
    }
  }
  template <typename O>
  void Optional(const O& value) {
    Bool(value.has_value());
    if (value.has_value()) Visit(*this, *value);
  }
  template <size_t kSize>
  void Fixed(const std::array<std::byte, kSize>& bytes) {
    PutPadded(bytes);
  }
  template <typename O>
  void Opaque(const O& opaque) {
    assert(opaque.view().size() <= O::kMaxBytes);
    PutUint32(static_cast<uint32_t>(opaque.view().size()));
    PutPadded(opaque.view());
  }
  template <typename S>
  void Text(const S& text) {
    Opaque(text);
  }
  template <typename A>
  void Counted(const A& array) {
    assert(array.elements.size() <= A::kMaxElements);
    PutUint32(static_cast<uint32_t>(array.elements.size()));
    for (const auto& element : array.elements) Visit(*this, element);
  }
  template <typename L>
  void Linked(const L& list) {
    for (const auto& element : list.elements) {
      Bool(true);
      Visit(*this, element);
    }
    Bool(false);
  }

 private:
  void PutUint32(uint32_t value);
  void PutUint64(uint64_t value);
  void PutPadded(ByteView bytes);
  // The next `size` bytes of the space, or nullptr when they are not there.
  std::byte* Take(size_t size);

  const std::span<std::byte> space_;
  size_t size_ = 0;
  bool ok_ = true;
};

}  // namespace xdr

#endif  // XDR_ENCODER_H_
