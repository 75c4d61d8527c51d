// Where a program of the server listens.
#ifndef CLIENT_SESSION_PORT_FINDER_H_
#define CLIENT_SESSION_PORT_FINDER_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/connection/connection.h"
#include "client/options.h"
#include "client/session/dialer.h"

namespace nfs {

// Asks rpcbind (rpc/rpcbind.h says in what order), over one connection for all its
// questions. Once rpcbind could not be reached, or has not answered for ten seconds, it
// is not tried again.
class PortFinder {
 public:
  // REQUIRES: both outlive the finder.
  PortFinder(Dialer& dialer, const Options& options);

  // The TCP port of `program`. Unavailable, with what would help, when rpcbind cannot
  // be reached or does not know the program; DeadlineExceeded when it does not answer.
  absl::StatusOr<uint16_t> Find(uint32_t program, uint32_t version);

  // Ends the connection; a later question makes a new one, also when none could be made
  // before.
  void Close();

 private:
  absl::Status Connect();
  absl::Status Failed(const absl::Status& status);
  absl::StatusOr<uint16_t> Getport(uint32_t program, uint32_t version);
  absl::StatusOr<uint16_t> Getaddr(uint32_t program, uint32_t version);

  Dialer& dialer_;
  const Options& options_;
  std::unique_ptr<Connection> connection_;
  absl::Status connect_status_;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_PORT_FINDER_H_
