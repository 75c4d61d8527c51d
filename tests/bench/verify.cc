// Reads standard input to its end and says whether it was a file of the pattern (pattern.h).
//
//   verify SIZE      exit status 1, and the first offset that is wrong, if not
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/bench/pattern.h"

namespace bench {
namespace {

absl::Status VerifyInput(uint64_t size) {
  const Pattern pattern;
  PatternCheck check(pattern);
  std::vector<std::byte> memory(1 << 20);
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, memory.data(), memory.size());
    if (got < 0) return absl::InternalError("cannot read standard input");
    if (got == 0) return check.Finish(size);
    const absl::Status status = check.Take(std::span(memory).first(static_cast<size_t>(got)));
    if (!status.ok()) return status;
  }
}

int Main(uint64_t size) {
  const absl::Status status = VerifyInput(size);
  if (!status.ok()) std::fprintf(stderr, "verify: %s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return bench::Main(std::strtoull(argv[1], nullptr, 10));
}
