#include "tests/bench/libnfs.h"

#include <dlfcn.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace bench {

namespace {

// Its version 6 has the name libnfs.so.14 and another nfs_pread_async.
constexpr char kLibrary[] = "libnfs.so.13";

// Whether it was there.
template <typename Function>
bool Load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

absl::StatusOr<Libnfs> LoadLibnfs() {
  void* const library = dlopen(kLibrary, RTLD_NOW);
  if (library == nullptr) return absl::NotFoundError(absl::StrCat("no ", kLibrary, " here"));
  Libnfs all = {};
  const bool whole = Load(library, "nfs_init_context", all.nfs_init_context) &&
                     Load(library, "nfs_destroy_context", all.nfs_destroy_context) &&
                     Load(library, "nfs_parse_url_full", all.nfs_parse_url_full) &&
                     Load(library, "nfs_destroy_url", all.nfs_destroy_url) &&
                     Load(library, "nfs_mount", all.nfs_mount) &&
                     Load(library, "nfs_open", all.nfs_open) &&
                     Load(library, "nfs_close", all.nfs_close) &&
                     Load(library, "nfs_pread_async", all.nfs_pread_async) &&
                     Load(library, "nfs_get_fd", all.nfs_get_fd) &&
                     Load(library, "nfs_which_events", all.nfs_which_events) &&
                     Load(library, "nfs_service", all.nfs_service) &&
                     Load(library, "nfs_get_error", all.nfs_get_error);
  if (!whole) return absl::NotFoundError(absl::StrCat(kLibrary, " lacks a function"));
  return all;
}

}  // namespace bench
