// nfscat's command line.
#ifndef CLIENT_TOOLS_COMMAND_LINE_H_
#define CLIENT_TOOLS_COMMAND_LINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/options.h"
#include "client/target.h"

namespace nfs {

struct CommandLine {
  std::vector<std::string> targets;
  std::optional<std::string> output;  // -o; standard output if not set
  Range range;
  // Connection options as typed, each seen to be valid. They are applied after the
  // target's own keys, so that the option wins.
  std::vector<std::pair<std::string, std::string>> options;
  enum class Stats : uint8_t { kNone, kText, kJson };
  Stats stats = Stats::kNone;
  bool explain = false;
  std::optional<bool> progress;  // not set: when standard error is a terminal
  bool verbose = false;
  bool quiet = false;
  bool help = false;
  bool version = false;
};

// Reads main()'s arguments; InvalidArgument says in one line what is wrong and what is
// right. getopt_long and not absl's flags: those have no short options, exit with 1 and
// say it in lines of their own.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv);

// `defaults` with the target's own options set, and then the command line's.
absl::StatusOr<Options> OptionsFor(const CommandLine& line, const Target& target,
                                   const Options& defaults);

// What --help prints.
std::string HelpText();

}  // namespace nfs

#endif  // CLIENT_TOOLS_COMMAND_LINE_H_
