// What the regular files of the embedded server hold.
#ifndef TESTS_SERVER_CONTENTS_H_
#define TESTS_SERVER_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "absl/strings/string_view.h"

namespace server {

// The bytes of the pattern `seed` from `offset` on. Word i of a pattern, eight bytes
// in little-endian order, is a hash of i and the seed, and no two words of one pattern
// are the same: bytes from a wrong place never pass for the right ones, and any range
// of a file of any size can be checked without the file.
void FillPattern(uint64_t offset, std::span<std::byte> to, uint64_t seed = 0);

// Thread-compatible; FileTree locks.
class Contents {
 public:
  virtual ~Contents() = default;

  virtual uint64_t size() const = 0;
  // How many bytes it takes on the disk.
  virtual uint64_t used() const { return size(); }

  // The bytes from `offset` on into `to`; how many there were: less than asked for
  // only at the end (or when a file on disk cannot be read).
  virtual size_t Read(uint64_t offset, std::span<std::byte> to) const = 0;

  // Cuts off, or goes on with the pattern. False: these contents cannot be changed.
  virtual bool Resize(uint64_t size) = 0;

  // Other bytes, the same size. False: these contents cannot be changed.
  virtual bool Rewrite() = 0;
};

// These bytes. Grows by FillPattern at seed 0; Rewrite inverts every bit.
std::unique_ptr<Contents> BytesContents(absl::string_view bytes);

// FillPattern from 0 to `size`, not stored anywhere. Rewrite goes to the next seed.
std::unique_ptr<Contents> PatternContents(uint64_t size, uint64_t seed = 0);

// Zeros, which take no room, but for `marks`: bytes by their offsets, none over another,
// all below `size`. Grows by zeros; Rewrite inverts the marks.
std::unique_ptr<Contents> SparseContents(uint64_t size, std::map<uint64_t, std::string> marks);

// A file on disk, `size` bytes of it, opened anew by every read. Cannot be changed.
std::unique_ptr<Contents> DiskContents(std::string path, uint64_t size);

}  // namespace server

#endif  // TESTS_SERVER_CONTENTS_H_
