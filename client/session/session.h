// The opening story: from a target to a file handle and a connection to read it by.
//
//   resolve the host -> ask rpcbind for the ports -> EXPORT, MNT -> connect to NFS
//   -> walk the path -> FSINFO and ACCESS, in one round trip
#ifndef CLIENT_SESSION_SESSION_H_
#define CLIENT_SESSION_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/options.h"
#include "client/protocol/nfs3.h"
#include "client/session/connection.h"
#include "client/session/dialer.h"
#include "client/session/mount_client.h"
#include "client/session/path_walk.h"
#include "client/session/port_finder.h"
#include "client/session/pump.h"
#include "client/target.h"
#include "io/address.h"
#include "io/transport.h"

namespace nfs {

// An export that is mounted and a file in it that may be read. Thread-compatible.
class Session {
 public:
  // Opens `target` with the system's transport and resolver. `options` are final: those
  // of the target have been applied. Blocks; every wait in it has a bound.
  static absl::StatusOr<std::unique_ptr<Session>> Open(const Target& target,
                                                       const Options& options);
  // The same over a transport and addresses of the caller's choice.
  static absl::StatusOr<std::unique_ptr<Session>> Open(std::unique_ptr<io::Transport> transport,
                                                       std::vector<io::Address> addresses,
                                                       const Target& target,
                                                       const Options& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Says goodbye to the server (UMNT) and closes. At most a second; later calls do
  // nothing.
  void Close();

  // Breaks the NFS connection off: no memory given to its calls is touched any more.
  void CloseConnection();

  Pump& pump() { return pump_; }
  Connection& connection() { return *connection_; }
  const Options& options() const { return options_; }
  // A regular file.
  const RemoteFile& file() const { return file_; }
  // Bytes to ask for in one READ: what options and server agree on.
  uint32_t rsize() const { return rsize_; }

 private:
  Session(std::unique_ptr<io::Transport> transport, std::vector<io::Address> addresses,
          const Options& options);

  absl::Status OpenFile(const Target& target);
  absl::Status Mount(absl::string_view path);
  absl::Status MountAt(uint16_t port, absl::string_view path);
  absl::Status ConnectToNfs();
  absl::StatusOr<uint16_t> NfsPort();
  absl::Status CheckType() const;
  // FSINFO and ACCESS, both in flight at once.
  absl::Status AskLimitsAndAccess();
  absl::Status OnFsinfo(const rpc::Reply& reply);
  absl::Status OnAccess(const rpc::Reply& reply);

  const Options options_;
  std::unique_ptr<io::Transport> transport_;
  Pump pump_;
  Dialer dialer_;
  PortFinder ports_;
  const rpc::OpaqueAuth credentials_;
  std::unique_ptr<MountClient> mount_;
  std::optional<MountedExport> mounted_;
  std::unique_ptr<Connection> connection_;
  RemoteFile file_;
  uint32_t rsize_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_SESSION_H_
