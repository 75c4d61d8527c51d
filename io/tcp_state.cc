// Tested by tests/io/tcp_state_test.cc and tests/io/transport_contract_test.cc.
#include "io/tcp_state.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "io/address.h"

namespace io {

namespace {

uint16_t LocalPort(int fd) {
  sockaddr_storage name = {};
  socklen_t size = sizeof(name);
  auto* const local = reinterpret_cast<sockaddr*>(&name);
  return getsockname(fd, local, &size) == 0 ? Address(local, size).port() : uint16_t{0};
}

// How far the kernel lets a receive buffer grow by itself, in bytes; 0 if it does not say.
uint64_t LargestReceiveBuffer() {
  static const uint64_t largest = [] {
    uint64_t least = 0, usual = 0, most = 0;
    std::ifstream("/proc/sys/net/ipv4/tcp_rmem") >> least >> usual >> most;
    return most;
  }();
  return largest;
}

uint64_t ReceiveBuffer(int fd) {
  int bytes = 0;
  socklen_t size = sizeof(bytes);
  if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, &size) != 0) return 0;
  return static_cast<uint64_t>(std::max(bytes, 0));
}

}  // namespace

ConnectionState InspectSocket(int fd, absl::Time now) {
  ConnectionState state;
  state.source_port = LocalPort(fd);
  tcp_info info = {};
  socklen_t size = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return state;
  state.last_heard = now - absl::Milliseconds(info.tcpi_last_data_recv);
  // All ones before the first estimate.
  if (info.tcpi_min_rtt != UINT32_MAX) state.round_trip = absl::Microseconds(info.tcpi_min_rtt);
  state.recent_round_trip = absl::Microseconds(info.tcpi_rtt);
  state.received = info.tcpi_bytes_received;
  state.out_of_order = info.tcpi_rcv_ooopack;
  // The other half is for what the kernel keeps beside the bytes (tcp_adv_win_scale).
  state.receive_window = std::max(ReceiveBuffer(fd), LargestReceiveBuffer()) / 2;
  return state;
}

bool EnlargeReceiveBuffer(int fd, size_t bytes) {
  const int half = static_cast<int>(std::min<size_t>(bytes / 2, INT32_MAX / 2));  // it doubles
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)) != 0) return false;
  // Such a buffer is not tuned by the kernel any more: without this the window would stay as
  // large as it happens to be.
  return setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &half, sizeof(half)) == 0;
}

}  // namespace io
