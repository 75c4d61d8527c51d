// The poll(2) loop behind LoopbackServer.
#ifndef TESTS_SERVER_SERVER_LOOP_H_
#define TESTS_SERVER_SERVER_LOOP_H_

#include <poll.h>

#include <cstdint>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "io/unique_fd.h"
#include "tests/server/loopback_server.h"
#include "tests/server/server.h"
#include "tests/server/server_connection.h"
#include "tests/server/udp_port.h"

namespace server {

// Thread-compatible, but for Stop(), which any thread may call.
class ServerLoop {
 public:
  ServerLoop(Server& served, const ListenOptions& options);

  // Binds every port.
  absl::Status Listen();

  // Where it listens then: a number for each transport, 0 without it.
  struct Place {
    uint16_t tcp = 0;
    uint16_t udp = 0;
    Programs programs;
  };
  const std::vector<Place>& places() const { return places_; }

  // Serves until Stop().
  void Run();
  void Stop();

 private:
  struct Listener {
    Place place;
    io::UniqueFd fd;  // none while connections are refused
    absl::Time reopens = absl::InfiniteFuture();
  };
  struct Connection {
    Connection(Server& served, Listener& from, const Peer& peer, absl::Time now,
               io::UniqueFd socket)
        : listener(from), fd(std::move(socket)), protocol(served, from.place.programs, peer, now) {}
    Listener& listener;
    io::UniqueFd fd;
    ServerConnection protocol;
    bool blocked = false;  // the socket takes no more for now
    bool done = false;
  };

  absl::Status ListenAt(const ListenOptions::Port& port);
  absl::StatusOr<io::UniqueFd> BindUdp(const ListenOptions::Port& port, uint16_t& number);
  void FillPollSet(absl::Time now);
  void Wait(absl::Time until);
  void Turn(absl::Time now);
  void Accept(Listener& listener, absl::Time now);
  void Receive(Connection& connection, absl::Time now);
  void Send(Connection& connection, absl::Time now);
  void End(Connection& connection, absl::Time now);
  void Reopen(Listener& listener);
  absl::Time NextTime() const;

  Server& served_;
  const ListenOptions options_;
  io::UniqueFd stop_;  // an eventfd
  std::vector<Place> places_;
  std::list<UdpPort> udp_ports_;
  std::list<Listener> listeners_;
  std::list<Connection> connections_;
  std::vector<pollfd> poll_set_;
};

}  // namespace server

#endif  // TESTS_SERVER_SERVER_LOOP_H_
