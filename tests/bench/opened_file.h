// From a URL to what a program needs that speaks to the server by itself.
#ifndef TESTS_BENCH_OPENED_FILE_H_
#define TESTS_BENCH_OPENED_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "client/protocol/nfs3_types.h"
#include "io/unique_fd.h"

namespace bench {

struct OpenedFile {
  nfs3::FileHandle3 handle;
  uint64_t size = 0;   // bytes
  uint32_t rsize = 0;  // what the server takes, and `rsize` of the URL
  io::UniqueFd fd;     // a blocking connection of its own, to 127.0.0.1
};

// Walks there with this project's client, says goodbye, and connects anew. `url` is to name
// the port of NFS, on loopback.
absl::StatusOr<OpenedFile> OpenFile(const std::string& url, uint32_t rsize);

}  // namespace bench

#endif  // TESTS_BENCH_OPENED_FILE_H_
