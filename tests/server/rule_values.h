// The values of a rule's words. Each of these gives nothing when the text is no such
// value; script_parser.h has what each looks like.
#ifndef TESTS_SERVER_RULE_VALUES_H_
#define TESTS_SERVER_RULE_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "rpc/message.h"
#include "tests/server/script.h"

namespace server {

std::optional<uint64_t> ParseNumber(absl::string_view text);
// As ParseNumber, at most UINT32_MAX.
std::optional<uint32_t> ParseUint32(absl::string_view text);
std::optional<Range> ParseRange(absl::string_view text);
std::optional<absl::Duration> ParseTime(absl::string_view text);
std::optional<bool> ParseBool(absl::string_view text);
std::optional<double> ParseChance(absl::string_view text);
std::optional<Transport> ParseTransport(absl::string_view text);
std::optional<int64_t> ParseCut(absl::string_view text);
std::optional<std::vector<size_t>> ParseSizes(absl::string_view text);
std::optional<std::string> ParseBytes(absl::string_view text);
std::optional<rpc::VersionRange> ParseVersions(absl::string_view text);
std::optional<Verifier> ParseVerifier(absl::string_view text);
// Both above zero.
std::optional<SlowRead> ParseSlowRead(absl::string_view text);
// Whether there is such a field is another matter, see known_fields.h.
std::optional<Poke> ParsePoke(absl::string_view text);

// By number, or by name with or without the prefix that all of them have.
std::optional<uint32_t> ParseStatus(absl::string_view text);
std::optional<uint32_t> ParseAuthState(absl::string_view text);
std::optional<uint32_t> ParseAcceptState(absl::string_view text);

}  // namespace server

#endif  // TESTS_SERVER_RULE_VALUES_H_
