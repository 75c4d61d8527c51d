// The loop: turns every connection over one transport.
#ifndef CLIENT_CONNECTION_PUMP_H_
#define CLIENT_CONNECTION_PUMP_H_

#include <atomic>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "io/transport.h"

namespace nfs {

class Connection;

// Single-threaded; who turns it is the caller's choice: nfscat turns it itself, a
// FileReader has it turned by a thread of its own (readahead goes on while the
// caller computes). Only Cancel() and its transport's Wake() may be called from elsewhere.
class Pump {
 public:
  // REQUIRES: `transport` outlives the pump.
  explicit Pump(io::Transport& transport);
  ~Pump();
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  // Starts every transfer that can be started, waits for something to happen (at most
  // until `until`, or until a call's deadline), and applies what happened. Then the
  // connections may have replies to take.
  void Turn(absl::Time until);

  // Makes every story that waits on the pump (client/connection/call.h) end with
  // Cancelled, soon, and those that begin later at once. Any thread.
  void Cancel();
  // ... and no more, from now on: for the goodbye.
  void Renew() { cancelled_ = false; }
  bool cancelled() const { return cancelled_; }

  // The time of the last turn; everything in a turn happens at the same instant.
  absl::Time now() const { return now_; }

  io::Transport& transport() { return transport_; }

  // The outcome of the transport's write, once it has come.
  std::optional<io::Event> TakeWritten();
  // The same of its writes at offsets, one after the other.
  std::optional<io::Event> TakeWrittenAt();

 private:
  friend class Connection;

  void Add(Connection* connection) { connections_.push_back(connection); }
  void Remove(Connection* connection);
  void Apply(const io::Event& event);

  io::Transport& transport_;
  std::vector<Connection*> connections_;
  std::optional<io::Event> written_;
  std::vector<io::Event> written_at_;  // no more than there are tags
  absl::Time now_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_PUMP_H_
