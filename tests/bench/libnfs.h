// libnfs 4.0.0, Debian's, as far as a benchmark needs it: loaded when the program runs, so
// that the build needs nothing of it. It comes with libnfs-utils.
#ifndef TESTS_BENCH_LIBNFS_H_
#define TESTS_BENCH_LIBNFS_H_

#include <sys/types.h>

#include <cstdint>

#include "absl/status/statusor.h"

namespace bench {

// The names are libnfs's own. What they mean: its <nfsc/libnfs.h>.
struct Libnfs {
  struct Context;
  struct File;
  struct Url {
    char* server;
    char* path;
    char* file;
  };
  using Callback = void (*)(int result, Context* context, void* data, void* private_data);

  Context* (*nfs_init_context)();
  void (*nfs_destroy_context)(Context*);
  Url* (*nfs_parse_url_full)(Context*, const char*);
  void (*nfs_destroy_url)(Url*);
  int (*nfs_mount)(Context*, const char* server, const char* path);
  int (*nfs_open)(Context*, const char* file, int flags, File**);
  int (*nfs_close)(Context*, File*);
  int (*nfs_pread_async)(Context*, File*, uint64_t offset, uint64_t count, Callback, void*);
  int (*nfs_get_fd)(Context*);
  int (*nfs_which_events)(Context*);
  int (*nfs_service)(Context*, int revents);
  char* (*nfs_get_error)(Context*);
};

// NotFound: this machine does not have it, or another version.
absl::StatusOr<Libnfs> LoadLibnfs();

}  // namespace bench

#endif  // TESTS_BENCH_LIBNFS_H_
