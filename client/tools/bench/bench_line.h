// The command line of `nfs3 bench`.
#ifndef CLIENT_TOOLS_BENCH_BENCH_LINE_H_
#define CLIENT_TOOLS_BENCH_BENCH_LINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/tools/arguments.h"

namespace nfs {

struct BenchLine {
  Arguments arguments;  // the targets are its operands

  // The option that is tried with each of these values.
  std::string sweep = "readahead";
  std::vector<std::string> values;
  // How often, and how much of a file at a time.
  int runs = 3;
  uint64_t bytes = UINT64_MAX;
  absl::Duration seconds = absl::Seconds(10);

  enum class Format : uint8_t { kTable, kJson, kCsv };
  Format format = Format::kTable;
  std::optional<std::string> chart;  // a file
  std::optional<bool> progress;      // not set: when standard error is a terminal
  bool verbose = false;
  bool quiet = false;
  bool help = false;
};

// Reads the arguments behind the verb; argv[0] is the program. InvalidArgument says in one line
// what is wrong and what is right.
absl::StatusOr<BenchLine> ParseBenchLine(int argc, char** argv);

// What --help prints.
std::string BenchHelp();

}  // namespace nfs

#endif  // CLIENT_TOOLS_BENCH_BENCH_LINE_H_
