// A server and a consumer around a window, for its tests.
#ifndef TESTS_CLIENT_WINDOW_WORLD_H_
#define TESTS_CLIENT_WINDOW_WORLD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "client/stream/window.h"
#include "gtest/gtest.h"

namespace nfs {

inline std::byte ContentAt(uint64_t offset) { return static_cast<std::byte>(offset * 131 >> 3); }

// Checks that bytes come once, and in order or where they belong.
class World {
 public:
  World(const Window::Options& options, uint64_t file_size)
      : options_(options),
        memory_(Window::ChunkCount(options) * options.chunk_bytes),
        window_(options, memory_),
        file_size_(file_size),
        next_(options.begin) {}

  Window& window() { return window_; }
  size_t in_flight() const { return asks_.size(); }
  uint64_t delivered() const { return next_ - options_.begin; }
  int reads() const { return reads_; }

  // Every eighth time, to any size that it may have.
  void ResizeAtTimes(uint32_t dice) {
    if (dice % 8 == 0) window_.Resize(dice / 8 % (options_.window_chunks + 1));
  }

  // Sends what the window asks for, up to `slots` at once.
  void Fill(bool consumer_waits, size_t slots = SIZE_MAX) {
    while (asks_.size() < slots) {
      const auto ask = window_.NextAsk(consumer_waits);
      if (!ask.has_value()) return;
      ASSERT_FALSE(asks_.contains(ask->chunk)) << "two READs into one chunk";
      ASSERT_GE(ask->memory.size(), 1u);
      ASSERT_LE(ask->memory.size(), options_.chunk_bytes);
      ASSERT_GE(ask->offset, options_.begin);
      ASSERT_LE(ask->offset + ask->memory.size(), options_.end);
      asks_[ask->chunk] = *ask;
      ++reads_;
    }
  }

  // Answers the `index`th READ in flight with at most `most` bytes.
  void Answer(size_t index, uint32_t most, bool honest_eof = true) {
    auto it = std::next(asks_.begin(), static_cast<std::ptrdiff_t>(index));
    const Window::Ask ask = it->second;
    asks_.erase(it);
    const uint64_t left = file_size_ > ask.offset ? file_size_ - ask.offset : 0;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>({left, ask.memory.size(), most}));
    for (uint32_t i = 0; i < count; ++i) ask.memory[i] = ContentAt(ask.offset + i);
    const bool at_end = ask.offset + count >= file_size_;
    window_.OnAnswer(ask.chunk, count, at_end && (honest_eof || count == 0));
  }

  // Hands out at most `most` bytes of the `index`th READ past memory, if it may; how many.
  // Its answer may still fail to come.
  uint32_t HandOut(size_t index, uint32_t most) {
    const Window::Ask& ask = std::next(asks_.begin(), static_cast<std::ptrdiff_t>(index))->second;
    const uint64_t left = file_size_ > ask.offset ? file_size_ - ask.offset : 0;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>({left, ask.memory.size(), most}));
    if (count == 0 || window_.PlaceOf(ask.chunk) != Window::Place::kNext) return 0;
    EXPECT_EQ(ask.offset, next_) << "not the next bytes";
    window_.HandOut(ask.chunk, count);
    next_ += count;
    EXPECT_EQ(next_, window_.next_offset());
    return count;
  }

  // Takes all that is ready, and gives it back if `release`.
  void Consume(bool release = true) {
    while (const auto bytes = window_.Lend()) {
      for (size_t i = 0; i < bytes->size(); ++i) {
        ASSERT_EQ((*bytes)[i], ContentAt(next_ + i)) << "at " << next_ + i;
      }
      next_ += bytes->size();
      ASSERT_EQ(next_, window_.next_offset());
      if (release) window_.Release();
    }
  }

  // Takes what there is, in any order; `most` pieces are held at a time.
  void ConsumeAny(size_t at_least, size_t most) {
    while (held_.size() < most) {
      const auto piece = window_.LendAny(held_.empty() ? 1 : at_least);
      if (!piece.has_value()) return;
      ASSERT_GE(piece->bytes.size(), 1u);
      for (size_t i = 0; i < piece->bytes.size(); ++i) {
        ASSERT_EQ(piece->bytes[i], ContentAt(piece->offset + i)) << "at " << piece->offset + i;
        ASSERT_TRUE(taken_.insert(piece->offset + i).second) << "twice: " << piece->offset + i;
      }
      held_.push_back(*piece);
      while (taken_.contains(next_)) ++next_;
      ASSERT_EQ(next_, window_.next_offset());
      ASSERT_EQ(*taken_.rbegin() + 1, window_.lent_end());
    }
  }
  size_t held() const { return held_.size(); }
  // Gives back the `index`th piece held, which nobody has touched.
  void ReleaseAny(size_t index) {
    const auto piece = held_.begin() + static_cast<std::ptrdiff_t>(index);
    for (size_t i = 0; i < piece->bytes.size(); ++i) {
      ASSERT_EQ(piece->bytes[i], ContentAt(piece->offset + i)) << "overwritten while lent";
    }
    window_.ReleaseAny(piece->chunk);
    held_.erase(piece);
  }
  // Bytes that were taken, if not always in order.
  uint64_t taken() const { return taken_.size(); }

 private:
  const Window::Options options_;
  std::vector<std::byte> memory_;
  Window window_;
  const uint64_t file_size_;
  uint64_t next_;
  std::map<ChunkId, Window::Ask> asks_;
  int reads_ = 0;
  std::vector<Window::Piece> held_;
  std::set<uint64_t> taken_;  // offsets
};

inline Window::Options SmallOptions(uint64_t size, uint32_t window_chunks,
                                    uint32_t chunk_bytes = 4) {
  Window::Options options;
  options.size_hint = size;
  options.chunk_bytes = chunk_bytes;
  options.window_chunks = window_chunks;
  return options;
}

}  // namespace nfs

#endif  // TESTS_CLIENT_WINDOW_WORLD_H_
