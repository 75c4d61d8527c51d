// nfs3: all that one asks an NFSv3 server beside the bytes of a file, a verb for each.
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "client/tools/bench/bench.h"
#include "client/tools/complaints.h"

namespace nfs {
namespace {

struct Verb {
  const char* name;
  const char* help;
  int (*run)(int argc, char** argv);  // argv[0] is the verb; returns the exit status
};

constexpr Verb kVerbs[] = {
    {"bench", "which readahead, rsize, slots or nconnect is right for a server", Bench},
};

std::string Help() {
  std::string text =
      "Usage: nfs3 VERB [OPTION]... TARGET...\n"
      "Ask an NFSv3 server, without a mount and without root. nfscat reads its files.\n"
      "\n";
  for (const Verb& verb : kVerbs)
    absl::StrAppendFormat(&text, "  %-10s %s\n", verb.name, verb.help);
  return text + "\nnfs3 VERB --help says more.\n";
}

int Main(int argc, char** argv) {
  NameProgram("nfs3");
  const absl::string_view word = argc > 1 ? argv[1] : "";
  for (const Verb& verb : kVerbs) {
    if (word == verb.name) return verb.run(argc - 1, argv + 1);
  }
  if (word == "--help" || word == "-h") return std::fputs(Help().c_str(), stdout) < 0 ? 1 : 0;
  if (word == "--version") return std::puts("nfs3 0.1") < 0 ? 1 : 0;
  return Fail(absl::InvalidArgumentError(
      word.empty() ? "no verb; --help lists them"
                   : absl::StrCat("there is no verb '", word, "'; --help lists them")));
}

}  // namespace
}  // namespace nfs

int main(int argc, char** argv) { return nfs::Main(argc, argv); }
