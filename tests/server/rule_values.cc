// Tested by tests/server/script_parser_test.cc.
#include "tests/server/rule_values.h"

#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/protocol/nfs3_status.h"

namespace server {

namespace {

// The power of 1024 that ends `text`, which is taken off.
int TakeSuffix(absl::string_view& text) {
  constexpr absl::string_view kSuffixes = "KMGT";
  if (text.empty()) return 0;
  const size_t at = kSuffixes.find(text.back());
  if (at == absl::string_view::npos) return 0;
  text.remove_suffix(1);
  return static_cast<int>(at) + 1;
}

bool ToUint64(absl::string_view text, uint64_t& value) {
  if (text.empty() || !absl::ascii_isxdigit(static_cast<unsigned char>(text[0]))) return false;
  if (absl::StartsWith(text, "0x")) return absl::SimpleHexAtoi(text, &value);
  return absl::SimpleAtoi(text, &value);
}

// "A:B" as two.
std::optional<std::pair<absl::string_view, absl::string_view>> Halves(absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

// The number whose name is `text`, among the names that `name_of` gives.
template <typename State>
std::optional<uint32_t> ByName(absl::string_view text, absl::string_view prefix, uint32_t highest) {
  const std::optional<uint32_t> number = ParseUint32(text);
  if (number) return number;
  for (uint32_t candidate = 0; candidate <= highest; ++candidate) {
    const absl::string_view name = Name(static_cast<State>(candidate));
    if (text == name || absl::StrCat(prefix, text) == name) return candidate;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> ParseNumber(absl::string_view text) {
  const int suffix = TakeSuffix(text);
  uint64_t value = 0;
  if (!ToUint64(text, value)) return std::nullopt;
  if (value > std::numeric_limits<uint64_t>::max() >> (10 * suffix)) return std::nullopt;
  return value << (10 * suffix);
}

std::optional<uint32_t> ParseUint32(absl::string_view text) {
  const std::optional<uint64_t> value = ParseNumber(text);
  if (!value || *value > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*value);
}

std::optional<Range> ParseRange(absl::string_view text) {
  const size_t dots = text.find("..");
  const absl::string_view first = text.substr(0, dots);
  absl::string_view last = first;
  if (dots != absl::string_view::npos) last = text.substr(dots + 2);
  if (first.empty() && last.empty()) return std::nullopt;
  const std::optional<uint64_t> from = first.empty() ? 0 : ParseNumber(first);
  const std::optional<uint64_t> to = last.empty() ? UINT64_MAX : ParseNumber(last);
  if (!from || !to || *from > *to) return std::nullopt;
  return Range{*from, *to};
}

std::optional<absl::Duration> ParseTime(absl::string_view text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) || duration < absl::ZeroDuration()) {
    return std::nullopt;
  }
  return duration;
}

std::optional<bool> ParseBool(absl::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<double> ParseChance(absl::string_view text) {
  double chance = 0;
  // Written so that NaN is refused.
  if (!absl::SimpleAtod(text, &chance) || !(chance >= 0 && chance <= 1)) return std::nullopt;
  return chance;
}

std::optional<Transport> ParseTransport(absl::string_view text) {
  if (text == "tcp") return Transport::kTcp;
  if (text == "udp") return Transport::kUdp;
  return std::nullopt;
}

std::optional<int64_t> ParseCut(absl::string_view text) {
  const bool from_end = absl::ConsumePrefix(&text, "-");
  const std::optional<uint32_t> bytes = ParseUint32(text);
  if (!bytes) return std::nullopt;
  return from_end ? -int64_t{*bytes} : int64_t{*bytes};
}

std::optional<std::vector<size_t>> ParseSizes(absl::string_view text) {
  std::vector<size_t> sizes;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<uint32_t> size = ParseUint32(part);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<std::string> ParseBytes(absl::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (text[0] != '%') {
      bytes += text[0];
      text.remove_prefix(1);
      continue;
    }
    uint32_t byte = 0;
    if (text.size() < 3 || !absl::SimpleHexAtoi(text.substr(1, 2), &byte)) return std::nullopt;
    bytes += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return bytes;
}

std::optional<rpc::VersionRange> ParseVersions(absl::string_view text) {
  const auto halves = Halves(text);
  if (!halves) return std::nullopt;
  const std::optional<uint32_t> low = ParseUint32(halves->first);
  const std::optional<uint32_t> high = ParseUint32(halves->second);
  if (!low || !high) return std::nullopt;
  return rpc::VersionRange{*low, *high};
}

std::optional<Verifier> ParseVerifier(absl::string_view text) {
  const std::optional<rpc::VersionRange> numbers = ParseVersions(text);
  constexpr uint32_t kMostBytes = 1 << 20;
  if (!numbers || numbers->high > kMostBytes) return std::nullopt;
  return Verifier{numbers->low, numbers->high};
}

std::optional<SlowRead> ParseSlowRead(absl::string_view text) {
  const auto halves = Halves(text);
  if (!halves) return std::nullopt;
  const std::optional<uint32_t> bytes = ParseUint32(halves->first);
  const std::optional<absl::Duration> each = ParseTime(halves->second);
  if (!bytes || *bytes == 0 || !each || *each == absl::ZeroDuration()) return std::nullopt;
  return SlowRead{*bytes, *each};
}

std::optional<Poke> ParsePoke(absl::string_view text) {
  const auto halves = Halves(text);
  if (!halves || halves->first.empty()) return std::nullopt;
  const std::optional<uint64_t> value = ParseNumber(halves->second);
  if (!value) return std::nullopt;
  return Poke{std::string(halves->first), *value};
}

// Each mountstat3 has the number of an nfsstat3 with the same name after the prefix.
std::optional<uint32_t> ParseStatus(absl::string_view text) {
  absl::ConsumePrefix(&text, "MNT3ERR_");
  if (text == "OK") return 0;
  return ByName<nfs3::Status>(text, "NFS3ERR_", 10008);
}

std::optional<uint32_t> ParseAuthState(absl::string_view text) {
  return ByName<rpc::AuthState>(text, "AUTH_", 7);
}

std::optional<uint32_t> ParseAcceptState(absl::string_view text) {
  return ByName<rpc::AcceptState>(text, "", 5);
}

}  // namespace server
