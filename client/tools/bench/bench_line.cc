// Tested by tests/client/bench_line_test.cc.
#include "client/tools/bench/bench_line.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace nfs {

namespace {

// What has no letter.
enum LongOption : int {
  kSweep = ToolOption::kFirstCode,
  kValues,
  kRuns,
  kBytes,
  kSeconds,
  kJson,
  kCsv,
  kChart,
  kProgress,
  kNoProgress,
};

constexpr ToolOption kToolOptions[] = {
    {"sweep", "OPTION", kSweep, "what to try: readahead, rsize, slots or nconnect (readahead)"},
    {"values", "LIST", kValues, "with which values, such as 64K,1M,auto"},
    {"runs", "N", kRuns, "how often each; they take turns, and medians are shown (3)"},
    {"bytes", "BYTES", kBytes, "so many in each run at most (no limit)"},
    {"seconds", "SECONDS", kSeconds, "... and so long at most (10)"},
    {"json", nullptr, kJson, "an object on a line for each run, and for each value at the end"},
    {"csv", nullptr, kCsv, "a line for each value, commas between"},
    {"chart", "FILE", kChart, "draw the medians to FILE, an SVG"},
    {"progress", nullptr, kProgress, "show progress (when standard error is a terminal)"},
    {"no-progress", nullptr, kNoProgress, "show no progress"},
    {"verbose", nullptr, 'v', "say what is done and chosen, in each run (-v)"},
    {"quiet", nullptr, 'q', "no warnings (-q)"},
    {"help", nullptr, 'h', "show this (-h)"},
};

struct Sweep {
  const char* option;
  const char* values;  // if nobody says others
};
constexpr Sweep kSweeps[] = {
    {"readahead", "16K,32K,64K,128K,256K,512K,1M,2M,4M,8M,16M,auto"},
    {"rsize", "4K,8K,16K,32K,64K,128K,256K,512K,1M"},
    {"slots", "1,2,4,8,16,32,64,128"},
    {"nconnect", "1,2,4,8,16,auto"},
};

template <typename Number>
absl::Status SetNumber(const char* name, const char* text, Number& number) {
  if (absl::SimpleAtoi(text, &number) && number > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": '", text, "' is not a number from 1 on"));
}

absl::Status SetSeconds(const char* text, absl::Duration& seconds) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !(number > 0 && number <= 86400)) {
    return absl::InvalidArgumentError(
        absl::StrCat("seconds: '", text, "' is not a number up to 86400"));
  }
  seconds = absl::Seconds(number);
  return absl::OkStatus();
}

absl::Status Apply(int code, const char* value, BenchLine& line) {
  switch (code) {
    case kSweep: line.sweep = value; break;
    case kValues: line.values = absl::StrSplit(value, ','); break;
    case kRuns: return SetNumber("runs", value, line.runs);
    case kBytes: return SetSize("bytes", value, line.bytes);
    case kSeconds: return SetSeconds(value, line.seconds);
    case kJson: line.format = BenchLine::Format::kJson; break;
    case kCsv: line.format = BenchLine::Format::kCsv; break;
    case kChart: line.chart = value; break;
    case kProgress: line.progress = true; break;
    case kNoProgress: line.progress = false; break;
    case 'v': line.verbose = true; break;
    case 'q': line.quiet = true; break;
    case 'h': line.help = true; break;
    default: break;
  }
  return absl::OkStatus();
}

// Every value is one that the option takes.
absl::Status CheckSweep(BenchLine& line) {
  const auto* const sweep =
      std::ranges::find_if(kSweeps, [&](const Sweep& one) { return line.sweep == one.option; });
  if (sweep == std::end(kSweeps)) {
    return absl::InvalidArgumentError(
        absl::StrCat("sweep: '", line.sweep, "' is none of: readahead, rsize, slots, nconnect"));
  }
  if (line.values.empty()) line.values = absl::StrSplit(sweep->values, ',');
  for (const std::string& value : line.values) {
    Options tried;
    const absl::Status status = SetOption(line.sweep, value, tried);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("values: ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BenchLine> ParseBenchLine(int argc, char** argv) {
  absl::StatusOr<Arguments> arguments = ParseArguments(kToolOptions, argc, argv);
  if (!arguments.ok()) return arguments.status();
  BenchLine line;
  absl::Status status;
  for (const auto& [code, value] : arguments->given) {
    if (status.ok()) status = Apply(code, value, line);
  }
  if (status.ok()) status = CheckSweep(line);
  if (!status.ok()) return status;
  if (line.bytes == 0) return absl::InvalidArgumentError("bytes: 0 is not enough to measure");
  if (arguments->operands.empty() && !line.help) {
    return absl::InvalidArgumentError("no target; give nfs://host/path or host:/path, or --help");
  }
  line.arguments = *std::move(arguments);
  return line;
}

std::string BenchHelp() {
  return absl::StrCat(
      "Usage: nfs3 bench [OPTION]... TARGET...\n"
      "Read files on an NFSv3 server with one option at many values, and say how fast each is.\n"
      "\n"
      "Each run is a stream of its own that goes on in the files where the one before ended, so\n"
      "that the server's cache does not help; when they have been read to the end it begins\n"
      "again, and says so. What is read is dropped. Nothing is written, and nobody needs root.\n"
      "TARGET as for nfscat. Sizes take K, M, G, T. Defaults are in parentheses.\n"
      "\n",
      ToolHelp(kToolOptions), ConnectionHelp());
}

}  // namespace nfs
