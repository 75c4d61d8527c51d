// Bytes that have been received and not been used yet, in the memory they came to.
//
// What comes next is known only when it has come. So it comes to memory of our own, and
// is copied to where it belongs. But many replies of one kind look the same: a head of so
// many bytes, and a payload as long as was asked for. With a layout like that,
//
//   offered   | own: head | foreign: payload | own: head | foreign: payload | own: head |
//
// one receive takes many replies, and the payloads lie where they belong, if the replies
// are what was expected and in that order. If not, they lie in somebody else's memory,
// and are copied out of it before anything else is done with that memory.
#ifndef RPC_STAGING_H_
#define RPC_STAGING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rpc/raw_bytes.h"

namespace rpc {

// Thread-compatible. Allocates at construction only.
class Staging {
 public:
  // A layout has at most so many.
  static constexpr size_t kMostPayloads = 16;

  struct Layout {
    size_t head_bytes = 0;
    // In their order, none of them empty; none: nothing is expected.
    std::span<const std::span<std::byte>> payloads;
  };

  // `own_bytes`: what Offer() without a layout can have; `foreign_bytes`: the payloads of a
  // layout together.
  explicit Staging(size_t own_bytes, size_t foreign_bytes = 0);

  size_t own_bytes() const { return own_.size(); }
  // Whether there are payloads, and no more than there is room for, and their heads.
  bool CanOffer(const Layout& layout) const;

  // Memory to receive into, in this order, until OnReceived. REQUIRES: empty(), and
  // 1 <= bytes <= own_bytes().
  std::span<const std::span<std::byte>> Offer(size_t bytes);
  // REQUIRES: empty(), and CanOffer(layout).
  std::span<const std::span<std::byte>> Offer(const Layout& layout);
  // The first `size` bytes of the offer have come, and none of the rest.
  void OnReceived(size_t size);

  bool empty() const { return at_ == end_; }
  // The next bytes, as many as lie side by side.
  std::span<std::byte> front() const { return empty() ? std::span<std::byte>() : pieces_[at_]; }
  // Drops `size` bytes of front().
  void Use(size_t size);

  // A record ends here. If that is not where the layout has the end of one, then nothing
  // that follows is where it belongs, and it leaves foreign memory.
  void OnRecordEnd();
  // Everything that is left leaves foreign memory.
  void LeaveForeign();
  // How often something had to.
  uint64_t misses() const { return misses_; }

  void Clear() { at_ = end_ = 0; }

 private:
  // Pieces are by turns our own and foreign.
  bool HasForeign() const { return at_ + 1 < end_ || (at_ < end_ && at_ % 2 != 0); }
  bool IsAtHead() const {
    return at_ % 2 == 0 && front().data() == own_.data() + at_ / 2 * head_bytes_;
  }

  RawBytes own_;
  RawBytes rescued_;  // what had to leave foreign memory
  size_t head_bytes_ = 0;
  std::vector<std::span<std::byte>> pieces_;
  size_t at_ = 0;  // pieces_[at_, end_) have bytes that are not used yet
  size_t end_ = 0;
  uint64_t misses_ = 0;
};

}  // namespace rpc

#endif  // RPC_STAGING_H_
