// Writes at offsets of regular files that are under way.
#ifndef IO_FILE_WRITES_H_
#define IO_FILE_WRITES_H_

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/transport.h"

namespace io {

// As Transport::CanWriteAt().
bool TakesWritesAt(int fd);

// The writes by their tags. Thread-compatible.
class FileWrites {
 public:
  struct Write {
    int fd = -1;
    std::span<const std::byte> bytes;  // none: it is not under way
    uint64_t offset = 0;

    off_t position() const { return static_cast<off_t>(offset); }
  };

  // REQUIRES: as Transport::StartWriteAt.
  void Begin(WriteTag tag, const Write& write);
  // REQUIRES: it is under way.
  const Write& Get(WriteTag tag) const;
  // The event of its end, by what pwrite(2) gave, or an errno below nothing.
  Event End(WriteTag tag, ssize_t result);

  bool any() const { return under_way_ != 0; }
  // visit(tag, write) for each that is under way; it may end in it.
  void ForEach(auto&& visit) {
    if (under_way_ == 0) return;
    for (WriteTag tag = 0; tag < kMostWritesAt; ++tag) {
      if (!writes_[tag].bytes.empty()) visit(tag, writes_[tag]);
    }
  }

 private:
  std::array<Write, kMostWritesAt> writes_;
  uint32_t under_way_ = 0;
};

}  // namespace io

#endif  // IO_FILE_WRITES_H_
