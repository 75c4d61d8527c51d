// Tested by tests/client/window_any_order_test.cc.
// Lending in any order.
#include <algorithm>
#include <cassert>

#include "client/stream/window.h"

namespace nfs {

bool Window::CanLendAny(uint64_t number) const {
  const Chunk& chunk = At(number);
  return !chunk.is_lent && chunk.filled != 0 && IsReady(number);
}

// One past the last chunk that can be lent together with this one.
uint64_t Window::RunFrom(uint64_t number) const {
  const uint64_t most = std::min(ask_, number + options_.lent_chunks);
  uint64_t end = number + 1;
  while (end < most && IsAdjacent(end) && CanLendAny(end)) ++end;
  return end;
}

// All but the file's last chunk are full.
size_t Window::BytesOf(uint64_t first, uint64_t end) const {
  return (end - first - 1) * size_t{options_.chunk_bytes} + At(end - 1).filled;
}

std::optional<Window::Piece> Window::LendAny(size_t at_least) {
  for (uint64_t first = next_; first < ask_;) {
    if (!CanLendAny(first)) {
      ++first;
      continue;
    }
    const uint64_t end = RunFrom(first);
    const bool can_grow =
        end < ask_ ? IsAdjacent(end) : NextPlace() == std::optional(At(end - 1).place + 1);
    if (!can_grow || BytesOf(first, end) >= at_least) return LendRun(first, end);
    first = end;
  }
  return std::nullopt;
}

Window::Piece Window::LendRun(uint64_t first, uint64_t end) {
  const size_t bytes = BytesOf(first, end);
  At(first).piece = static_cast<uint32_t>(end - first);
  for (uint64_t number = first; number < end; ++number) At(number).is_lent = true;
  lent_end_ = std::max(lent_end_, OffsetOf(first) + bytes);
  while (next_ < ask_ && At(next_).is_lent) next_offset_ += At(next_++).filled;
  CheckInvariants();
  const auto id = static_cast<ChunkId>(first % ring_.size());
  return {id, OffsetOf(first), std::span(MemoryOf(first).data(), bytes)};
}

void Window::ReleaseAny(ChunkId id) {
  const uint64_t first = NumberOf(id);
  for (uint64_t number = first; number < first + At(first).piece; ++number) {
    assert(At(number).is_lent && !At(number).is_back);
    At(number).is_back = true;
  }
  while (oldest_ < next_ && At(oldest_).is_back) ++oldest_;
  CheckInvariants();
}

}  // namespace nfs
