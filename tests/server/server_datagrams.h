// The server's side of one UDP port, without a socket and without a clock: a datagram
// is one RPC message, and has no record mark.
//
//   a datagram comes   OnDatagram(bytes, from, now)
//   datagrams go       TakeDatagram(now)
//   time passes        NextTime() -> when to look again
//
// All clients of the port are one here, to those who hold replies back and reorder them.
// Whatever of a script is about streams has no effect (script_parser.h).
#ifndef TESTS_SERVER_SERVER_DATAGRAMS_H_
#define TESTS_SERVER_SERVER_DATAGRAMS_H_

#include <optional>

#include "absl/time/time.h"
#include "tests/server/pending_calls.h"
#include "tests/server/reply_buffer.h"
#include "tests/server/server.h"

namespace server {

struct Datagram {
  Peer to;
  ReplyBuffer bytes;
};

// Thread-compatible.
class ServerDatagrams {
 public:
  // `server` must outlive it.
  ServerDatagrams(Server& server, const Programs& programs);

  // Whoever sends what is no call gets no answer.
  void OnDatagram(xdr::ByteView bytes, const Peer& from, absl::Time now);

  // The next one to send now; kMostDatagramBytes at most. The caller sends it or loses it.
  std::optional<Datagram> TakeDatagram(absl::Time now);

  // When TakeDatagram() may have something although nothing has come.
  absl::Time NextTime() const { return calls_.NextTime(); }

 private:
  std::optional<Datagram> Execute(const DueCall& due);

  Server& server_;
  const Programs programs_;
  PendingCalls calls_;
};

}  // namespace server

#endif  // TESTS_SERVER_SERVER_DATAGRAMS_H_
