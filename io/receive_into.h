// What a receive fills, and what it may wait for.
#ifndef IO_RECEIVE_INTO_H_
#define IO_RECEIVE_INTO_H_

#include <cstddef>
#include <span>

namespace io {

// Memory to receive into: `first`, then `second`, either may be empty, not both; then
// `more`, of which none is.
struct ReceiveInto {
  static constexpr size_t kMostSpans = 34;  // in all

  std::span<std::byte> first;
  std::span<std::byte> second;
  // The peer is known to send at least so many bytes more. A receive may wait until
  // so many are there, which saves wake-ups, but never for more. REQUIRES: between 1
  // and size().
  size_t promised = 1;
  std::span<const std::span<std::byte>> more = {};
  // How much is likely to come soon, if that is more than promised. A receive may wait for
  // it, but not for long.
  size_t expected = 0;

  size_t size() const;
  bool IsValid() const {
    return promised >= 1 && promised <= size() && 2 + more.size() <= kMostSpans;
  }
  // Calls visit(span) for each in its order, empty ones too.
  void ForEach(auto&& visit) const {
    visit(first);
    visit(second);
    for (const std::span<std::byte> span : more) visit(span);
  }
};

inline size_t ReceiveInto::size() const {
  size_t size = 0;
  ForEach([&size](std::span<std::byte> span) { size += span.size(); });
  return size;
}

}  // namespace io

#endif  // IO_RECEIVE_INTO_H_
