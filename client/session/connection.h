// One RPC connection: an rpc::Channel and the transport's connection that its bytes
// travel on. The only place where rpc/ and io/ meet.
#ifndef CLIENT_SESSION_CONNECTION_H_
#define CLIENT_SESSION_CONNECTION_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/session/pump.h"
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
  // REQUIRES: `pump` outlives the connection.
  Connection(Pump& pump, const rpc::Channel::Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Begins to connect; connected() or status() tells the outcome, some turns later.
  void StartConnect(const io::Address& address, const io::ConnectOptions& options);
  bool connected() const { return state_ == State::kConnected; }
  const io::Address& address() const { return address_; }
  // " [192.0.2.7:2049]", the end of every error text that is about this server.
  std::string server() const;
  // `status` with server() at its end, if it does not have that yet.
  absl::Status NamingServer(const absl::Status& status) const;

  // As rpc::Channel: REQUIRES connected().
  bool CanCall() const { return connected() && channel_.CanCall(); }
  int calls_in_flight() const { return channel_.calls_in_flight(); }
  template <typename Args>
  void Call(const rpc::Request& request, const Args& args) {
    channel_.Call(request, args, pump_.now());
  }
  std::optional<rpc::Reply> NextReply();
  void set_receive_ahead(size_t bytes) { channel_.set_receive_ahead(bytes); }

  // Ends the connection; afterwards status() is `why`. Does nothing when it has ended.
  void Close(const absl::Status& why);

  // Not OK when nothing more can come of the connection; names the server. When it
  // is not OK any more, no memory given to Call() is touched any more either.
  const absl::Status& status() const { return status_; }
  const rpc::Channel::Counters& counters() const { return channel_.counters(); }

 private:
  friend class Pump;

  enum class State : uint8_t {
    kIdle,        // StartConnect has not been called
    kConnecting,  // its outcome has not come
    kConnected,
    kClosed,  // see status()
  };

  // What the pump does with it in a turn.
  void StartTransfers();
  void Apply(const io::Event& event);
  void OnTimeout(absl::Time now);
  absl::Time NextDeadline() const;
  bool Owns(io::ConnectionId id) const { return has_transport_id_ && id == transport_id_; }

  Pump& pump_;
  rpc::Channel channel_;
  io::Address address_;
  State state_ = State::kIdle;
  bool has_transport_id_ = false;
  io::ConnectionId transport_id_ = 0;
  bool receiving_ = false;
  bool sending_ = false;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_SESSION_CONNECTION_H_
