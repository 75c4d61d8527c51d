// One UDP socket of LoopbackServer.
#ifndef TESTS_SERVER_UDP_PORT_H_
#define TESTS_SERVER_UDP_PORT_H_

#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "io/unique_fd.h"
#include "tests/server/server.h"
#include "tests/server/server_datagrams.h"

namespace server {

// Thread-compatible.
class UdpPort {
 public:
  // `socket` is bound and does not block. `served` must outlive the port.
  UdpPort(Server& served, const Programs& programs, io::UniqueFd socket)
      : fd_(std::move(socket)), protocol_(served, programs) {}

  int fd() const { return fd_.get(); }
  // Takes all datagrams that have come.
  void Receive(absl::Time now);
  // Sends what is due. What the socket does not take at once is lost, as UDP may.
  void Send(absl::Time now);
  // When Send() may have something to do although nothing has come.
  absl::Time NextTime() const { return protocol_.NextTime(); }

 private:
  const io::UniqueFd fd_;
  ServerDatagrams protocol_;
  std::vector<std::byte> received_ = std::vector<std::byte>(65536);
};

}  // namespace server

#endif  // TESTS_SERVER_UDP_PORT_H_
