// Whether the file that is being read is still the same, by its attributes. Pure.
#ifndef CLIENT_STREAM_FILE_VERSION_H_
#define CLIENT_STREAM_FILE_VERSION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "client/protocol/nfs3.h"

namespace nfs {

// NFS has no OPEN and no lock: the only sign of a change is in the attributes that come
// with the answers. Taken in the order in which the server made them (ctime), they may
// show
//
//   fileid differs             another file has this handle or path
//   size is smaller            truncated
//   mtime differs, same size   written to
//   size is larger             appended to: the one change that a reader goes along with
//
// A change of the rest (mode, links, atime) is nobody's concern. Two writes within one
// tick of the server's clock, and a write that also makes the file longer, cannot be
// told from less.
class FileVersion {
 public:
  explicit FileVersion(const nfs3::Fattr3& opened) : newest_(opened) {}

  // FileChanged, saying how, unless these attributes may be those of the same file with
  // the same bytes. Older ones than others that were seen before say nothing.
  absl::Status Observe(const nfs3::Fattr3& attributes);
  // FileChanged unless the file with these attributes provably is the same.
  absl::Status CheckSame(const nfs3::Fattr3& attributes) const;

  // Whether attributes tell anything about changes of the file. Those of files that are
  // made up as they are read (/proc and the like) have a size of nothing, or one that no
  // disk could hold, and a new mtime every time.
  bool IsMeaningful() const { return newest_.size != 0 && !HasAbsurdSize(); }
  bool HasAbsurdSize() const { return newest_.size >= kAbsurdSize; }
  // As far as is known.
  uint64_t size() const { return newest_.size; }

 private:
  static constexpr uint64_t kAbsurdSize = uint64_t{1} << 62;

  nfs3::Fattr3 newest_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_FILE_VERSION_H_
