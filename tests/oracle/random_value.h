// Random values of any described type: one more coder beside encoder, decoder and printer
// (xdr/describe.h).
#ifndef TESTS_ORACLE_RANDOM_VALUE_H_
#define TESTS_ORACLE_RANDOM_VALUE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "xdr/describe.h"
#include "xdr/types.h"

namespace oracle {

// The numbers that an enum is drawn from; any of 32 bits if there are none. Specialise it
// where somebody refuses a number that he does not know, as for the arms of a union.
template <typename E>
inline constexpr std::array<uint32_t, 0> kNumbersOf{};

// The same values for the same seed. Edges (zero, the largest, empty, full) come often.
// Values with views in them point to memory of the coder.
class RandomCoder {
 public:
  explicit RandomCoder(uint64_t seed) : random_(seed) {}

  template <typename T>
  T Get() {
    T value{};
    xdr::Visit(*this, value);
    return value;
  }

  // What `Describe` functions call.
  template <typename T>
  void Field(const char* /*name*/, T& value) {
    xdr::Visit(*this, value);
  }
  void Bool(bool& value) { value = Draw(2) == 1; }
  template <typename E>
  void Enum(E& value) {
    const auto& numbers = kNumbersOf<E>;
    if constexpr (numbers.size() == 0) {
      value = static_cast<E>(Number());
    } else {
      value = static_cast<E>(numbers[Draw(numbers.size())]);
    }
  }
  template <typename I>
  void Integer(I& value) {
    value = static_cast<I>(Number());
  }
  template <typename T>
  void Optional(std::optional<T>& value) {
    value.reset();
    if (Draw(2) == 1) xdr::Visit(*this, value.emplace());
  }
  template <size_t kSize>
  void Fixed(std::array<std::byte, kSize>& bytes) {
    std::ranges::copy(Memory(kSize, 0), bytes.begin());
  }
  template <typename O>
  void Opaque(O& opaque) {
    opaque.Assign(Memory(Size(O::kMaxBytes), 0));
  }
  // Without NUL: C cannot have them in a string.
  template <typename S>
  void Text(S& text) {
    text.Assign(Memory(Size(S::kMaxBytes), 1));
  }
  template <typename A>
  void Counted(A& array) {
    array.elements.resize(Size(A::kMaxElements));
    for (auto& element : array.elements) xdr::Visit(*this, element);
  }
  template <typename L>
  void Linked(L& list) {
    Counted(list);
  }

 private:
  // The most bytes or elements that are drawn of a type that allows more.
  static constexpr size_t kLargest = 1200;

  // From 0 to `below` - 1.
  uint64_t Draw(uint64_t below) { return random_() % below; }

  uint64_t Number() {
    constexpr uint64_t kEdges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX};
    const uint64_t dice = Draw(12);
    return dice < std::size(kEdges) ? kEdges[dice] : random_() >> Draw(64);
  }

  size_t Size(size_t max) {
    const size_t largest = std::min(max, kLargest);
    switch (Draw(8)) {
      case 0: return 0;
      case 1: return largest;
      case 2: return Draw(largest + 1);
      default: return Draw(std::min<size_t>(largest, 20) + 1);
    }
  }

  xdr::ByteView Memory(size_t size, uint8_t smallest) {
    std::vector<std::byte>& bytes = memory_.emplace_back(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(smallest + Draw(256 - smallest));
    return bytes;
  }

  std::mt19937_64 random_;
  std::deque<std::vector<std::byte>> memory_;
};

}  // namespace oracle

#endif  // TESTS_ORACLE_RANDOM_VALUE_H_
