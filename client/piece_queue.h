// Pieces of a file on their way from one thread to another.
#ifndef CLIENT_PIECE_QUEUE_H_
#define CLIENT_PIECE_QUEUE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nfs {

// First in, first out. Thread-compatible. Allocates at construction only.
class PieceQueue {
 public:
  using Piece = std::span<const std::byte>;

  explicit PieceQueue(size_t capacity = 0) : ring_(capacity) {}

  bool empty() const { return count_ == 0; }
  // In all of the pieces.
  uint64_t bytes() const { return bytes_; }

  // REQUIRES: fewer than `capacity` are in it.
  void Push(Piece piece) {
    assert(count_ < ring_.size());
    ring_[(first_ + count_++) % ring_.size()] = piece;
    bytes_ += piece.size();
  }
  // REQUIRES: !empty().
  Piece Pop() {
    assert(!empty());
    const Piece piece = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --count_;
    bytes_ -= piece.size();
    return piece;
  }
  void Clear() {
    count_ = 0;
    bytes_ = 0;
  }

 private:
  std::vector<Piece> ring_;
  size_t first_ = 0;
  size_t count_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_PIECE_QUEUE_H_
