// Tested by tests/io/simulated_transport_test.cc.
#include "io/lent_memory.h"

// Is AddressSanitizer on? GCC and clang tell it in different ways.
#if defined(__SANITIZE_ADDRESS__)
#define IO_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IO_HAS_ASAN 1
#endif
#endif

#ifdef IO_HAS_ASAN
// From its run-time library. Its header is not there for every compiler.
extern "C" {
void __asan_poison_memory_region(const volatile void* begin, size_t size);
void __asan_unpoison_memory_region(const volatile void* begin, size_t size);
}
#endif

namespace io {

namespace {

std::byte MarkAt(size_t index) { return static_cast<std::byte>(index * 0x9d + 0x5a); }

// FNV-1a.
uint64_t Checksum(std::span<const std::byte> bytes) {
  uint64_t sum = 0xcbf29ce484222325;
  for (std::byte byte : bytes) sum = (sum ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return sum;
}

}  // namespace

void Poison([[maybe_unused]] std::span<const std::byte> bytes) {
#ifdef IO_HAS_ASAN
  __asan_poison_memory_region(bytes.data(), bytes.size());
#endif
}

void Unpoison([[maybe_unused]] std::span<const std::byte> bytes) {
#ifdef IO_HAS_ASAN
  __asan_unpoison_memory_region(bytes.data(), bytes.size());
#endif
}

void LentMemory::VisitMarks(auto&& visit) {
  if (to_fill_.empty()) return;
  const size_t step = (to_fill_.size() + kMostMarks - 1) / kMostMarks;
  size_t mark = 0;
  for (size_t i = 0; i < to_fill_.size(); i += step) visit(to_fill_[i], MarkAt(i), were_[mark++]);
  // The last byte is the one that is overrun most easily.
  const size_t last = to_fill_.size() - 1;
  if (last % step != 0) visit(to_fill_[last], MarkAt(last), were_[mark]);
}

LentMemory LentMemory::ToFill(std::span<std::byte> memory) {
  LentMemory lent;
  lent.to_fill_ = memory;
  lent.VisitMarks([](std::byte& byte, std::byte mark, std::byte& was) {
    was = byte;
    byte = mark;
  });
  return lent;
}

LentMemory LentMemory::ToSend(std::span<const std::byte> memory) {
  LentMemory lent;
  lent.to_send_ = memory;
  lent.checksum_ = Checksum(memory);
  return lent;
}

bool LentMemory::GiveBack() {
  bool untouched = to_send_.empty() || Checksum(to_send_) == checksum_;
  VisitMarks([&](std::byte& byte, std::byte mark, std::byte was) {
    untouched &= byte == mark;
    byte = was;
  });
  return untouched;
}

}  // namespace io
