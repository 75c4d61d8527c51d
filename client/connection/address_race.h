// Connecting to a server that may have several addresses, some of them dead, in the
// manner of RFC 8305: not one after the other, and not all at once.
//
//   addresses   0 ms    250 ms   500 ms
//      A        |----- nothing comes back ----- ... closed
//      B                |------- connected: wins
//      C                         (not needed)
//
// The next address gets its turn when 250 ms have brought nothing, or at once when the
// attempts before it have all failed. The first connection that is made wins.
//
// A race that goes on begins another round after all addresses have failed, after a
// delay that grows (retry_delay.h), and asks the resolver again. Addresses that do not
// answer at all do not hold up the next round: their attempts stay in the race, in case
// the way is only long, and it has new ones beside them. A first packet that was lost
// would be sent again by the kernel only after 1, 3, 7, 15... seconds, which is long
// after a server may be back.
#ifndef CLIENT_CONNECTION_ADDRESS_RACE_H_
#define CLIENT_CONNECTION_ADDRESS_RACE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/connection/retry_delay.h"
#include "client/connection/server_addresses.h"
#include "io/address.h"
#include "io/transport.h"

namespace nfs {

// Thread-compatible, with its transport.
class AddressRace {
 public:
  static constexpr absl::Duration kStagger = absl::Milliseconds(250);
  static constexpr size_t kMostAttempts = 8;  // at a time; then the oldest is given up

  struct Options {
    uint16_t port = 0;
    io::ConnectOptions connect;
    absl::Duration timeout;  // of one attempt
    bool goes_on = false;    // after all addresses have failed
  };

  struct Winner {
    io::ConnectionId id = 0;
    io::Address address;
  };

  // Begins at the first Turn(), after retry_delay.Next(). REQUIRES: all outlive the race.
  AddressRace(io::Transport& transport, ServerAddresses& addresses, RetryDelay& retry_delay,
              const Options& options, absl::Time now);
  // Closes every attempt that has not been taken.
  ~AddressRace();
  AddressRace(const AddressRace&) = delete;
  AddressRace& operator=(const AddressRace&) = delete;

  // Starts what is to be started, and ends what has had its time.
  void Turn(absl::Time now);
  // When it wants to be turned, at the latest.
  absl::Time NextTime() const;

  // REQUIRES: Owns(event.connection).
  void Apply(const io::Event& event);
  bool Owns(io::ConnectionId id) const;

  // The connection that was made, which is the caller's then.
  std::optional<Winner> TakeWinner();
  // Every address has failed and the race does not go on; the reason is failure().
  bool IsLost() const;
  // Why the last attempt failed that did.
  const absl::Status& failure() const { return failure_; }

 private:
  struct Attempt {
    io::ConnectionId id = 0;
    io::Address address;
    absl::Time ends;
  };

  bool HasStartedAll() const { return started_ >= addresses_.list().size(); }
  void StartDue(absl::Time now);
  void Start(const io::Address& address, absl::Time now);
  void EndOverdue(absl::Time now);
  void EndOldest();
  void BeginNextRound(absl::Time now);

  io::Transport& transport_;
  ServerAddresses& addresses_;
  RetryDelay& retry_delay_;
  const Options options_;
  std::deque<Attempt> attempts_;  // under way, oldest first
  size_t started_ = 0;            // of the addresses, in this round
  absl::Time round_begins_;
  absl::Time next_start_;  // of this round: the next address, or the next round
  std::optional<Winner> winner_;
  absl::Status failure_;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_ADDRESS_RACE_H_
