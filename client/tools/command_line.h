// nfscat's command line.
#ifndef CLIENT_TOOLS_COMMAND_LINE_H_
#define CLIENT_TOOLS_COMMAND_LINE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/options.h"
#include "client/tools/arguments.h"

namespace nfs {

struct CommandLine {
  Arguments arguments;                // the targets are its operands
  std::optional<std::string> output;  // -o; standard output if not set
  Range range;
  enum class Stats : uint8_t { kNone, kText, kJson };
  Stats stats = Stats::kNone;
  bool explain = false;
  std::optional<bool> progress;  // not set: when standard error is a terminal
  bool verbose = false;
  bool quiet = false;
  bool help = false;
  bool version = false;

  bool wants_facts() const { return stats != Stats::kNone || explain; }
};

// Reads main()'s arguments; InvalidArgument says in one line what is wrong and what is
// right.
absl::StatusOr<CommandLine> ParseCommandLine(int argc, char** argv);

// What --help prints.
std::string HelpText();

}  // namespace nfs

#endif  // CLIENT_TOOLS_COMMAND_LINE_H_
