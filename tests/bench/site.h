// The server that clients are compared on, and its files.
#ifndef TESTS_BENCH_SITE_H_
#define TESTS_BENCH_SITE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/compare_flags.h"

namespace bench {

struct SiteFile {
  std::string name;
  uint64_t size = 0;
};

// The destructor stops the server.
class Site {
 public:
  virtual ~Site() = default;
  // Of the file `name`, in words that nfscat and libnfs both know.
  virtual std::string Url(const std::string& name) const = 0;
};

// Starts a server with these files, all of the pattern (pattern.h), on processor `cpu` (-1:
// any). Its READs have `rsize` bytes at most. An error says why it cannot run here.
absl::StatusOr<std::unique_ptr<Site>> StartSite(ServerKind kind, uint32_t rsize, int cpu,
                                                const std::vector<SiteFile>& files);

}  // namespace bench

#endif  // TESTS_BENCH_SITE_H_
