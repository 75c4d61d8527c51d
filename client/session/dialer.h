// Making connections to one server, which may have several addresses.
#ifndef CLIENT_SESSION_DIALER_H_
#define CLIENT_SESSION_DIALER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/options.h"
#include "client/session/connection.h"
#include "client/session/pump.h"
#include "io/address.h"
#include "rpc/channel.h"

namespace nfs {

// Thread-compatible, with its pump.
class Dialer {
 public:
  // `addresses` are those of the server, in the order to try them; their ports do not
  // matter. REQUIRES: at least one; `pump` outlives the dialer.
  Dialer(Pump& pump, std::vector<io::Address> addresses, const Options& options);

  // A connection to `port`, at the first address that takes it; later calls begin with
  // that one. Waits at most `timeout` per address. Unavailable or DeadlineExceeded with
  // the last address's reason when none does. Only the top level may call this.
  absl::StatusOr<std::unique_ptr<Connection>> Dial(uint16_t port, absl::Duration timeout,
                                                   const rpc::Channel::Options& channel);

  Pump& pump() { return pump_; }
  // The address that connections are made to at present.
  const io::Address& address() const { return addresses_.front(); }

 private:
  absl::StatusOr<std::unique_ptr<Connection>> DialOne(const io::Address& address,
                                                      absl::Duration timeout,
                                                      const rpc::Channel::Options& channel);

  Pump& pump_;
  std::vector<io::Address> addresses_;
  io::ConnectOptions connect_options_;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_DIALER_H_
