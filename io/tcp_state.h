// What the kernel knows of a TCP connection (TCP_INFO), and the size of its receive buffer.
#ifndef IO_TCP_STATE_H_
#define IO_TCP_STATE_H_

#include <cstddef>

#include "absl/time/time.h"
#include "io/transport.h"

namespace io {

// Of a connected TCP socket. `now` is the time that the answer goes by. What the kernel is too
// old to know is zero.
ConnectionState InspectSocket(int fd, absl::Time now);

// SO_RCVBUFFORCE, as Transport::EnlargeReceiveBuffer(): it needs CAP_NET_ADMIN.
bool EnlargeReceiveBuffer(int fd, size_t bytes);

}  // namespace io

#endif  // IO_TCP_STATE_H_
