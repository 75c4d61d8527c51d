// What a Connection is made with, and what it counts.
#ifndef CLIENT_CONNECTION_CONNECTION_OPTIONS_H_
#define CLIENT_CONNECTION_CONNECTION_OPTIONS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "client/connection/server_notice.h"
#include "io/transport.h"
#include "rpc/channel_options.h"

namespace nfs {

struct ConnectionOptions {
  uint16_t port = 0;
  io::ConnectOptions connect;
  absl::Duration connect_timeout = absl::Seconds(10);  // for each address
  // How long calls may be in flight while no reply comes.
  absl::Duration patience = absl::Seconds(180);
  // Told, if set, when the server has not responded for some seconds, and of every reply.
  // REQUIRES: it outlives the connection.
  ServerNotice* notice = nullptr;
  uint32_t seed = 0;  // any random number
  rpc::ChannelOptions channel;
};

struct ConnectionCounters {
  uint64_t reconnects = 0;
  uint64_t retransmissions = 0;
  // Replies that no call waited for: late, sent twice, or not for us.
  uint64_t unexpected_replies = 0;

  ConnectionCounters& operator+=(const ConnectionCounters& more) {
    reconnects += more.reconnects;
    retransmissions += more.retransmissions;
    unexpected_replies += more.unexpected_replies;
    return *this;
  }
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_CONNECTION_OPTIONS_H_
