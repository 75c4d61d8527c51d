// Reads XDR (RFC 4506) from bytes that somebody else sent.
#ifndef XDR_DECODER_H_
#define XDR_DECODER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "xdr/describe.h"
#include "xdr/types.h"

namespace xdr {

// The first error sticks; everything read after it is zero or empty, so a whole
// message is read field by field and checked once. No value that was read may be
// used before ok() has been seen.
//
// Any bytes are safe: lengths are compared with what is left and with the bound of
// the type before anything is allocated. Padding bytes are skipped, not judged: a
// server that leaves old memory in them still sends the right data (libtirpc reads
// them the same way). A boolean that is neither 0 nor 1 is an error.
//
// Thread-compatible: one thread at a time.
class Decoder {
 public:
  explicit Decoder(ByteView bytes) : bytes_(bytes) {}

  bool ok() const { return error_ == Error::kNone; }
  // OK, or DataLoss with the name of the field that could not be read. Bytes that
  // are left over are not an error (a newer peer may say more).
  absl::Status status() const;
  // As status(), and an error too when bytes are left over.
  absl::Status Finish() const;

  // Bytes read so far, and bytes not read yet.
  size_t position() const { return position_; }
  ByteView rest() const { return bytes_.subspan(position_); }

  template <typename T>
  T Get() {
    T value{};
    Visit(*this, value);
    return value;
  }

  // What `Describe` functions call.
  template <typename T>
  void Field(const char* name, T& value) {
    if (!ok()) return;
    Visit(*this, value);
    if (!ok() && failed_field_ == nullptr) failed_field_ = name;
  }
  void Bool(bool& value);
  template <typename E>
  void Enum(E& value) {
    value = static_cast<E>(TakeUint32());
  }
  template <typename I>
  void Integer(I& value) {
    if constexpr (sizeof(I) == 4) {
      value = static_cast<I>(TakeUint32());
    } else {
      value = static_cast<I>(TakeUint64());
    }
  }
  template <typename T>
  void Optional(std::optional<T>& value) {
    bool present = false;
    Bool(present);
    value.reset();
    if (present && ok()) Visit(*this, value.emplace());
  }
  template <size_t kSize>
  void Fixed(std::array<std::byte, kSize>& bytes) {
    CopyPadded(bytes);
  }
  template <typename O>
  void Opaque(O& opaque) {
    opaque.Assign(TakeOpaque(O::kMaxBytes));
  }
  template <typename S>
  void Text(S& text) {
    Opaque(text);
  }
  template <typename A>
  void Counted(A& array) {
    array.elements.clear();
    const uint32_t count = TakeUint32();
    // Every element of ours takes four bytes or more.
    if (count > A::kMaxElements) return Fail(Error::kTooLong);
    if (count > rest().size() / 4) return Fail(Error::kTruncated);
    array.elements.resize(count);
    for (auto& element : array.elements) Visit(*this, element);
  }
  template <typename L>
  void Linked(L& list) {
    list.elements.clear();
    for (bool more = NextFollows(); more; more = NextFollows()) {
      if (list.elements.size() == L::kMaxElements) return Fail(Error::kTooLong);
      Visit(*this, list.elements.emplace_back());
    }
  }

 private:
  enum class Error : uint8_t {
    kNone,
    kTruncated,  // the bytes end inside the value
    kTooLong,    // a length or a count above the bound of its type
    kBadBool,    // a boolean that is neither 0 nor 1
  };

  void Fail(Error error);
  static const char* Describe(Error error);
  bool NextFollows();
  uint32_t TakeUint32();
  uint64_t TakeUint64();
  // `size` bytes and their padding; empty after an error.
  ByteView TakePadded(size_t size);
  ByteView TakeOpaque(size_t max);
  void CopyPadded(std::span<std::byte> to);

  const ByteView bytes_;
  size_t position_ = 0;
  Error error_ = Error::kNone;
  const char* failed_field_ = nullptr;
};

}  // namespace xdr

#endif  // XDR_DECODER_H_
