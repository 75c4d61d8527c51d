// Tested by tests/server/file_tree_test.cc.
#include "tests/server/contents.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace server {

namespace {

static_assert(std::endian::native == std::endian::little, "patterns are little-endian");

// One to one in `index`: an odd factor and a folded xor can both be undone.
uint64_t Word(uint64_t index, uint64_t seed) {
  const uint64_t product = (index + (seed << 48) + 1) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}

// Part of the word at `offset`, up to its end; how many bytes.
size_t FillInsideWord(uint64_t offset, std::span<std::byte> to, uint64_t seed) {
  const uint64_t word = Word(offset / 8, seed);
  const size_t skip = offset % 8;
  const size_t size = std::min(to.size(), 8 - skip);
  if (size != 0) std::memcpy(to.data(), reinterpret_cast<const char*>(&word) + skip, size);
  return size;
}

// How much of [offset, offset + wanted) lies before `size`.
size_t Within(uint64_t size, uint64_t offset, size_t wanted) {
  if (offset >= size) return 0;
  return static_cast<size_t>(std::min<uint64_t>(wanted, size - offset));
}

class Bytes : public Contents {
 public:
  explicit Bytes(absl::string_view bytes) : bytes_(bytes) {}

  uint64_t size() const override { return bytes_.size(); }
  size_t Read(uint64_t offset, std::span<std::byte> to) const override {
    const size_t count = Within(bytes_.size(), offset, to.size());
    if (count != 0) std::memcpy(to.data(), bytes_.data() + offset, count);
    return count;
  }
  bool Resize(uint64_t size) override {
    const size_t old_size = bytes_.size();
    bytes_.resize(size);
    if (size <= old_size) return true;
    FillPattern(old_size, std::as_writable_bytes(std::span(bytes_)).subspan(old_size));
    return true;
  }
  bool Rewrite() override {
    for (char& byte : bytes_) byte = static_cast<char>(~byte);
    return true;
  }

 private:
  std::string bytes_;
};

class Pattern : public Contents {
 public:
  Pattern(uint64_t size, uint64_t seed) : size_(size), seed_(seed) {}

  uint64_t size() const override { return size_; }
  size_t Read(uint64_t offset, std::span<std::byte> to) const override {
    const size_t count = Within(size_, offset, to.size());
    FillPattern(offset, to.first(count), seed_);
    return count;
  }
  bool Resize(uint64_t size) override {
    size_ = size;
    return true;
  }
  bool Rewrite() override {
    ++seed_;
    return true;
  }

 private:
  uint64_t size_;
  uint64_t seed_;
};

class Sparse : public Contents {
 public:
  Sparse(uint64_t size, std::map<uint64_t, std::string> marks)
      : size_(size), marks_(std::move(marks)) {}

  uint64_t size() const override { return size_; }
  uint64_t used() const override {
    uint64_t bytes = 0;
    for (const auto& [offset, mark] : marks_) bytes += mark.size();
    return bytes;
  }
  size_t Read(uint64_t offset, std::span<std::byte> to) const override {
    const size_t count = Within(size_, offset, to.size());
    std::ranges::fill(to.first(count), std::byte{0});
    for (const auto& [at, mark] : marks_) {
      if (at < offset + count && offset < at + mark.size())
        CopyMark(at, mark, offset, to.first(count));
    }
    return count;
  }
  bool Resize(uint64_t size) override {
    size_ = size;
    marks_.erase(marks_.lower_bound(size), marks_.end());
    if (marks_.empty()) return true;
    auto& [offset, mark] = *marks_.rbegin();
    mark.resize(Within(size, offset, mark.size()));
    return true;
  }
  bool Rewrite() override {
    for (auto& [offset, mark] : marks_) {
      for (char& byte : mark) byte = static_cast<char>(~byte);
    }
    return true;
  }

 private:
  // What of the mark at `at` lies in the bytes from `offset` on, which `to` is.
  static void CopyMark(uint64_t at, const std::string& mark, uint64_t offset,
                       std::span<std::byte> to) {
    const uint64_t begin = std::max(at, offset);
    const uint64_t end = std::min(at + mark.size(), offset + to.size());
    std::memcpy(to.data() + (begin - offset), mark.data() + (begin - at), end - begin);
  }

  uint64_t size_;
  std::map<uint64_t, std::string> marks_;
};

class Disk : public Contents {
 public:
  Disk(std::string path, uint64_t size) : path_(std::move(path)), size_(size) {}

  uint64_t size() const override { return size_; }
  size_t Read(uint64_t offset, std::span<std::byte> to) const override {
    const size_t count = Within(size_, offset, to.size());
    const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return 0;
    const size_t got = ReadAll(fd, offset, to.first(count));
    ::close(fd);
    return got;
  }
  bool Resize(uint64_t /*size*/) override { return false; }
  bool Rewrite() override { return false; }

 private:
  static size_t ReadAll(int fd, uint64_t offset, std::span<std::byte> to) {
    size_t got = 0;
    while (got < to.size()) {
      const ssize_t result =
          ::pread(fd, to.data() + got, to.size() - got, static_cast<off_t>(offset + got));
      if (result < 0 && errno == EINTR) continue;
      if (result <= 0) break;
      got += static_cast<size_t>(result);
    }
    return got;
  }

  const std::string path_;
  const uint64_t size_;
};

}  // namespace

void FillPattern(uint64_t offset, std::span<std::byte> to, uint64_t seed) {
  if (offset % 8 != 0) {
    const size_t size = FillInsideWord(offset, to, seed);
    offset += size;
    to = to.subspan(size);
  }
  std::byte* at = to.data();
  for (std::byte* const end = at + to.size() / 8 * 8; at != end; at += 8, offset += 8) {
    const uint64_t word = Word(offset / 8, seed);
    std::memcpy(at, &word, 8);
  }
  FillInsideWord(offset, to.last(to.size() % 8), seed);
}

std::unique_ptr<Contents> BytesContents(absl::string_view bytes) {
  return std::make_unique<Bytes>(bytes);
}

std::unique_ptr<Contents> PatternContents(uint64_t size, uint64_t seed) {
  return std::make_unique<Pattern>(size, seed);
}

std::unique_ptr<Contents> SparseContents(uint64_t size, std::map<uint64_t, std::string> marks) {
  return std::make_unique<Sparse>(size, std::move(marks));
}

std::unique_ptr<Contents> DiskContents(std::string path, uint64_t size) {
  return std::make_unique<Disk>(std::move(path), size);
}

}  // namespace server
