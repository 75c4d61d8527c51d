// The one allocation that holds all chunks of a stream.
#ifndef CLIENT_STREAM_ARENA_H_
#define CLIENT_STREAM_ARENA_H_

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"

namespace nfs {

// Page-aligned memory, unmapped at the end. Its pages are taken from the system when
// they are first written to, so a window that is never filled costs nothing.
class Arena {
 public:
  // ResourceExhausted when the system has no such memory.
  static absl::StatusOr<Arena> Make(size_t bytes);
  Arena() = default;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  std::span<std::byte> memory() const { return memory_; }

 private:
  explicit Arena(std::span<std::byte> memory) : memory_(memory) {}

  std::span<std::byte> memory_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_ARENA_H_
