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
// time, and may go again (client/connection/widening.h finds out how many there should be).
// Where one fails:
//
//   it is lost                     it is made again with its calls, as if it were alone
//   ... and cannot be made again   another carries its calls, as new ones: who made them is
//       for kMostAway              told by NextOrphan(), and asks again
//   it has no replies, the others  the same, after the patience that one would have alone
//   it alone is silent for kStuck  the same
//   it cannot be made at all       the stream goes on without it
//   what it says is broken         the trunk fails: it is one server that speaks
//   it is the last                 the trunk fails
//
// It is replaced after kRedialPause.
#ifndef CLIENT_CONNECTION_TRUNK_H_
#define CLIENT_CONNECTION_TRUNK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
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
  // ... and so long one may owe replies without a byte, while others bring theirs; longer where
  // the path is slow.
  static constexpr absl::Duration kStuck = absl::Seconds(5);

  struct Options {
    // Begins one more connection to the server.
    std::function<std::unique_ptr<Connection>()> dial;
    // Told, if set, in a line, of each connection that is given up.
    void (*note)(absl::string_view text) = nullptr;
  };

  // `first` is connected. REQUIRES: the pump outlives the trunk.
  Trunk(Pump& pump, std::unique_ptr<Connection> first, Options options);
  Trunk(const Trunk&) = delete;
  Trunk& operator=(const Trunk&) = delete;
  // At least so many connections from now on: those that lack begin to connect at the next
  // turn. At any time.
  void Widen(int connections);
  // ... or exactly so many. Those that are too many get no more calls, and end when they have
  // none. From now on each is asked for by its pace: not for much more than it brings in a round
  // trip, and a new one for little at a time. So READs do not queue up on one that is slow or has
  // only begun, while those behind them come on others and fill the window; nor do they hold up
  // a server's threads, each of which waits until its reply fits into the send buffer.
  void SetWidth(int connections);
  int width() const { return static_cast<int>(wanted_); }
  // About a round trip has passed since the last time: how much has each brought? As Inspect().
  io::ConnectionState OnRound();
  // How many bytes it is well to ask for with the next call, of `most` at most. REQUIRES:
  // CanCall().
  size_t BytesForNextCall(size_t most) const;
  // Gives each connection, and those to come, a receive buffer of so many bytes, if the process
  // may (io::Transport::EnlargeReceiveBuffer); whether one has it.
  bool EnlargeReceiveBuffers(size_t bytes);
  // What TCP knows: sums of what has come, the best of the rest.
  io::ConnectionState Inspect() const;

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
    if (was_idle) {
      connection.WaitSince(orphaned_since_);
      Queue(members_[picked]);
    }
    next_ = picked + 1;
  }
  std::optional<rpc::Reply> NextReply();
  int calls_in_flight() const;
  void set_receive_ahead(size_t bytes);
  // Calls ask for so many bytes, most of them.
  void set_read_bytes(size_t bytes) { read_bytes_ = bytes; }
  void RenewCredentials();
  void AbandonCalls();
  // Of all that there are and were.
  Connection::Counters counters() const;

  // The tag of a call of a connection that has been given up, each once; nothing will come of
  // it, and its memory is not touched any more.
  std::optional<uint64_t> NextOrphan();

  // Not OK when nothing more can come of the trunk; names the server.
  const absl::Status& status() const { return status_; }
  // The one for calls that are made one at a time. Valid until the next turn.
  Connection& lead() const;
  // Whether there is, and shall be, one connection: only its replies may go past memory, since
  // one that waits for its turn holds up a connection.
  bool is_single() const { return members_.size() == 1 && wanted_ == 1; }
  // As Connection, for those replies, wherever they were asked for
  // (client/connection/trunk_diversion.cc).
  std::optional<rpc::Arrival> arrival() const;
  void Keep();
  void Divert(int fd);
  bool is_diverting() const;
  Connection::Diverted TakeDiverted();
  int connected() const;  // at this time

 private:
  static constexpr size_t kNone = SIZE_MAX;

  struct Member {
    std::unique_ptr<Connection> connection;
    uint64_t received = 0;  // bytes, by the end of the last round
    bool was_idle = false;  // at some time of this round
    double pace = 0;        // bytes that it brings in a round
    absl::Time away_since = absl::InfiniteFuture();
    absl::Time not_stuck_before = absl::InfinitePast();
    // When there have been so many answers, others have had theirs that were asked before.
    uint64_t its_turn_at = 0;
  };

  // The less, the sooner it gets a call.
  std::tuple<bool, double> Load(const Member& member) const;
  size_t BytesOfCall(const Member& member, size_t most) const;
  // The one for the next call.
  size_t Pick() const;
  bool HasConnected() const { return HasConnectedBefore(members_.size()); }
  // ... and it makes sense to dial: the server is there.
  bool LacksSome() const { return members_.size() < wanted_ && HasConnected(); }
  void DialMissing();
  std::unique_ptr<Connection> Dial();
  void WatchAway();
  void Queue(Member& member) const;
  void CountAnswer();
  void WatchStuck();
  absl::Duration MostSilence() const;
  bool IsReluctant(size_t member) const;
  bool HasConnectedBefore(size_t end) const;
  absl::Time StuckAt(const Member& member) const;
  void TakeOutSurplus();
  Connection* Arrived() const;
  absl::Time NextTime() const;
  void TakeOutClosed();
  bool MayGoOnWithout(const Connection& closed) const;
  bool HasOther(const Connection& connection) const;
  void TakeOut(size_t member);

  Pump& pump_;
  const Options options_;
  std::vector<Member> members_;  // never empty
  size_t wanted_ = 1;
  bool is_paced_ = false;
  size_t next_ = 0;                      // whose turn it is for a call
  size_t receiving_ = 0;                 // whose replies are being taken
  absl::Duration stuck_after_ = kStuck;  // longer with each
  uint64_t answers_ = 0;                 // that there have been
  absl::Duration between_answers_;       // a mean of late
  absl::Time next_dial_ = absl::InfinitePast();
  size_t read_bytes_ = 1;      // that a call asks for, where nothing speaks against it
  size_t receive_ahead_ = 0;   // 0: was not set
  size_t receive_buffer_ = 0;  // likewise
  std::vector<uint64_t> orphans_;
  absl::Time last_reply_ = absl::InfinitePast();
  // Orphans have been waiting for the server since then; forgotten when it replies.
  absl::Time orphaned_since_ = absl::InfiniteFuture();
  Connection::Counters taken_out_;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_TRUNK_H_
