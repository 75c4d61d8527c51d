// Tested by tests/client/command_line_test.cc.
#include "client/tools/arguments.h"

#include <getopt.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace nfs {

namespace {

// Connection options are this and their index in DescribeOptions().
constexpr int kConnection = 2 * ToolOption::kFirstCode;

int ArgumentOf(const ToolOption& tool) {
  if (tool.value == nullptr) return no_argument;
  return tool.value[0] == '[' ? optional_argument : required_argument;
}

std::vector<option> LongOptions(std::span<const ToolOption> tool) {
  std::vector<option> all;
  for (const ToolOption& own : tool) {
    all.push_back({own.name, ArgumentOf(own), nullptr, own.code});
  }
  int code = kConnection;
  for (const OptionDescription& description : DescribeOptions()) {
    const int argument = description.value ? required_argument : no_argument;
    all.push_back({description.name, argument, nullptr, code++});
  }
  all.push_back({});
  return all;
}

// As getopt has them: ":o:vqh".
std::string ShortOptions(std::span<const ToolOption> tool) {
  std::string all = ":";
  for (const ToolOption& own : tool) {
    if (own.code >= ToolOption::kFirstCode) continue;
    all += static_cast<char>(own.code);
    if (own.value != nullptr) all += ':';
  }
  return all;
}

absl::Status AddConnectionOption(int index, const char* value, Arguments& arguments) {
  const char* name = DescribeOptions()[static_cast<size_t>(index)].name;
  arguments.connection.emplace_back(name, value == nullptr ? "" : value);
  Options tried;
  return SetOption(name, arguments.connection.back().second, tried);
}

// getopt_long's complaint in our words: it has seen argv[optind - 1].
absl::Status Complaint(int code, char** argv) {
  const absl::string_view typed = argv[optind - 1];
  if (code == ':') {
    return absl::InvalidArgumentError(absl::StrCat("option '", typed, "' needs a value"));
  }
  if (optopt != 0 && optopt < ToolOption::kFirstCode && typed.substr(0, 2) != "--") {
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

absl::StatusOr<Arguments> ParseArguments(std::span<const ToolOption> tool, int argc, char** argv) {
  Arguments arguments;
  const std::vector<option> long_options = LongOptions(tool);
  const std::string short_options = ShortOptions(tool);
  opterr = 0;
  optind = 0;  // glibc: start over, also in a second call
  for (;;) {
    const int code = getopt_long(argc, argv, short_options.c_str(), long_options.data(), nullptr);
    if (code == -1) break;
    if (code == ':' || code == '?') return Complaint(code, argv);
    if (code < kConnection) {
      arguments.given.push_back({code, optarg});
      continue;
    }
    const absl::Status status = AddConnectionOption(code - kConnection, optarg, arguments);
    if (!status.ok()) return status;
  }
  arguments.operands.assign(argv + optind, argv + argc);
  return arguments;
}

absl::Status SetSize(const char* name, absl::string_view value, uint64_t& size) {
  const absl::Status status = ParseSize(value, size);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
}

absl::StatusOr<Options> OptionsFor(
    const std::vector<std::pair<std::string, std::string>>& connection, const Target& target,
    const Options& defaults) {
  Options options = defaults;
  absl::Status status = ApplyTarget(target, options);
  for (const auto& [name, value] : connection) {
    if (status.ok()) status = SetOption(name, value, options);
  }
  if (!status.ok()) return status;
  return options;
}

std::string ToolHelp(std::span<const ToolOption> tool) {
  std::string text;
  for (const ToolOption& own : tool) text += HelpLine(own.name, own.value, own.help);
  return text;
}

std::string ConnectionHelp() {
  std::string text = "\nThese are also keys of a URL (the option wins):\n";
  for (const OptionDescription& description : DescribeOptions()) {
    text += HelpLine(description.name, description.value, description.help);
  }
  text +=
      "\n"
      "Exit status: 0 all bytes read, 1 local error, 2 usage, 3 no such host or service,\n"
      "4 mount refused, 5 NFS error, 6 timed out, 7 file changed, 8 protocol broken.\n";
  return text;
}

}  // namespace nfs
