// Serves a Server over real TCP and UDP, on loopback only.
//
//   server::Server served;
//   served.tree().AddFile("/export/hello", server::BytesContents("hello\n"));
//   auto loopback = server::LoopbackServer::Start(served);
//   ... (*loopback)->Url("/export/hello") ...
//   loopback->reset();  // every connection is closed, the port is free again
#ifndef TESTS_SERVER_LOOPBACK_SERVER_H_
#define TESTS_SERVER_LOOPBACK_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/server/server.h"

namespace server {

struct ListenOptions {
  struct Port {
    uint16_t port = 0;  // 0: the kernel picks one
    Programs programs = {};
    // UDP has the same number as TCP. Should another program have that, a port that the
    // kernel has picked gets another number for UDP, and any other is not to be had.
    bool tcp = true;
    bool udp = true;
  };
  // An IPv4 address in 127.0.0.0/8, or "::1".
  std::string address = "127.0.0.1";
  std::vector<Port> ports = {Port()};
};

class ServerLoop;

// One thread of its own, which is stopped and joined by the destructor.
class LoopbackServer {
 public:
  // Listens, and serves from then on. Fails when the address is not a loopback address
  // or a port cannot be had. `served` must outlive the server; where NFS and MOUNT
  // listen is added to its rpcbind table, by TCP and by UDP.
  static absl::StatusOr<std::unique_ptr<LoopbackServer>> Start(Server& served,
                                                               const ListenOptions& options = {});
  ~LoopbackServer();

  // The first port that speaks the program, by TCP if any does; 0 when none does.
  uint16_t nfs_port() const { return tcp_.nfs != 0 ? tcp_.nfs : udp_.nfs; }
  uint16_t mount_port() const { return tcp_.mount != 0 ? tcp_.mount : udp_.mount; }
  uint16_t rpcbind_port() const { return tcp_.rpcbind != 0 ? tcp_.rpcbind : udp_.rpcbind; }

  // The same by transport.
  struct Numbers {
    uint16_t nfs = 0;
    uint16_t mount = 0;
    uint16_t rpcbind = 0;
  };
  const Numbers& tcp() const { return tcp_; }
  const Numbers& udp() const { return udp_; }

  // "nfs://127.0.0.1:PORT/export/hello?mountport=PORT" for "/export/hello", which is
  // to be in URL form already. libnfs knows the port of NFS as nfsport only, and wants
  // "nfs://127.0.0.1/export/hello?nfsport=PORT&mountport=PORT&version=3".
  std::string Url(absl::string_view path) const;
  std::string LibnfsUrl(absl::string_view path) const;

 private:
  LoopbackServer();
  void RegisterPorts(Server& served, absl::string_view netid, const Numbers& numbers) const;

  bool is_ipv6_ = false;
  std::string host_;  // with brackets if it needs them
  Numbers tcp_;
  Numbers udp_;
  std::unique_ptr<ServerLoop> loop_;
  std::thread thread_;
};

}  // namespace server

#endif  // TESTS_SERVER_LOOPBACK_SERVER_H_
