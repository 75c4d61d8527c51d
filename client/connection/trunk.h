// The connections to one server that carry one stream together (nconnect).
//
//              ┌── connection: [call][call]       ──┐
//   Call() ──> ├── connection: [call][call][call] ──┤ ──> NextReply(), in any order
//              └── (being made: calls do not wait)  ┘
//
// A call goes to the connection with the fewest in flight, and to each in turn where they
// have as many: READs that follow each other in the file travel side by side and arrive
// at about the same time, so that a small window keeps all of them busy.
//
// The first connection is there from the beginning; others join when they are made, at any
// time. Where one fails:
//
//   it is lost                     it is made again with its calls, as if it were alone
//   ... and cannot be made again   another carries its calls, as new ones: who made them is
//       for kMostAway              told by NextOrphan(), and asks again
//   it has no replies, the others  the same, after the patience that one would have alone
//   it cannot be made at all       the stream goes on without it
//   what it says is broken         the trunk fails: it is one server that speaks
//   it is the last                 the trunk fails
//
// One that was given up is replaced after kRedialPause.
#ifndef CLIENT_CONNECTION_TRUNK_H_
#define CLIENT_CONNECTION_TRUNK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"
#include "client/connection/pump.h"
#include "rpc/request.h"

namespace nfs {

// Thread-compatible, with its pump. As with a connection: after every turn, take the
// replies until NextReply() gives nothing, then the orphans.
class Trunk {
 public:
  // So long a lost connection may be away while others are not.
  static constexpr absl::Duration kMostAway = absl::Seconds(5);
  static constexpr absl::Duration kRedialPause = absl::Seconds(30);

  struct Options {
    // Begins one more connection to the server.
    std::function<std::unique_ptr<Connection>()> dial;
    // Told, if set, in a line of text, of each connection that is given up.
    void (*note)(absl::string_view text) = nullptr;
  };

  // `first` is connected. REQUIRES: the pump outlives the trunk.
  Trunk(Pump& pump, std::unique_ptr<Connection> first, Options options);
  Trunk(const Trunk&) = delete;
  Trunk& operator=(const Trunk&) = delete;

  // There shall be at least so many connections from now on: those that lack begin to
  // connect at the next turn. May be called while calls are in flight.
  void Widen(int connections);

  // Turns the pump, once, and looks after the connections.
  void Turn(absl::Time until);

  // As Connection, for all of them.
  bool CanCall() const { return status_.ok() && Pick() != kNone; }
  template <typename Args>
  void Call(const rpc::Request& request, const Args& args) {
    const size_t picked = Pick();
    Connection& connection = *members_[picked].connection;
    const bool was_idle = connection.calls_in_flight() == 0;
    connection.Call(request, args);
    if (was_idle) connection.WaitSince(orphaned_since_);
    next_ = picked + 1;
  }
  std::optional<rpc::Reply> NextReply();
  int calls_in_flight() const;
  void set_receive_ahead(size_t bytes);
  void RenewCredentials();
  void AbandonCalls();
  // Of all connections that there are and were.
  Connection::Counters counters() const;

  // The tag of a call that was in flight on a connection which has been given up, each
  // once; nothing will come of it, and its memory is not touched any more.
  std::optional<uint64_t> NextOrphan();

  // Not OK when nothing more can come of the trunk; names the server.
  const absl::Status& status() const { return status_; }

  // The one for calls that are made one at a time. Valid until the next turn.
  Connection& lead() const;
  // Whether there is one connection, and shall not be more: only its replies may go past
  // memory, since a reply that waits for its turn holds up a connection.
  bool is_single() const { return members_.size() == 1 && wanted_ == 1; }
  // Those that are connected at this time.
  int connected() const;

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Member {
    std::unique_ptr<Connection> connection;
    absl::Time away_since = absl::InfiniteFuture();
  };

  // The one for the next call.
  size_t Pick() const;
  bool HasConnected() const { return connected() != 0; }
  // ... and it makes sense to dial: the server is there.
  bool LacksSome() const { return members_.size() < wanted_ && HasConnected(); }
  void DialMissing();
  std::unique_ptr<Connection> Dial();
  void WatchAway();
  absl::Time NextTime() const;
  void TakeOutClosed();
  bool MayGoOnWithout(const Connection& closed) const;
  bool HasOther(const Connection& connection) const;
  void TakeOut(size_t member);

  Pump& pump_;
  const Options options_;
  std::vector<Member> members_;  // never empty
  size_t wanted_ = 1;
  size_t next_ = 0;       // whose turn it is for a call
  size_t receiving_ = 0;  // whose replies are being taken
  absl::Time next_dial_ = absl::InfinitePast();
  size_t receive_ahead_ = 0;  // 0: was not set
  std::vector<uint64_t> orphans_;
  absl::Time last_reply_ = absl::InfinitePast();
  // Orphans have been waiting for the server since then; forgotten when it replies.
  absl::Time orphaned_since_ = absl::InfiniteFuture();
  Connection::Counters taken_out_;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_TRUNK_H_
