// How RFC 4506 lays numbers and padding out in memory.
#ifndef XDR_WIRE_H_
#define XDR_WIRE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace xdr {

static_assert(std::endian::native == std::endian::little,
              "a big-endian host needs these three functions without the swap");

// The size of `size` opaque bytes with their padding to four (RFC 4506, 4.9).
constexpr size_t PaddedSize(size_t size) { return (size + 3) & ~size_t{3}; }

// Big-endian numbers (RFC 4506, 4.1 and 4.5), at any alignment.
inline uint32_t LoadUint32(const std::byte* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof(value));
  return __builtin_bswap32(value);
}

inline void StoreUint32(std::byte* to, uint32_t value) {
  value = __builtin_bswap32(value);
  std::memcpy(to, &value, sizeof(value));
}

}  // namespace xdr

#endif  // XDR_WIRE_H_
