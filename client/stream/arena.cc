// Tested by tests/client/window_test.cc.
#include "client/stream/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

constexpr size_t kHugePage = 2 << 20;
constexpr size_t kMany = 4 * kHugePage;

std::span<std::byte> AlignedTo(size_t alignment, std::span<std::byte> memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  return memory.subspan((alignment - address % alignment) % alignment);
}

}  // namespace

absl::StatusOr<Arena> Arena::Make(size_t bytes, uint64_t used) {
  const bool huge = bytes >= kHugePage && used >= std::min(bytes, kMany);
  const size_t size = huge ? bytes + kHugePage : bytes;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a window of ", bytes, " bytes"));
  }
  const std::span mapped(static_cast<std::byte*>(memory), size);
  if (!huge) return Arena(mapped, mapped);
  const std::span<std::byte> aligned = AlignedTo(kHugePage, mapped).first(bytes);
  madvise(aligned.data(), bytes, MADV_HUGEPAGE);  // if the kernel has none, small ones do
  return Arena(mapped, aligned);
}

Arena::Arena(Arena&& other) noexcept
    : mapped_(std::exchange(other.mapped_, {})), memory_(std::exchange(other.memory_, {})) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(memory_, other.memory_);
  return *this;
}

Arena::~Arena() {
  if (!mapped_.empty()) munmap(mapped_.data(), mapped_.size());
}

}  // namespace nfs
