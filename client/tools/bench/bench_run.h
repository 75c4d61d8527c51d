// One run of `nfs3 bench`.
#ifndef CLIENT_TOOLS_BENCH_BENCH_RUN_H_
#define CLIENT_TOOLS_BENCH_BENCH_RUN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/options.h"
#include "client/stream/bottleneck.h"
#include "client/target.h"

namespace nfs {

// What to read, for how long at most, and what a line of progress begins with; none if empty.
struct RunWishes {
  Range range;
  absl::Duration seconds = absl::InfiniteDuration();
  std::string progress;
};

// Opens `target` with connections of its own, reads, drops what comes, and says how that went
// from the first READ on. Blocks.
absl::StatusOr<StreamFacts> ReadOnce(const Target& target, const Options& options,
                                     const RunWishes& wishes);

// How many bytes the file has.
absl::StatusOr<uint64_t> SizeOf(const Target& target, const Options& options);

}  // namespace nfs

#endif  // CLIENT_TOOLS_BENCH_BENCH_RUN_H_
