// From the root of an export down a path to a file.
#ifndef CLIENT_SESSION_PATH_WALK_H_
#define CLIENT_SESSION_PATH_WALK_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/connection/connection.h"
#include "client/connection/pump.h"
#include "client/protocol/nfs3.h"
#include "client/session/mount_client.h"

namespace nfs {

struct RemoteFile {
  nfs3::FileHandle3 handle;
  nfs3::Fattr3 attributes;  // as they were when the path was walked
};

// Walks one path, and is used up by it. Only the top level may call it.
class PathWalk {
 public:
  // Symbolic links on one path, as Linux bounds them (path_resolution(7)).
  static constexpr int kMaxLinks = 40;

  // REQUIRES: `connection` speaks NFS and has no call in flight; all outlive the walk.
  PathWalk(Pump& pump, Connection& connection, const MountedExport& mounted);

  // The file at `path`, a whole path on the server that is in the export. Symbolic
  // links are followed, the last one too, as long as they stay inside the export; an
  // absolute one counts from the server's root, as the server itself would take it.
  absl::StatusOr<RemoteFile> Follow(absl::string_view path);

 private:
  absl::Status Step(const std::string& name);
  absl::Status Enter(const std::string& name);
  absl::Status FollowLink(const nfs3::FileHandle3& link, const std::string& name);
  absl::Status Redirect(const std::string& destination);
  absl::Status Leave();
  absl::StatusOr<RemoteFile> Lookup(const std::string& name);
  absl::StatusOr<nfs3::Fattr3> Getattr(const nfs3::FileHandle3& handle);
  std::string Server() const;

  Pump& pump_;
  Connection& connection_;
  const MountedExport& mounted_;
  std::deque<std::string> ahead_;  // names still to be walked
  std::vector<RemoteFile> trail_;  // from the root to where we are; never empty
  int links_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_PATH_WALK_H_
