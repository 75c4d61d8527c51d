// Tested by tests/server/server_datagrams_test.cc.
#include "tests/server/server_datagrams.h"

#include <utility>

#include "tests/server/outgoing.h"

namespace server {

ServerDatagrams::ServerDatagrams(Server& server, const Programs& programs)
    : server_(server), programs_(programs), calls_(server) {}

void ServerDatagrams::OnDatagram(xdr::ByteView bytes, const Peer& from, absl::Time now) {
  calls_.OnMessage(bytes, from, now);
}

std::optional<Datagram> ServerDatagrams::TakeDatagram(absl::Time now) {
  while (std::optional<DueCall> due = calls_.TakeDue(now)) {
    std::optional<Datagram> datagram = Execute(*due);
    if (due->IsInFlight()) server_.log().OnReadDone();
    if (datagram) return datagram;
  }
  return std::nullopt;
}

std::optional<Datagram> ServerDatagrams::Execute(const DueCall& due) {
  Datagram datagram = {due.call.peer, {}};
  server_.Answer(due.call, programs_, due.actions, datagram.bytes);
  if (due.actions.drop.value_or(false)) return std::nullopt;
  datagram.bytes = DatagramReply(std::move(datagram.bytes), due.actions);
  // No network takes it: a reply that is too long is as good as lost.
  if (datagram.bytes.size() > kMostDatagramBytes) return std::nullopt;
  return datagram;
}

}  // namespace server
