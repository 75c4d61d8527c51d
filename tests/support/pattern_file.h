// Files whose bytes tell where they belong: a block that is delivered twice, at the
// wrong place, or from another file, changes the digest.
#ifndef TESTS_SUPPORT_PATTERN_FILE_H_
#define TESTS_SUPPORT_PATTERN_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace support {

// The bytes of the pattern from `offset` on; `seed` selects one of many patterns.
void FillPattern(uint64_t seed, uint64_t offset, std::span<std::byte> bytes);

// Makes a file of `size` bytes of pattern.
void WritePatternFile(const std::string& path, uint64_t size, uint64_t seed = 0);

// The same with little on the disk: pattern at the start and the end and every
// `distance` bytes, zeros between. REQUIRES: distance >= kIslandBytes.
inline constexpr uint64_t kIslandBytes = 64 * 1024;
void WriteSparsePatternFile(const std::string& path, uint64_t size, uint64_t distance,
                            uint64_t seed = 0);

// The digest, in hexadecimal, of the file's bytes [offset, offset + length), or to its
// end. What is wrong with the file, if it cannot be opened: no digest equals that.
std::string FileSha256(const std::string& path, uint64_t offset = 0, uint64_t length = UINT64_MAX);

}  // namespace support

#endif  // TESTS_SUPPORT_PATTERN_FILE_H_
