// Tested by tests/client/window_test.cc.
#include "client/stream/arena.h"

#include <sys/mman.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace nfs {

absl::StatusOr<Arena> Arena::Make(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a window of ", bytes, " bytes"));
  }
  return Arena(std::span(static_cast<std::byte*>(memory), bytes));
}

Arena::Arena(Arena&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(memory_, other.memory_);
  return *this;
}

Arena::~Arena() {
  if (!memory_.empty()) munmap(memory_.data(), memory_.size());
}

}  // namespace nfs
