// Which part of which file a run reads, so that none reads what the server has in its cache from
// a run before, as long as the files have enough.
#ifndef CLIENT_TOOLS_BENCH_RANGES_H_
#define CLIENT_TOOLS_BENCH_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "client/options.h"

namespace nfs {

// Thread-compatible.
class Ranges {
 public:
  struct Place {
    size_t file = 0;  // index
    Range range;
    bool is_warm = false;  // the files have been read to their end before
  };

  // Of files of so many bytes, `most` of each at a time. REQUIRES: one of them is not empty, and
  // `most` is not 0.
  Ranges(std::vector<uint64_t> sizes, uint64_t most);

  // Where to read next: never nothing, and less than the run before had only if a file is shorter
  // than that.
  Place Next();
  // So much has been read there.
  void OnRead(uint64_t bytes);

 private:
  void NextFile();

  const std::vector<uint64_t> sizes_;
  const uint64_t most_;
  Place place_;
  uint64_t last_ = 1;  // what a run has read at a time
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_BENCH_RANGES_H_
