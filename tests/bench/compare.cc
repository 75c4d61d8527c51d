// Reads one file by turns with this project's clients, with the floor and with other clients,
// and prints what each took. --help says what can be compared.
//
//   bazel run -c opt //tests/bench:compare
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/bench/child.h"
#include "tests/bench/compare_flags.h"
#include "tests/bench/comparison.h"
#include "tests/bench/report.h"
#include "tests/support/private_machine.h"

namespace bench {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int Complain(const absl::Status& status, int exit_status) {
  std::fprintf(stderr, "compare: %s\n", std::string(status.message()).c_str());
  return exit_status;
}

int CompareAll(const CompareFlags& flags) {
  const Processors processors = ChooseProcessors();
  for (const uint32_t rsize : flags.rsizes) {
    const absl::StatusOr<Results> results = Compare(flags, rsize, processors);
    if (!results.ok()) return Complain(results.status(), kFailed);
    std::fputs((flags.json ? JsonText(*results) : TableText(*results)).c_str(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

int Main(int argc, char** argv) {
  const absl::StatusOr<CompareFlags> flags = ParseCompareFlags(argc, argv);
  if (!flags.ok()) return Complain(flags.status(), kUsage);
  if (flags->help) return std::fputs(kCompareHelp, stdout) < 0 ? kFailed : 0;
  if (geteuid() == 0) {
    const absl::Status status = support::EnterPrivateMachine();
    if (!status.ok()) return Complain(status, kFailed);
  }
  return CompareAll(*flags);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::Main(argc, argv); }
