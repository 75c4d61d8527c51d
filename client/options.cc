// Tested by tests/client/options_test.cc.
#include "client/options.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace nfs {

namespace {

using absl::InvalidArgumentError;
using absl::Status;
using absl::string_view;

// SimpleAtoi alone would take "+1" and " 1 ".
bool ParseDigits(string_view text, uint64_t& value) {
  return std::ranges::all_of(text, absl::ascii_isdigit) && absl::SimpleAtoi(text, &value);
}

// A number from `low` to `high`; the error says so.
template <typename Number>
Status ParseNumber(string_view text, uint64_t low, uint64_t high, Number& number) {
  uint64_t value = 0;
  if (!ParseDigits(text, value) || value < low || value > high) {
    return InvalidArgumentError(
        absl::StrCat("'", text, "' is not a number from ", low, " to ", high));
  }
  number = static_cast<Number>(value);
  return absl::OkStatus();
}

template <typename Number>
Status ParseOptionalNumber(string_view text, std::optional<Number>& number) {
  return ParseNumber(text, 0, std::numeric_limits<Number>::max(), number.emplace());
}

Status Choose(string_view text, std::initializer_list<string_view> names, int& index) {
  index = 0;
  std::string all;
  for (string_view name : names) {
    if (text == name) return absl::OkStatus();
    absl::StrAppend(&all, all.empty() ? "" : ", ", name);
    ++index;
  }
  return InvalidArgumentError(absl::StrCat("'", text, "' is none of: ", all));
}

template <typename Enum>
Status ParseChoice(string_view text, std::initializer_list<string_view> names, Enum& choice) {
  int index = 0;
  const Status status = Choose(text, names, index);
  if (status.ok()) choice = static_cast<Enum>(index);
  return status;
}

Status SetRsize(string_view text, Options& options) {
  uint64_t size = 0;
  Status status = ParseSize(text, size);
  constexpr uint64_t kLow = 512, kHigh = 16 << 20;
  if (status.ok() && (size < kLow || size > kHigh)) {
    status = InvalidArgumentError(absl::StrCat("'", text, "' is not a size from 512 to 16M"));
  }
  if (status.ok()) options.rsize = static_cast<uint32_t>(size);
  return status;
}

Status SetSlots(string_view text, Options& options) {
  return ParseNumber(text, 1, 1024, options.slots);
}

Status SetReadahead(string_view text, Options& options) {
  if (text == "auto") {
    options.readahead.reset();
    return absl::OkStatus();
  }
  return ParseSize(text, options.readahead.emplace());
}

Status SetNconnect(string_view text, Options& options) {
  if (text == "auto") {
    options.nconnect.reset();
    return absl::OkStatus();
  }
  return ParseNumber(text, 1, kMostConnections, options.nconnect.emplace());
}

Status SetMaxMemory(string_view text, Options& options) {
  return ParseSize(text, options.max_memory);
}

Status SetUid(string_view text, Options& options) { return ParseOptionalNumber(text, options.uid); }
Status SetGid(string_view text, Options& options) { return ParseOptionalNumber(text, options.gid); }

Status SetGroups(string_view text, Options& options) {
  std::vector<uint32_t>& groups = options.groups.emplace();
  for (string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const Status status = ParseNumber(part, 0, UINT32_MAX, groups.emplace_back());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

Status SetSec(string_view text, Options& options) {
  return ParseChoice(text, {"sys", "none"}, options.security);
}

Status SetPort(string_view text, Options& options) {
  return ParseNumber(text, 1, 65535, options.port);
}
Status SetMountport(string_view text, Options& options) {
  return ParseNumber(text, 1, 65535, options.mount_port);
}

// An option without a value; a URL key may say "=1" or "=0".
template <typename T>
Status SetSwitch(string_view text, T& option, T on, T off) {
  if (!text.empty() && text != "1" && text != "0") {
    return InvalidArgumentError(absl::StrCat("'", text, "' is neither 1 nor 0"));
  }
  option = text == "0" ? off : on;
  return absl::OkStatus();
}

Status SetResvport(string_view text, Options& options) {
  return SetSwitch(text, options.reserved_port, ReservedPort::kInsist, ReservedPort::kTry);
}
Status SetNoresvport(string_view text, Options& options) {
  return SetSwitch(text, options.reserved_port, ReservedPort::kNever, ReservedPort::kTry);
}

Status SetTimeo(string_view text, Options& options) {
  int64_t deciseconds = 0;
  const Status status = ParseNumber(text, 1, 6000, deciseconds);
  if (status.ok()) options.timeout = absl::Milliseconds(100 * deciseconds);
  return status;
}

Status SetRetrans(string_view text, Options& options) {
  return ParseNumber(text, 0, 1000, options.retransmissions);
}

Status SetConnectTimeout(string_view text, Options& options) {
  int64_t seconds = 0;
  const Status status = ParseNumber(text, 1, 3600, seconds);
  if (status.ok()) options.connect_timeout = absl::Seconds(seconds);
  return status;
}

Status SetIo(string_view text, Options& options) {
  return ParseChoice(text, {"auto", "uring", "poll"}, options.engine);
}

Status SetHard(string_view text, Options& options) {
  return SetSwitch(text, options.hard, true, false);
}

struct Entry {
  OptionDescription description;
  Status (*set)(string_view, Options&);
};

const std::vector<Entry>& Entries() {
  static const auto* entries = new std::vector<Entry>{
      {{"rsize", "BYTES", "bytes asked for in one READ (the server's preference, at most 1M)"},
       SetRsize},
      {{"slots", "N", "RPC calls in flight on one connection, 1 to 1024 (64)"}, SetSlots},
      {{"readahead", "BYTES|auto", "how far ahead of the reader to ask (auto)"}, SetReadahead},
      {{"nconnect", "N|auto", "TCP connections, 1 to 16; auto adds them while they help (auto)"},
       SetNconnect},
      {{"max-memory", "BYTES", "cap on the memory that holds file data (256M)"}, SetMaxMemory},
      {{"uid", "N", "AUTH_SYS user (the process's own)"}, SetUid},
      {{"gid", "N", "AUTH_SYS group (the process's own)"}, SetGid},
      {{"groups", "N,N", "AUTH_SYS supplementary groups, at most 16 (the process's own)"},
       SetGroups},
      {{"sec", "sys|none", "RPC authentication flavor (sys)"}, SetSec},
      {{"port", "N", "the server's NFS port (ask rpcbind)"}, SetPort},
      {{"mountport", "N", "the server's MOUNT port (ask rpcbind)"}, SetMountport},
      {{"resvport", nullptr, "insist on a source port below 1024 (try when privileged)"},
       SetResvport},
      {{"noresvport", nullptr, "never use a source port below 1024"}, SetNoresvport},
      {{"timeo", "DECISECONDS", "wait for one reply before resending (600)"}, SetTimeo},
      {{"retrans", "N", "resends before giving up (2)"}, SetRetrans},
      {{"hard", nullptr, "never give up, once the server has been reached"}, SetHard},
      {{"connect-timeout", "SECONDS", "wait for a connection, per address (10)"},
       SetConnectTimeout},
      {{"io", "auto|uring|poll", "event engine; auto uses poll where io_uring is blocked (auto)"},
       SetIo},
  };
  return *entries;
}

int SizeShift(char unit) {
  switch (absl::ascii_tolower(unit)) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    case 't': return 40;
    default: return 0;
  }
}

}  // namespace

Status ParseSize(string_view text, uint64_t& size) {
  string_view digits = text;
  const int shift = text.empty() ? 0 : SizeShift(text.back());
  if (shift != 0) digits.remove_suffix(1);
  uint64_t number = 0;
  if (!ParseDigits(digits, number) || number > (UINT64_MAX >> 1) >> shift) {
    return InvalidArgumentError(absl::StrCat(
        "'", text, "' is not a size: bytes, or a number with K, M, G or T, such as 64K"));
  }
  size = number << shift;
  return absl::OkStatus();
}

std::string FormatSize(uint64_t size) {
  const char* unit = "";
  for (const char* next : {"K", "M", "G", "T"}) {
    if (size == 0 || size % 1024 != 0) break;
    size /= 1024;
    unit = next;
  }
  return absl::StrCat(size, unit);
}

const std::vector<OptionDescription>& DescribeOptions() {
  static const auto* descriptions = [] {
    auto* all = new std::vector<OptionDescription>;
    for (const Entry& entry : Entries()) all->push_back(entry.description);
    return all;
  }();
  return *descriptions;
}

absl::Duration Patience(const Options& options) {
  return options.hard ? absl::InfiniteDuration() : options.timeout * (options.retransmissions + 1);
}

Status SetOption(string_view name, string_view value, Options& options) {
  for (const Entry& entry : Entries()) {
    if (name != entry.description.name) continue;
    const Status status = entry.set(value, options);
    if (status.ok()) return status;
    return Status(status.code(), absl::StrCat(name, ": ", status.message()));
  }
  return absl::NotFoundError(absl::StrCat("there is no option '", name, "'"));
}

}  // namespace nfs
