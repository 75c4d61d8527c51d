// Tested by tests/sim/worlds_options_test.cc.
#include "tests/sim/worlds_options.h"

#include <getopt.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace sim {

namespace {

struct OptionLine {
  const char* name;
  const char* value;  // null: it has none
  int code;
  const char* help;
};

constexpr OptionLine kOptions[] = {
    {"worlds", "N", 'w', "so many worlds (1000)"},
    {"seed", "S", 's', "of the first; the others follow (1)"},
    {"hours", "N", 'H', "instead of --worlds: for so long"},
    {"seconds", "N", 'S', "the same in seconds"},
    {"jobs", "N", 'j', "processes (as many as cores)"},
    {"only", "FAULT,...", 'o', "no faults but these"},
    {"without", "FAULT,...", 'x', "no faults of these kinds"},
    {"keep-going", nullptr, 'k', "go on after a violation, and count"},
    {"timeline", nullptr, 't', "print what happens in each world; one process"},
    {"help", nullptr, 'h', "show this (-h)"},
};

absl::Status Wrong(absl::string_view name, absl::string_view value, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value, ": ", what));
}

template <typename Number>
absl::Status ParseNumber(absl::string_view name, absl::string_view value, Number& number) {
  Number parsed = 0;
  const bool good = absl::SimpleAtoi(value, &parsed) && parsed >= Number{name != "seed"};
  if (!good) return Wrong(name, value, "is not a number from 1");
  number = parsed;
  return absl::OkStatus();
}

absl::Status ParseTime(absl::string_view name, absl::string_view value, WorldsOptions& options) {
  double number = 0;
  if (!absl::SimpleAtod(value, &number) || !(number > 0)) return Wrong(name, value, "is no time");
  options.time = name == "hours" ? absl::Hours(number) : absl::Seconds(number);
  return absl::OkStatus();
}

absl::Status ParseFaults(absl::string_view name, absl::string_view value, WorldsOptions& options) {
  FaultSet named;
  for (absl::string_view word : absl::StrSplit(value, ',', absl::SkipEmpty())) {
    const std::optional<FaultKind> kind = FindFault(word);
    if (!kind) return Wrong(name, word, "there is no such fault; --help has them");
    named.set(static_cast<size_t>(*kind));
  }
  options.allowed &= name == "only" ? named : ~named;
  absl::StrAppend(&options.fault_options, " --", name, "=", value);
  return absl::OkStatus();
}

absl::Status Apply(int code, absl::string_view value, WorldsOptions& options) {
  switch (code) {
    case 'w': return ParseNumber("worlds", value, options.worlds);
    case 's': return ParseNumber("seed", value, options.seed);
    case 'H': return ParseTime("hours", value, options);
    case 'S': return ParseTime("seconds", value, options);
    case 'j': return ParseNumber("jobs", value, options.jobs);
    case 'o': return ParseFaults("only", value, options);
    case 'x': return ParseFaults("without", value, options);
    case 'k': options.keep_going = true; return absl::OkStatus();
    case 't': options.timeline = true; return absl::OkStatus();
    default: options.help = true; return absl::OkStatus();
  }
}

std::vector<option> LongOptions() {
  std::vector<option> all;
  for (const OptionLine& line : kOptions) {
    all.push_back({line.name, line.value ? required_argument : no_argument, nullptr, line.code});
  }
  all.push_back({});
  return all;
}

}  // namespace

absl::StatusOr<WorldsOptions> ParseWorldsOptions(int argc, char** argv) {
  WorldsOptions options;
  const std::vector<option> long_options = LongOptions();
  opterr = 0;
  optind = 0;  // glibc: start over, also in a second call
  for (int code; (code = getopt_long(argc, argv, ":h", long_options.data(), nullptr)) != -1;) {
    if (code == ':' || code == '?') {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", argv[optind - 1], "\" is not right; --help has the options"));
    }
    const absl::Status status = Apply(code, optarg == nullptr ? "" : optarg, options);
    if (!status.ok()) return status;
  }
  if (optind == argc) return options;
  return absl::InvalidArgumentError(absl::StrCat("\"", argv[optind], "\" is no option"));
}

std::string WorldsHelp() {
  std::string text =
      "Usage: worlds [OPTION]...\n"
      "Run simulated worlds, each drawn from its seed, and judge how the client did.\n\n";
  for (const OptionLine& line : kOptions) {
    const std::string name = line.value ? absl::StrCat(line.name, "=", line.value) : line.name;
    absl::StrAppend(&text, absl::StrFormat("  --%-20s %s\n", name, line.help));
  }
  absl::StrAppend(&text, "\nFaults:");
  for (const FaultDescription& fault : DescribeFaults()) absl::StrAppend(&text, " ", fault.name);
  return absl::StrCat(text,
                      "\n\nExit status: 0 all was well, 1 a world violated something (or a fault "
                      "was\nnever injected), 2 usage.\n");
}

}  // namespace sim
