// Tested by tests/rpc/staging_test.cc.
#include "rpc/staging.h"

#include <cassert>
#include <cstring>

namespace rpc {

Staging::Staging(size_t own_bytes, size_t foreign_bytes)
    : own_(own_bytes), rescued_(own_bytes + foreign_bytes) {
  pieces_.reserve(2 * kMostPayloads + 1);
}

std::span<const std::span<std::byte>> Staging::Offer(size_t bytes) {
  assert(empty() && "use up what was received before receiving more");
  assert(1 <= bytes && bytes <= own_.size());
  Clear();
  pieces_.assign(1, std::span(own_).first(bytes));
  return pieces_;
}

bool Staging::CanOffer(const Layout& layout) const {
  size_t bytes = 0;
  for (const std::span<std::byte> payload : layout.payloads) bytes += payload.size();
  const size_t count = layout.payloads.size();
  return 1 <= count && count <= kMostPayloads && bytes <= rescued_.size() - own_.size() &&
         1 <= layout.head_bytes && layout.head_bytes <= own_.size() / (count + 1);
}

std::span<const std::span<std::byte>> Staging::Offer(const Layout& layout) {
  assert(empty() && CanOffer(layout));
  Clear();
  pieces_.clear();
  head_bytes_ = layout.head_bytes;
  size_t own = 0;
  for (const std::span<std::byte> payload : layout.payloads) {
    pieces_.push_back(std::span(own_).subspan(own, head_bytes_));
    pieces_.push_back(payload);
    own += head_bytes_;
  }
  pieces_.push_back(std::span(own_).subspan(own, head_bytes_));
  return pieces_;
}

void Staging::OnReceived(size_t size) {
  for (at_ = end_ = 0; size != 0; ++end_) {
    assert(end_ < pieces_.size());
    std::span<std::byte>& piece = pieces_[end_];
    if (size < piece.size()) piece = piece.first(size);
    size -= piece.size();
  }
}

void Staging::Use(size_t size) {
  assert(size <= front().size());
  if (size == 0) return;
  pieces_[at_] = pieces_[at_].subspan(size);
  if (pieces_[at_].empty()) ++at_;
}

void Staging::OnRecordEnd() {
  if (!IsAtHead()) LeaveForeign();
}

void Staging::LeaveForeign() {
  if (!HasForeign()) return;
  ++misses_;
  size_t size = 0;
  for (; at_ != end_; ++at_) {
    std::memcpy(rescued_.data() + size, pieces_[at_].data(), pieces_[at_].size());
    size += pieces_[at_].size();
  }
  pieces_.assign(1, std::span(rescued_).first(size));
  at_ = 0;
  end_ = 1;
}

}  // namespace rpc
