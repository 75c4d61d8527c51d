// The one allocation that holds all chunks of a stream.
#ifndef CLIENT_STREAM_ARENA_H_
#define CLIENT_STREAM_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"

namespace nfs {

// Memory that is unmapped at the end. Its pages are taken from the system when they are first
// written to, so a window that is never filled costs nothing.
class Arena {
 public:
  // `used`: so many bytes are going to be received. When that is all of it, or many, huge pages
  // are asked for, which make receiving cheaper; a small file should not have to pay for one.
  // ResourceExhausted when the system has no such memory.
  static absl::StatusOr<Arena> Make(size_t bytes, uint64_t used);
  Arena() = default;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  std::span<std::byte> memory() const { return memory_; }

 private:
  Arena(std::span<std::byte> mapped, std::span<std::byte> memory)
      : mapped_(mapped), memory_(memory) {}

  std::span<std::byte> mapped_;
  std::span<std::byte> memory_;  // of it
};

}  // namespace nfs

#endif  // CLIENT_STREAM_ARENA_H_
