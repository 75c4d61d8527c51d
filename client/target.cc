// Tested by tests/client/target_test.cc.
#include "client/target.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace nfs {

namespace {

using absl::InvalidArgumentError;
using absl::string_view;

constexpr string_view kForms = "give nfs://host/path or host:/path";
constexpr string_view kScheme = "nfs://";

int HexValue(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  return absl::ascii_isxdigit(c) ? absl::ascii_tolower(c) - 'a' + 10 : -1;
}

absl::StatusOr<std::string> PercentDecode(string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = high >= 0 ? HexValue(text[i + 2]) : -1;
    if (low < 0) {
      return InvalidArgumentError(
          absl::StrCat("'", text, "': a % stands before two hexadecimal digits; write %25 for it"));
    }
    decoded += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return decoded;
}

// "/a//b/" -> "/a/b". Every way to write a path must send the server the same one.
absl::StatusOr<std::string> PathOf(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.find('\0') != std::string::npos) {
      return InvalidArgumentError("a path on a server cannot contain a NUL byte");
    }
  }
  return absl::StrCat("/", absl::StrJoin(names, "/"));
}

absl::StatusOr<std::string> DecodePath(string_view path) {
  std::vector<std::string> names;
  for (string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    absl::StatusOr<std::string> name = PercentDecode(part);
    if (!name.ok()) return name.status();
    if (absl::StrContains(*name, "/")) {
      return InvalidArgumentError(
          absl::StrCat("'", part, "': %2F is a slash inside a name, which no file has"));
    }
    names.push_back(*std::move(name));
  }
  return PathOf(names);
}

absl::Status ParsePort(string_view text, Target& target) {
  uint32_t port = 0;
  if (!std::ranges::all_of(text, absl::ascii_isdigit) || !absl::SimpleAtoi(text, &port) ||
      port == 0 || port > 65535) {
    return InvalidArgumentError(absl::StrCat("'", text, "' is not a port from 1 to 65535"));
  }
  target.port = static_cast<uint16_t>(port);
  return absl::OkStatus();
}

// "[fe80::1%25eth0]:2049", "host:2049", "host".
absl::Status ParseAuthority(string_view authority, Target& target) {
  const size_t at = authority.rfind('@');
  if (at != string_view::npos) authority.remove_prefix(at + 1);
  string_view host = authority;
  string_view after;
  if (absl::ConsumePrefix(&host, "[")) {
    const size_t close = host.find(']');
    if (close == string_view::npos) return InvalidArgumentError("a '[' without a ']'");
    after = host.substr(close + 1);
    host = host.substr(0, close);
  } else {
    const size_t colon = host.find(':');
    after = host.substr(std::min(colon, host.size()));
    host = host.substr(0, colon);
  }
  absl::StatusOr<std::string> decoded = PercentDecode(host);
  if (!decoded.ok()) return decoded.status();
  if (decoded->empty()) return InvalidArgumentError(absl::StrCat("no host; ", kForms));
  target.host = *std::move(decoded);
  if (after.empty()) return absl::OkStatus();
  if (absl::StrContains(after.substr(1), ":")) {
    return InvalidArgumentError("an IPv6 address stands in brackets: nfs://[2001:db8::7]/path");
  }
  if (!absl::ConsumePrefix(&after, ":")) {
    return InvalidArgumentError(absl::StrCat("'", after, "' after the address is not a :port"));
  }
  return ParsePort(after, target);
}

absl::Status ParseQuery(string_view query, Target& target) {
  for (string_view pair : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const std::pair<string_view, string_view> parts = absl::StrSplit(pair, absl::MaxSplits('=', 1));
    absl::StatusOr<std::string> key = PercentDecode(parts.first);
    if (!key.ok()) return key.status();
    absl::StatusOr<std::string> value = PercentDecode(parts.second);
    if (!value.ok()) return value.status();
    target.keys.emplace_back(*std::move(key), *std::move(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<Target> ParseUrl(string_view text) {
  Target target;
  string_view rest = text.substr(kScheme.size());
  const size_t question = rest.find('?');
  const string_view query = question == string_view::npos ? "" : rest.substr(question + 1);
  rest = rest.substr(0, question);
  const size_t slash = rest.find('/');
  if (slash == string_view::npos) return InvalidArgumentError(absl::StrCat("no path; ", kForms));
  absl::Status status = ParseAuthority(rest.substr(0, slash), target);
  if (status.ok()) status = ParseQuery(query, target);
  if (!status.ok()) return status;
  absl::StatusOr<std::string> path = DecodePath(rest.substr(slash));
  if (!path.ok()) return path.status();
  target.path = *std::move(path);
  return target;
}

// "host:/path": the colon before the first slash ends the host.
absl::StatusOr<Target> ParseMountForm(string_view text) {
  const size_t split = text.find(":/");
  if (split == string_view::npos || text.find('/') < split) {
    return InvalidArgumentError(absl::StrCat("not a target; ", kForms));
  }
  if (absl::StartsWith(text.substr(split), "://")) {
    return InvalidArgumentError(absl::StrCat("'", text.substr(0, split), "://': ", kForms));
  }
  Target target;
  string_view host = text.substr(0, split);
  const bool bracketed = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  if (!bracketed && absl::StrContains(host, ":")) {
    return InvalidArgumentError("an IPv6 address stands in brackets: [2001:db8::7]:/path");
  }
  if (host.empty()) return InvalidArgumentError(absl::StrCat("no host; ", kForms));
  target.host = std::string(host);
  absl::StatusOr<std::string> path =
      PathOf(absl::StrSplit(text.substr(split + 1), '/', absl::SkipEmpty()));
  if (!path.ok()) return path.status();
  target.path = *std::move(path);
  return target;
}

// libnfs's keys under our names. What has no name here is known and has no effect.
std::optional<string_view> OurNameOf(string_view libnfs_key) {
  if (libnfs_key == "nfsport") return "port";
  for (string_view idle : {"if", "autoreconnect", "auto-traverse-mounts", "dircache", "debug",
                           "tcp-syncnt", "pagecache", "pagecachettl"}) {
    if (libnfs_key == idle) return std::nullopt;
  }
  return libnfs_key;
}

absl::Status ApplyKey(string_view key, string_view value, Options& options) {
  if (key == "version") {
    if (value == "3") return absl::OkStatus();
    return InvalidArgumentError(absl::StrCat("version=", value, ": only NFS version 3 is spoken"));
  }
  const std::optional<string_view> name = OurNameOf(key);
  if (!name.has_value()) {
    if (options.warn != nullptr) options.warn(absl::StrCat("URL key '", key, "' has no effect"));
    return absl::OkStatus();
  }
  const absl::Status status = SetOption(*name, value, options);
  if (!absl::IsNotFound(status)) return status;
  return InvalidArgumentError(absl::StrCat("unknown URL key '", key, "'"));
}

}  // namespace

absl::StatusOr<Target> ParseTarget(string_view text) {
  absl::StatusOr<Target> target =
      absl::StartsWithIgnoreCase(text, kScheme) ? ParseUrl(text) : ParseMountForm(text);
  if (target.ok()) target->text = std::string(text);
  return target;
}

absl::Status ApplyTarget(const Target& target, Options& options) {
  if (target.port != 0) options.port = target.port;
  for (const auto& [key, value] : target.keys) {
    const absl::Status status = ApplyKey(key, value, options);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace nfs
