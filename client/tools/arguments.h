// A program's arguments, taken apart: its own options, the connection's, and the rest.
#ifndef CLIENT_TOOLS_ARGUMENTS_H_
#define CLIENT_TOOLS_ARGUMENTS_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/options.h"
#include "client/target.h"

namespace nfs {

// An option of a program, beside those of the connection.
struct ToolOption {
  const char* name;
  const char* value;  // what to show for its value; null: it has none; in brackets: it may have one
  int code;           // its letter, or a number of the program's choice from kFirstCode on
  const char* help;

  static constexpr int kFirstCode = 1000;
};

struct Arguments {
  struct Given {
    int code;
    const char* value;  // null where there is none
  };
  std::vector<Given> given;  // as typed
  // Connection options, each seen to be valid. To be applied after the target's own keys, so
  // that the option wins: OptionsFor().
  std::vector<std::pair<std::string, std::string>> connection;
  std::vector<std::string> operands;
};

// Takes main()'s arguments apart. InvalidArgument says in one line what is wrong and what is
// right. getopt_long and not absl's flags: those have no short options, exit with 1 and say
// it in lines of their own.
absl::StatusOr<Arguments> ParseArguments(std::span<const ToolOption> tool, int argc, char** argv);

// A size (client/options.h) for the option `name`; the error says so.
absl::Status SetSize(const char* name, absl::string_view value, uint64_t& size);

// `defaults` with the target's own options set, and then those that were typed.
absl::StatusOr<Options> OptionsFor(
    const std::vector<std::pair<std::string, std::string>>& connection, const Target& target,
    const Options& defaults);

// For --help, a line each: the program's options; the connection's, and what the shell sees.
std::string ToolHelp(std::span<const ToolOption> tool);
std::string ConnectionHelp();

}  // namespace nfs

#endif  // CLIENT_TOOLS_ARGUMENTS_H_
