// Tested by tests/rpc/rpcbind_test.cc and, against libtirpc, tests/oracle/.
#include "rpc/rpcbind.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace rpc {

namespace {

std::optional<uint16_t> Octet(absl::string_view text) {
  uint32_t value = 0;
  // Of SimpleAtoi's grammar, which allows signs and spaces, only the digits.
  if (!std::ranges::all_of(text, absl::ascii_isdigit)) return std::nullopt;
  if (!absl::SimpleAtoi(text, &value) || value > 255) return std::nullopt;
  return static_cast<uint16_t>(value);
}

}  // namespace

std::optional<uint16_t> PortOfUniversalAddress(absl::string_view address) {
  const std::vector<absl::string_view> parts = absl::StrSplit(address, '.');
  if (parts.size() < 3) return std::nullopt;
  const std::optional<uint16_t> high = Octet(parts[parts.size() - 2]);
  const std::optional<uint16_t> low = Octet(parts[parts.size() - 1]);
  if (!high || !low) return std::nullopt;
  return static_cast<uint16_t>(*high << 8 | *low);
}

}  // namespace rpc
