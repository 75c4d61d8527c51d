// Making connections to one server, each by the user's options.
#ifndef CLIENT_SESSION_DIALER_H_
#define CLIENT_SESSION_DIALER_H_

#include <cstdint>
#include <memory>
#include <random>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"
#include "client/connection/pump.h"
#include "client/connection/server_addresses.h"
#include "client/connection/server_notice.h"
#include "client/options.h"
#include "io/transport.h"
#include "rpc/channel.h"

namespace nfs {

// Thread-compatible, with its pump.
class Dialer {
 public:
  // `seed`: any random number. REQUIRES: all outlive the dialer and its connections.
  Dialer(Pump& pump, ServerAddresses& addresses, const Options& options, uint32_t seed);

  struct Call {
    uint16_t port = 0;
    absl::Duration timeout;  // for each address to take the connection
    io::SourcePort source_port = io::SourcePort::kAny;
    // Its timeout and retransmissions come from the user's options, its xid_seed from
    // the dialer: servers remember xids by the client's address, over its connections
    // and over the runs of its programs.
    rpc::Channel::Options channel;
  };
  // A connection that is connected, to the address that was first to take it; later
  // ones begin with that. Unavailable, PermissionDenied or ResourceExhausted with the
  // last address's reason when none does. Only the top level may call this.
  absl::StatusOr<std::unique_ptr<Connection>> Dial(const Call& call);
  // The same, not waited for: it begins to connect at the next turn.
  std::unique_ptr<Connection> BeginToDial(const Call& call);

  // From which port the options want NFS and MOUNT to be called.
  io::SourcePort source_port() const;

  Pump& pump() { return pump_; }
  // A random number, another one each time.
  uint32_t NextSeed() { return static_cast<uint32_t>(random_()); }

 private:
  Pump& pump_;
  ServerAddresses& addresses_;
  const Options& options_;
  ServerNotice notice_;
  std::mt19937 random_;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_DIALER_H_
