// One RPC connection that survives: an rpc::Channel, and the transport's connections that
// its bytes travel on, one after the other. The only place where rpc/ and io/ meet.
//
//   kFirst ── connected ──> kConnected ── reset, EOF, silence ──> kLost
//     │                         ^                                   │ as soon as calls
//     │ every address           └────────────── connected ──────────┘ are in flight
//     v fails                                                 │
//   kClosed <───────────── patience is at its end, or the server breaks the protocol
//
// A connection that is lost is no error: it is made again, and the calls without a reply
// go out once more (rpc/channel.h). What ends it is that no reply comes for as long as
// Options::patience allows, whatever happens in the meantime.
#ifndef CLIENT_CONNECTION_CONNECTION_H_
#define CLIENT_CONNECTION_CONNECTION_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/connection/address_race.h"
#include "client/connection/connection_options.h"
#include "client/connection/pump.h"
#include "client/connection/retry_delay.h"
#include "client/connection/server_addresses.h"
#include "io/address.h"
#include "io/transport.h"
#include "rpc/channel.h"

namespace nfs {

// Turned by a Pump, to which it belongs from construction to destruction. After
// every turn, take the replies until NextReply() gives nothing.
//
// Thread-compatible, with its pump.
class Connection {
 public:
  using Options = ConnectionOptions;
  using Counters = ConnectionCounters;

  // So long without a sign of the server is worth a word.
  static constexpr absl::Duration kQuiet = absl::Seconds(5);
  // A peer that takes connections and ends them, this often in a row, and has never
  // answered a call, is not a server of the program that is called.
  static constexpr int kMostLossesUnanswered = 5;

  // Begins to connect at the next turn; connected() or status() tells the outcome.
  // REQUIRES: both outlive the connection.
  Connection(Pump& pump, ServerAddresses& addresses, const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return state_ == State::kConnected; }
  // It is connected, or was and will be again.
  bool established() const { return connected() || state_ == State::kLost; }
  // Its calls wait for it to be made, or made again.
  bool is_away() const { return !connected() && calls_in_flight() != 0; }
  // Where it is, or last was, connected to; before that, the address that it tries first.
  const io::Address& address() const { return address_; }
  // The port that it is connected from; 0 before that.
  uint16_t source_port() const { return source_port_; }
  // " [192.0.2.7:2049]", the end of every error text that is about this server.
  std::string server() const;
  // `status` with server() at its end, if it does not have that yet.
  absl::Status NamingServer(const absl::Status& status) const;

  // As rpc::Channel. Calls may be made before it is connected, and while it is lost; when
  // status() is not OK any more, nothing comes of them.
  bool CanCall() const { return status_.ok() && channel_.CanCall(); }
  int calls_in_flight() const { return channel_.calls_in_flight(); }
  template <typename Args>
  void Call(const rpc::Request& request, const Args& args) {
    // Not since the last turn, which may be long ago: the owner had no use for one.
    if (calls_in_flight() == 0) waiting_since_ = pump_.transport().Now();
    DropUnaskedBytes();
    if (!status_.ok()) return;  // for what they were
    channel_.Call(request, args, std::max(pump_.now(), waiting_since_));
  }
  std::optional<rpc::Reply> NextReply();

  // As rpc::Channel: a reply whose payload can go past memory. Nothing is received until its
  // owner has said one of these.
  std::optional<rpc::Arrival> arrival() const;
  void Keep();
  // Its payload goes to this pipe, in the turns from now on, until all of it has, until the
  // pipe takes no more, or until Keep(). REQUIRES: nothing is written in the meantime.
  void Divert(int fd) { divert_to_ = fd; }
  bool is_diverting() const { return divert_to_.has_value(); }
  // What has been diverted since the last time, and how the pipe took it.
  using Pipe = io::OutputState;
  struct Diverted {
    size_t bytes = 0;
    Pipe pipe = Pipe::kTakes;
  };
  Diverted TakeDiverted() { return std::exchange(diverted_, Diverted()); }

