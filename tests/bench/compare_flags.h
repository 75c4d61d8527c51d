// What `compare` is asked to compare.
#ifndef TESTS_BENCH_COMPARE_FLAGS_H_
#define TESTS_BENCH_COMPARE_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace bench {

enum class ServerKind : uint8_t { kLoad, kGanesha };
// Where the bytes go: /dev/null, `| cat > /dev/null`, a file on tmpfs made anew.
enum class OutputKind : uint8_t { kNull, kPipe, kFile };

struct CompareFlags {
  std::vector<uint32_t> rsizes;  // bytes of a READ: 1 MiB, or 4 KiB at random
  ServerKind server = ServerKind::kLoad;
  OutputKind output = OutputKind::kNull;
  int runs = 5;
  uint64_t mib = 0;               // of the file; 0: less for smaller READs, see FileSize()
  uint32_t window = 0;            // READs in flight; 0: 4 MiB of them, from 4 to 64
  std::string readahead;          // for this project's clients; empty: their own choice
  std::string nconnect;           // for nfscat, the same
  std::vector<std::string> only;  // contenders by name; empty: all
  bool latency = false;           // one READ at a time instead
  uint64_t random = 0;            // so many READs at random offsets instead; 0: none
  bool json = false;
  std::string plot;  // the SVG to write
  bool help = false;
};

// InvalidArgument says what is wrong.
absl::StatusOr<CompareFlags> ParseCompareFlags(int argc, char** argv);

extern const char kCompareHelp[];

// Bytes to read with READs of `rsize`, and how many READs to keep in flight.
uint64_t FileSize(const CompareFlags& flags, uint32_t rsize);
uint32_t WindowFor(const CompareFlags& flags, uint32_t rsize);

}  // namespace bench

#endif  // TESTS_BENCH_COMPARE_FLAGS_H_
