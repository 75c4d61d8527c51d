// Tested by tests/client/file_version_test.cc.
#include "client/stream/file_version.h"

#include <tuple>

#include "absl/strings/str_cat.h"
#include "client/errors.h"

namespace nfs {

namespace {

auto Order(const nfs3::NfsTime3& time) { return std::tuple(time.seconds, time.nseconds); }

bool IsSame(const nfs3::NfsTime3& one, const nfs3::NfsTime3& other) {
  return Order(one) == Order(other);
}

}  // namespace

absl::Status FileVersion::Observe(const nfs3::Fattr3& attributes) {
  if (!IsMeaningful()) {
    newest_ = attributes;
    return absl::OkStatus();
  }
  if (attributes.fileid != newest_.fileid) {
    return FileChangedError("the file was replaced by another while it was read");
  }
  if (Order(attributes.ctime) < Order(newest_.ctime)) return absl::OkStatus();
  if (attributes.size < newest_.size) {
    return FileChangedError(absl::StrCat("the file shrank while it was read, from ", newest_.size,
                                         " to ", attributes.size, " bytes"));
  }
  if (attributes.size == newest_.size && !IsSame(attributes.mtime, newest_.mtime)) {
    return FileChangedError("the file was written to while it was read");
  }
  newest_ = attributes;
  return absl::OkStatus();
}

absl::Status FileVersion::CheckSame(const nfs3::Fattr3& attributes) const {
  const bool is_same = attributes.fileid == newest_.fileid && attributes.size == newest_.size &&
                       IsSame(attributes.mtime, newest_.mtime);
  if (is_same) return absl::OkStatus();
  return FileChangedError("the file handle became stale, and its path leads to another file");
}

}  // namespace nfs
