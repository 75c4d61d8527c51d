// Tested by tests/client/command_line_test.cc.
#include "client/tools/command_line.h"

#include <getopt.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace nfs {

namespace {

// What getopt_long returns for long options without a letter; connection options are
// kConnection + their index in DescribeOptions().
enum LongOption : int {
  kOffset = 1000,
  kLength,
  kProgress,
  kNoProgress,
  kStats,
  kExplain,
  kVersion,
  kConnection
};

struct ToolOption {
  const char* name;
  const char* value;  // null: it has none; in brackets: it may have none
  int code;
  const char* help;
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

int ArgumentOf(const ToolOption& tool) {
  if (tool.value == nullptr) return no_argument;
  return tool.value[0] == '[' ? optional_argument : required_argument;
}

std::vector<option> LongOptions() {
  std::vector<option> all;
  for (const ToolOption& tool : kToolOptions) {
    all.push_back({tool.name, ArgumentOf(tool), nullptr, tool.code});
  }
  int code = kConnection;
  for (const OptionDescription& description : DescribeOptions()) {
    const int argument = description.value ? required_argument : no_argument;
    all.push_back({description.name, argument, nullptr, code++});
  }
  all.push_back({});
  return all;
}

absl::Status SetSize(const char* name, absl::string_view value, uint64_t& size) {
  const absl::Status status = ParseSize(value, size);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
}

absl::Status SetStats(const char* value, CommandLine& line) {
  const absl::string_view kind = value == nullptr ? "text" : value;
  line.stats = kind == "json" ? CommandLine::Stats::kJson : CommandLine::Stats::kText;
  if (kind == "json" || kind == "text") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("stats: '", kind, "' is not text or json"));
}

absl::Status SetConnectionOption(int index, const char* value, CommandLine& line) {
  const char* name = DescribeOptions()[static_cast<size_t>(index)].name;
  line.options.emplace_back(name, value == nullptr ? "" : value);
  Options tried;
  return SetOption(name, line.options.back().second, tried);
}

absl::Status Apply(int code, const char* value, CommandLine& line) {
  switch (code) {
    case 'o': line.output = value; return absl::OkStatus();
    case 'v': line.verbose = true; return absl::OkStatus();
    case 'q': line.quiet = true; return absl::OkStatus();
    case 'h': line.help = true; return absl::OkStatus();
    case kStats: return SetStats(value, line);
    case kExplain: line.explain = true; return absl::OkStatus();
    case kVersion: line.version = true; return absl::OkStatus();
    case kProgress: line.progress = true; return absl::OkStatus();
    case kNoProgress: line.progress = false; return absl::OkStatus();
    case kOffset: return SetSize("offset", value, line.range.offset);
    case kLength: return SetSize("length", value, line.range.length);
    default: return SetConnectionOption(code - kConnection, value, line);
  }
}

// getopt_long's complaint in our words: it has seen argv[optind - 1].
absl::Status Complaint(int code, char** argv) {
  const absl::string_view typed = argv[optind - 1];
  if (code == ':') {
    return absl::InvalidArgumentError(absl::StrCat("option '", typed, "' needs a value"));
  }
  if (optopt != 0 && optopt < kOffset && typed.substr(0, 2) != "--") {
    const char letter = static_cast<char>(optopt);
    return absl::InvalidArgumentError(
        absl::StrCat("there is no option '-", std::string(1, letter), "'; --help lists them"));
  }
  if (optopt != 0) {
    return absl::InvalidArgumentError(absl::StrCat("option '", typed, "' takes no value"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no option '", typed, "', or it is short for several; --help lists them"));
}

std::string HelpLine(const char* name, const char* value, const char* help) {
  std::string option = value == nullptr ? name : absl::StrCat(name, "=", value);
  if (value != nullptr && value[0] == '[') option = absl::StrCat(name, "[=", value + 1);
  return absl::StrFormat("  --%-26s %s\n", option, help);
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv) {
  CommandLine line;
  const std::vector<option> long_options = LongOptions();
  opterr = 0;
  optind = 0;  // glibc: start over, also in a second call
  for (;;) {
    const int code = getopt_long(argc, argv, ":o:vqh", long_options.data(), nullptr);
    if (code == -1) break;
    if (code == ':' || code == '?') return Complaint(code, argv);
    const absl::Status status = Apply(code, optarg, line);
    if (!status.ok()) return status;
  }
  line.targets.assign(argv + optind, argv + argc);
  if (line.targets.empty() && !line.help && !line.version) {
    return absl::InvalidArgumentError("no target; give nfs://host/path or host:/path, or --help");
  }
  return line;
}

absl::StatusOr<Options> OptionsFor(const CommandLine& line, const Target& target,
                                   const Options& defaults) {
  Options options = defaults;
  absl::Status status = ApplyTarget(target, options);
  for (const auto& [name, value] : line.options) {
    if (status.ok()) status = SetOption(name, value, options);
  }
  if (!status.ok()) return status;
  return options;
}

std::string HelpText() {
  std::string text =
      "Usage: nfscat [OPTION]... TARGET...\n"
      "Write the bytes of each file on an NFSv3 server to standard output.\n"
      "\n"
      "TARGET is nfs://[user@]host[:port]/path[?key=value&...] or host:/path, where path is\n"
      "the whole path on the server. Sizes take K, M, G, T. Defaults are in parentheses.\n"
      "\n";
  for (const ToolOption& tool : kToolOptions) {
    text += HelpLine(tool.name, tool.value, tool.help);
  }
  text += "\nThese are also keys of a URL (the option wins):\n";
  for (const OptionDescription& description : DescribeOptions()) {
    text += HelpLine(description.name, description.value, description.help);
  }
  text +=
      "\n"
      "Exit status: 0 all bytes written, 1 local error, 2 usage, 3 no such host or service,\n"
      "4 mount refused, 5 NFS error, 6 timed out, 7 file changed, 8 protocol broken.\n";
  return text;
}

}  // namespace nfs
