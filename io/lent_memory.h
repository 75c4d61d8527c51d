// Memory that a caller has lent to an operation of the simulated transport, and that it
// must not touch until the operation ends.
#ifndef IO_LENT_MEMORY_H_
#define IO_LENT_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace io {

// Makes AddressSanitizer, where it is on, report every touch of `bytes`, or again none.
void Poison(std::span<const std::byte> bytes);
void Unpoison(std::span<const std::byte> bytes);

// Finds by itself, without a sanitizer, that lent memory was written to. A value.
class LentMemory {
 public:
  // Memory to be received into: some of its bytes are marked until it is given back.
  static LentMemory ToFill(std::span<std::byte> memory);
  // Memory to be sent: remembers a checksum.
  static LentMemory ToSend(std::span<const std::byte> memory);

  LentMemory() = default;
  // Whether it is as it was lent. REQUIRES: it is not poisoned.
  bool GiveBack();

 private:
  // A large window is offered for every receive: no more of its bytes are marked.
  static constexpr size_t kMostMarks = 16;

  // Calls visit(byte, its mark, what it was) for the marked bytes.
  void VisitMarks(auto&& visit);

  std::span<std::byte> to_fill_;
  std::span<const std::byte> to_send_;
  std::array<std::byte, kMostMarks + 1> were_;
  uint64_t checksum_ = 0;
};

}  // namespace io

#endif  // IO_LENT_MEMORY_H_
