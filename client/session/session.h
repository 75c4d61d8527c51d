// The opening story: from a target to a file handle and a connection to read it by.
//
//   resolve the host -> ask rpcbind for the ports -> EXPORT, MNT -> connect to NFS
//   -> walk the path -> FSINFO
//
// and the same again, from MNT or from the path on, when the handles have become stale.
#ifndef CLIENT_SESSION_SESSION_H_
#define CLIENT_SESSION_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/connection/connection.h"
#include "client/connection/pump.h"
#include "client/connection/server_addresses.h"
#include "client/connection/trunk.h"
#include "client/options.h"
#include "client/protocol/nfs3.h"
#include "client/session/dialer.h"
#include "client/session/mount_client.h"
#include "client/session/path_walk.h"
#include "client/session/port_finder.h"
#include "client/target.h"
#include "io/resolver.h"
#include "io/transport.h"

namespace nfs {

// An export that is mounted and a file in it that may be read. Thread-compatible.
class Session {
 public:
  // What a session needs of the world around it.
  struct Environment {
    std::unique_ptr<io::Transport> transport;
    io::Addresses addresses;  // of the target's host
    // Asked when the addresses do not work any more; may be null.
    std::unique_ptr<io::Resolver> resolver;
    uint32_t seed = 0;  // any random number
  };

  // Opens `target` with the system's transport and resolver. `options` are final: those
  // of the target have been applied. Blocks; every wait in it has a bound, unless the
  // options are hard.
  static absl::StatusOr<std::unique_ptr<Session>> Open(const Target& target,
                                                       const Options& options);
  // The same in an environment of the caller's choice.
  static absl::StatusOr<std::unique_ptr<Session>> Open(Environment environment,
                                                       const Target& target,
                                                       const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Says goodbye to the server (UMNT) and closes. At most a second; later calls do
  // nothing.
  void Close();

  // Walks the target's path again, for a file whose handle has become stale; after another
  // MNT, if that of the export has too. Changes nothing of file(). REQUIRES: no call is in
  // flight; only the top level may call it.
  absl::StatusOr<RemoteFile> FindFile();
  // The file has this handle and these attributes by now.
  void set_file(RemoteFile file) { file_ = std::move(file); }

  // `status`, and what may help if it is a refusal (client/session/hints.h).
  absl::Status WithHint(const absl::Status& status) const;

  Pump& pump() { return pump_; }
  // What READs travel on, as many at a time as there is room for.
  Trunk& trunk() { return *trunk_; }
  // One connection of it, for one call at a time. Valid until the next turn of the trunk.
  Connection& connection() { return trunk_->lead(); }
  const Options& options() const { return options_; }
  // A regular file.
  const RemoteFile& file() const { return file_; }
  // Bytes to ask for in one READ: what options and server agree on.
  uint32_t rsize() const { return rsize_; }

 private:
  Session(Environment environment, const Target& target, const Options& options);

  absl::Status OpenFile();
  absl::Status Mount();
  absl::Status MountAt(uint16_t port);
  absl::Status ConnectToNfs();
  absl::Status ConnectToNfsAt(uint16_t port);
  absl::Status FindAndAsk();
  absl::StatusOr<RemoteFile> Walk();
  absl::Status MountAgain();
  absl::Status CheckType(const RemoteFile& file) const;

  const Options options_;
  const std::string path_;
  std::unique_ptr<io::Transport> transport_;
  ServerAddresses addresses_;
  Pump pump_;
  Dialer dialer_;
  PortFinder ports_;
  const rpc::OpaqueAuth credentials_;
  std::unique_ptr<MountClient> mount_;
  std::optional<MountedExport> mounted_;
  std::unique_ptr<Trunk> trunk_;
  RemoteFile file_;
  uint32_t rsize_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_SESSION_H_
