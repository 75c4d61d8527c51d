// Who is compared, with which command line.
#ifndef TESTS_BENCH_CONTENDERS_H_
#define TESTS_BENCH_CONTENDERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/compare_flags.h"

namespace bench {

// What is to be read, and to where.
struct Job {
  std::string url;
  uint64_t size = 0;
  uint32_t rsize = 0;
  uint32_t window = 0;
  std::string path;     // of the file to write, with OutputKind::kFile
  uint64_t random = 0;  // so many READs at random offsets; 0: the file from front to back
};

struct Contender {
  std::string name;
  std::vector<std::string> argv;
  // Whether the file comes out of standard output; otherwise it is dropped, or written to
  // job.path.
  bool writes_output = true;
  // What to run to see that it reads the right bytes, and which says so by its exit status.
  // Empty: argv, whose output is then looked at.
  std::vector<std::string> check = {};
  // It is not known to read the right bytes from a server that answers out of order.
  bool needs_order = false;
};

// Those that can send a file where `flags` say, as far as they are installed; what is not is
// told on standard error.
std::vector<Contender> ContendersFor(const CompareFlags& flags, const Job& job);

// libnfs mounts nothing that has smaller READs, so those have to be asked for by the client.
inline constexpr uint32_t kSmallestServerRsize = 8192;

}  // namespace bench

#endif  // TESTS_BENCH_CONTENDERS_H_
