// Tested by tests/client/nfscat_test.cc and tests/client/nfs3_bench_test.cc.
#include "client/tools/complaints.h"

#include <unistd.h>

#include <cstdio>

#include "client/errors.h"

namespace nfs {

namespace {

const char* program = "nfs";

}  // namespace

void NameProgram(const char* name) { program = name; }

void Complain(absl::string_view text) {
  std::fprintf(stderr, "%s: %.*s\n", program, static_cast<int>(text.size()), text.data());
}

void Announce(absl::string_view text) {
  const char* const wipe = isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "";
  std::fprintf(stderr, "%s%.*s\n", wipe, static_cast<int>(text.size()), text.data());
}

int Fail(const absl::Status& status) {
  Complain(status.message());
  return static_cast<int>(KindOf(status));
}

}  // namespace nfs
