// MOUNT version 3: from a path on the server to the handle of its export.
#ifndef CLIENT_SESSION_MOUNT_CLIENT_H_
#define CLIENT_SESSION_MOUNT_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"
#include "client/options.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "client/session/dialer.h"
#include "rpc/message.h"

namespace nfs {

struct MountedExport {
  std::string directory;  // in the server's own spelling
  nfs3::FileHandle3 root;
};

// Thread-compatible, with the dialer's pump. Only the top level may call it.
class MountClient {
 public:
  // REQUIRES: `dialer` and `options` outlive the client.
  MountClient(Dialer& dialer, const Options& options, const rpc::OpaqueAuth& credentials,
              uint16_t port);

  // Mounts the export that `path` is in: the longest one that the server lists; if it
  // lists none of them, or nothing, the longest part of the path that MNT accepts.
  // When it accepts none, the server's most telling refusal, with the exports that it
  // offers if it tells.
  absl::StatusOr<MountedExport> MountExportOf(absl::string_view path);

  // Tells the server, which keeps a list for administrators, that the export is not
  // used any more. Best effort: waits a second at most, and not for more.
  void Unmount(const std::string& directory);

  uint16_t port() const { return port_; }
  // The port that it asks from; 0 when it is not connected.
  uint16_t source_port() const;

 private:
  absl::Status Connect(absl::Duration timeout);
  // What the server exports; empty when it does not tell in time.
  std::vector<std::string> ListExports();
  absl::StatusOr<mount3::Mountres3> Mnt(const std::string& directory);
  absl::StatusOr<MountedExport> MountFirst(const std::vector<std::string>& directories);
  absl::Status CheckFlavor(const mount3::Mountres3& result) const;

  Dialer& dialer_;
  const Options& options_;
  const rpc::OpaqueAuth credentials_;
  const uint16_t port_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_MOUNT_CLIENT_H_
