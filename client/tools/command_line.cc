// Tested by tests/client/command_line_test.cc.
#include "client/tools/command_line.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

// What has no letter.
enum LongOption : int {
  kOffset = ToolOption::kFirstCode,
  kLength,
  kProgress,
  kNoProgress,
  kStats,
  kExplain,
  kVersion,
};

constexpr ToolOption kToolOptions[] = {
    {"output", "FILE", 'o', "write to FILE, not to standard output (-o FILE)"},
    {"offset", "BYTES", kOffset, "start there in the file (0)"},
    {"length", "BYTES", kLength, "so many bytes at most (to the end)"},
    {"progress", nullptr, kProgress, "show progress (when standard error is a terminal)"},
    {"no-progress", nullptr, kNoProgress, "show no progress"},
    {"stats", "[text|json]", kStats, "say at the end what was measured (text)"},
    {"explain", nullptr, kExplain, "... and what limited the speed, and why"},
    {"verbose", nullptr, 'v', "say what is done and chosen (-v)"},
    {"quiet", nullptr, 'q', "no warnings (-q)"},
    {"help", nullptr, 'h', "show this (-h)"},
    {"version", nullptr, kVersion, "show the version"},
};

absl::Status SetStats(const char* value, CommandLine& line) {
  const absl::string_view kind = value == nullptr ? "text" : value;
  line.stats = kind == "json" ? CommandLine::Stats::kJson : CommandLine::Stats::kText;
  if (kind == "json" || kind == "text") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("stats: '", kind, "' is not text or json"));
}

absl::Status Apply(int code, const char* value, CommandLine& line) {
  switch (code) {
    case 'o': line.output = value; break;
    case 'v': line.verbose = true; break;
    case 'q': line.quiet = true; break;
    case 'h': line.help = true; break;
    case kStats: return SetStats(value, line);
    case kExplain: line.explain = true; break;
    case kVersion: line.version = true; break;
    case kProgress: line.progress = true; break;
    case kNoProgress: line.progress = false; break;
    case kOffset: return SetSize("offset", value, line.range.offset);
    case kLength: return SetSize("length", value, line.range.length);
    default: break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv) {
  absl::StatusOr<Arguments> arguments = ParseArguments(kToolOptions, argc, argv);
  if (!arguments.ok()) return arguments.status();
  CommandLine line;
  for (const auto& [code, value] : arguments->given) {
    const absl::Status status = Apply(code, value, line);
    if (!status.ok()) return status;
  }
  if (arguments->operands.empty() && !line.help && !line.version) {
    return absl::InvalidArgumentError("no target; give nfs://host/path or host:/path, or --help");
  }
  line.arguments = *std::move(arguments);
  return line;
}

std::string HelpText() {
  return absl::StrCat(
      "Usage: nfscat [OPTION]... TARGET...\n"
      "Write the bytes of each file on an NFSv3 server to standard output.\n"
      "\n"
      "TARGET is nfs://[user@]host[:port]/path[?key=value&...] or host:/path, where path is\n"
      "the whole path on the server. Sizes take K, M, G, T. Defaults are in parentheses.\n"
      "\n",
      ToolHelp(kToolOptions), ConnectionHelp());
}

}  // namespace nfs