  void set_receive_ahead(size_t bytes) { channel_.set_receive_ahead(bytes); }
  void RenewCredentials() { channel_.RenewCredentials(); }
  void ShareCredentials(const Connection& other) { channel_.ShareCredentials(other.channel_); }
  absl::Duration patience() const { return options_.patience; }
  // As io::Transport; nothing is known while it is not connected.
  io::ConnectionState Inspect() const;
  // From now on, if the process may: a receive buffer of so many bytes. Whether it has one.
  bool EnlargeReceiveBuffer(size_t bytes);
  // Since when calls are in flight and no reply comes. REQUIRES: calls are in flight.
  absl::Time waiting_since() const { return waiting_since_; }
  // ... and since then already, if that is earlier: on another connection.
  void WaitSince(absl::Time since) { waiting_since_ = std::min(waiting_since_, since); }
  // Calls visit(tag) for each call in flight, in the order of the calls.
  void ForEachInFlight(auto&& visit) { channel_.ForEachInFlight(visit); }

  // Forgets the calls in flight, whose memory is not touched any more. The next call
  // makes a new connection.
  void AbandonCalls();
  // Ends the connection; afterwards status() is `why`. Does nothing when it has ended.
  void Close(const absl::Status& why);

  // Not OK when nothing more can come of the connection; names the server. When it
  // is not OK any more, no memory given to Call() is touched any more either.
  const absl::Status& status() const { return status_; }
  Counters counters() const;

 private:
  friend class Pump;

  enum class State : uint8_t {
    kFirst,  // its first connect is under way, or will be
    kConnected,
    kLost,    // it was connected, and will be when there are calls
    kClosed,  // see status()
  };

  // What the pump does with it in a turn.
  void StartTransfers();
  void StartSend();
  void Apply(const io::Event& event);
  void OnTimeout(absl::Time now);
  // The pump was not turned for so long: nothing that the server is to blame for.
  void OnPause(absl::Duration how_long) { waiting_since_ += how_long; }
  absl::Time NextDeadline() const;
  bool Owns(io::ConnectionId id) const;

  void TurnRace();
  void OnConnected(const AddressRace::Winner& winner);
  void OnTransfer(const io::Event& event);
  void OnSpliced(const io::Event& event);
  void StartReceiving();
  void StopDiverting();
  void DropUnaskedBytes();
  // The transport's connection is of no use any more; calls stay.
  void Lose(const absl::Status& why);
  void CloseTransport();
  bool IsWaiting() const { return status_.ok() && calls_in_flight() != 0; }
  absl::Time QuietAt() const;
  void CheckPatience();
  void CheckOverdue(absl::Time now);
  void OnReply();
  bool IsNoticeOwed() const { return options_.notice != nullptr && options_.notice->IsOwed(); }

  Pump& pump_;
  ServerAddresses& addresses_;
  const Options options_;
  rpc::Channel channel_;
  RetryDelay retry_delay_;
  State state_ = State::kFirst;
  std::optional<AddressRace> race_;

  // The transport's connection, while there is one.
  std::optional<io::ConnectionId> transport_id_;
  io::Address address_;
  uint16_t source_port_ = 0;
  size_t receive_buffer_ = 0;  // 0: the machine's choice
  bool receiving_ = false;
  bool sending_ = false;
  bool splicing_ = false;
  std::optional<int> divert_to_;
  Diverted diverted_;
  // It has failed; what has been received before is still to be taken.
  absl::Status broken_;

  absl::Time waiting_since_;  // the last reply, or the first of the calls in flight
  absl::Time last_heard_ = absl::InfinitePast();  // as far as has been looked at
  int losses_unanswered_ = 0;
  bool answered_ = false;  // a call, ever
  uint64_t reconnects_ = 0;
  absl::Status last_loss_;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_CONNECTION_H_
