#include "tests/support/pattern_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/support/sha256.h"

namespace support {
namespace {

constexpr uint64_t kBlockBytes = 1 << 20;

// The file system of a test is in memory or in a folder of its own: nothing fails
// that the test could do anything about.
int64_t Must(int64_t result, const std::string& path) {
  if (result >= 0) return result;
  perror(path.c_str());
  abort();
}

// SplitMix64: eight bytes of pattern from their place.
uint64_t Mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

int Create(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  return static_cast<int>(Must(fd, path));
}

void WriteIsland(const std::string& path, int fd, uint64_t seed, uint64_t offset, uint64_t size) {
  std::vector<std::byte> island(size);
  FillPattern(seed, offset, island);
  Must(pwrite(fd, island.data(), size, static_cast<off_t>(offset)), path);
}

}  // namespace

void FillPattern(uint64_t seed, uint64_t offset, std::span<std::byte> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint64_t place = offset + i;
    bytes[i] = static_cast<std::byte>(Mix(Mix(seed) + place / 8) >> (place % 8 * 8));
  }
}

void WritePatternFile(const std::string& path, uint64_t size, uint64_t seed) {
  WriteSparsePatternFile(path, size, kIslandBytes, seed);
}

void WriteSparsePatternFile(const std::string& path, uint64_t size, uint64_t distance,
                            uint64_t seed) {
  const int fd = Create(path);
  Must(ftruncate(fd, static_cast<off_t>(size)), path);
  for (uint64_t offset = 0; offset < size; offset += distance) {
    WriteIsland(path, fd, seed, offset, std::min(kIslandBytes, size - offset));
  }
  const uint64_t last = std::min(kIslandBytes, size);
  WriteIsland(path, fd, seed, size - last, last);
  close(fd);
}

std::string FileSha256(const std::string& path, uint64_t offset, uint64_t length) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "no digest of " + path + ": " + strerrordesc_np(errno);
  std::vector<std::byte> block(kBlockBytes);
  Sha256 digest;
  while (length > 0) {
    const int64_t bytes = Must(
        pread(fd, block.data(), std::min(length, kBlockBytes), static_cast<off_t>(offset)), path);
    if (bytes == 0) break;
    digest.Add(std::span(block).first(bytes));
    offset += bytes;
    length -= bytes;
  }
  close(fd);
  return digest.Finish();
}

}  // namespace support
