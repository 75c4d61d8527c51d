// The poll(2) loop behind LoopbackServer.
#ifndef TESTS_SERVER_SERVER_LOOP_H_
#define TESTS_SERVER_SERVER_LOOP_H_

#include <poll.h>

#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "io/unique_fd.h"
#include "tests/server/loopback_server.h"
#include "tests/server/server.h"
#include "tests/server/server_connection.h"

namespace server {

// Thread-compatible, but for Stop(), which any thread may call.
class ServerLoop {
 public:
  ServerLoop(Server& served, const ListenOptions& options);

  // Binds every port and puts the real numbers into the ports.
  absl::Status Listen();
  const std::vector<ListenOptions::Port>& ports() const { return options_.ports; }

  // Serves until Stop().
  void Run();
  void Stop();

 private:
  struct Listener {
    size_t port = 0;  // of options_.ports
    io::UniqueFd fd;
  };
  struct Connection {
    Connection(Server& served, const Programs& programs, const Peer& peer, absl::Time now,
               io::UniqueFd socket)
        : fd(std::move(socket)), protocol(served, programs, peer, now) {}
    io::UniqueFd fd;
    ServerConnection protocol;
    bool blocked = false;  // the socket takes no more for now
    bool done = false;
  };

  void FillPollSet();
  void Wait(absl::Time until);
  void Turn(absl::Time now);
  void Accept(const Listener& listener, absl::Time now);
  void Receive(Connection& connection, absl::Time now);
  void Send(Connection& connection, absl::Time now);
  void End(Connection& connection, absl::Time now);
  void ReopenListeners();
  absl::Time NextTime() const;

  Server& served_;
  ListenOptions options_;
  io::UniqueFd stop_;  // an eventfd
  std::vector<Listener> listeners_;
  absl::Time refused_until_ = absl::InfiniteFuture();
  std::list<Connection> connections_;
  std::vector<pollfd> poll_set_;
};

}  // namespace server

#endif  // TESTS_SERVER_SERVER_LOOP_H_
