// The variable-length types of RFC 4506, each with the bound that its
// specification gives. The bound is part of the type: a decoder refuses a longer
// one before it allocates or copies anything. Each is one value and not a list of
// named fields, which `HasNoFields` tells the printer.
#ifndef XDR_TYPES_H_
#define XDR_TYPES_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace xdr {

using ByteView = std::span<const std::byte>;

inline ByteView BytesOf(absl::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline absl::string_view TextOf(ByteView bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// opaque name[kSize] (RFC 4506, 4.9): always kSize bytes.
template <size_t kSize>
struct FixedOpaque {
  using HasNoFields = void;
  std::array<std::byte, kSize> bytes{};

  bool operator==(const FixedOpaque&) const = default;
  static void Describe(auto& coder, auto& self) { coder.Fixed(self.bytes); }
};

// opaque name<kMax> (4.10) that owns its bytes without allocating: file handles,
// authenticator bodies.
template <size_t kMax>
class InlineOpaque {
 public:
  using HasNoFields = void;
  static constexpr size_t kMaxBytes = kMax;

  InlineOpaque() = default;
  // REQUIRES: bytes.size() <= kMax.
  explicit InlineOpaque(ByteView bytes) { Assign(bytes); }

  ByteView view() const { return ByteView(bytes_.data(), size_); }
  size_t size() const { return size_; }

  // REQUIRES: bytes.size() <= kMax.
  void Assign(ByteView bytes) {
    assert(bytes.size() <= kMax);
    size_ = static_cast<uint32_t>(bytes.size());
    if (size_ != 0) std::memcpy(bytes_.data(), bytes.data(), size_);
  }

  bool operator==(const InlineOpaque& other) const {
    return std::ranges::equal(view(), other.view());
  }
  static void Describe(auto& coder, auto& self) { coder.Opaque(self); }

 private:
  uint32_t size_ = 0;
  std::array<std::byte, kMax> bytes_{};
};

// opaque name<kMax> that points into the bytes it was decoded from, or that it is
// to be encoded from. Valid as long as those are.
template <size_t kMax>
class OpaqueView {
 public:
  using HasNoFields = void;
  static constexpr size_t kMaxBytes = kMax;

  OpaqueView() = default;
  explicit OpaqueView(ByteView bytes) : bytes_(bytes) {}

  ByteView view() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void Assign(ByteView bytes) { bytes_ = bytes; }

  static void Describe(auto& coder, auto& self) { coder.Opaque(self); }

 private:
  ByteView bytes_;
};

// string name<kMax> (4.11): bytes, whatever their encoding; a NUL is a byte.
template <size_t kMax>
class String {
 public:
  using HasNoFields = void;
  static constexpr size_t kMaxBytes = kMax;

  String() = default;
  // REQUIRES: text.size() <= kMax.
  explicit String(absl::string_view text) { Assign(BytesOf(text)); }

  const std::string& text() const { return text_; }
  ByteView view() const { return BytesOf(text_); }

  // REQUIRES: bytes.size() <= kMax.
  void Assign(ByteView bytes) {
    assert(bytes.size() <= kMax);
    const absl::string_view text = TextOf(bytes);
    text_.assign(text.data(), text.size());
  }

  bool operator==(const String&) const = default;
  static void Describe(auto& coder, auto& self) { coder.Text(self); }

 private:
  std::string text_;
};

// T name<kMax> (4.13): a count, then that many elements.
template <typename T, size_t kMax>
struct Array {
  using HasNoFields = void;
  static constexpr size_t kMaxElements = kMax;
  std::vector<T> elements;

  bool operator==(const Array&) const = default;
  static void Describe(auto& coder, auto& self) { coder.Counted(self); }
};

// A linked list of optional-data (4.19), "more follows" before each element, as
// MOUNT and READDIR use it. The RFCs set no bound; kMax is ours.
template <typename T, size_t kMax>
struct List {
  using HasNoFields = void;
  static constexpr size_t kMaxElements = kMax;
  std::vector<T> elements;

  bool operator==(const List&) const = default;
  static void Describe(auto& coder, auto& self) { coder.Linked(self); }
};

}  // namespace xdr

#endif  // XDR_TYPES_H_
