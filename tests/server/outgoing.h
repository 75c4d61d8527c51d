// A reply on its way out: framed, or not, and bent as a script wants it.
#ifndef TESTS_SERVER_OUTGOING_H_
#define TESTS_SERVER_OUTGOING_H_

#include <cstddef>
#include <deque>
#include <optional>

#include "tests/server/reply_buffer.h"
#include "tests/server/script.h"

namespace server {

struct Outgoing {
  ReplyBuffer bytes;
  size_t sent = 0;
  // Where sending pauses, ascending, each between 1 and bytes.size() - 1.
  std::deque<size_t> pauses;
  // What happens to the connection after the last byte.
  std::optional<Ending> ending;
  absl::Duration refuse = absl::ZeroDuration();
  bool is_read = false;  // counted as in flight

  // Up to here it can be sent now.
  size_t stop() const { return pauses.empty() ? bytes.size() : pauses.front(); }
};

// The room that FrameReply needs at the start of a reply.
inline constexpr size_t kMarkBytes = 4;

// Makes `bytes`, a reply with kMarkBytes before it, what goes over the wire: junk or a
// cut, record marks, or raw bytes instead of all that; then where it stops.
Outgoing FrameReply(ReplyBuffer bytes, const Actions& actions);

// The most that UDP over IPv4 carries.
inline constexpr size_t kMostDatagramBytes = 65507;

// The same for UDP: `bytes` is a reply without anything before it, and stays whole.
ReplyBuffer DatagramReply(ReplyBuffer bytes, const Actions& actions);

}  // namespace server

#endif  // TESTS_SERVER_OUTGOING_H_
