// Tested by tests/server/loopback_server_test.cc.
#include "tests/server/loopback_server.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "tests/server/server_loop.h"

namespace server {

namespace {

void NoteFirst(uint16_t port, bool speaks, uint16_t& first) {
  if (speaks && first == 0) first = port;
}

// Does nothing when `port` is 0.
void Note(uint16_t port, const Programs& programs, LoopbackServer::Numbers& numbers) {
  NoteFirst(port, programs.nfs, numbers.nfs);
  NoteFirst(port, programs.mount, numbers.mount);
  NoteFirst(port, programs.rpcbind, numbers.rpcbind);
}

}  // namespace

LoopbackServer::LoopbackServer() = default;

absl::StatusOr<std::unique_ptr<LoopbackServer>> LoopbackServer::Start(
    Server& served, const ListenOptions& options) {
  auto loop = std::make_unique<ServerLoop>(served, options);
  const absl::Status status = loop->Listen();
  if (!status.ok()) return status;
  std::unique_ptr<LoopbackServer> server(new LoopbackServer());
  server->is_ipv6_ = absl::StrContains(options.address, ":");
  server->host_ = server->is_ipv6_ ? absl::StrCat("[", options.address, "]") : options.address;
  for (const ServerLoop::Place& place : loop->places()) {
    Note(place.tcp, place.programs, server->tcp_);
    Note(place.udp, place.programs, server->udp_);
  }
  server->RegisterPorts(served, "tcp", server->tcp_);
  server->RegisterPorts(served, "udp", server->udp_);
  server->loop_ = std::move(loop);
  server->thread_ = std::thread([loop = server->loop_.get()] { loop->Run(); });
  return server;
}

LoopbackServer::~LoopbackServer() {
  if (!thread_.joinable()) return;
  loop_->Stop();
  thread_.join();
}

void LoopbackServer::RegisterPorts(Server& served, absl::string_view netid,
                                   const Numbers& numbers) const {
  Registration line = {.netid = absl::StrCat(netid, is_ipv6_ ? "6" : ""),
                       .host = is_ipv6_ ? "::" : "0.0.0.0"};
  const auto add = [&](uint32_t program, uint32_t version, uint16_t port) {
    line.program = program;
    line.version = version;
    line.port = port;
    if (port != 0) served.Register(line);
  };
  add(nfs3::kProgram, nfs3::kVersion, numbers.nfs);
  add(mount3::kProgram, mount3::kVersion, numbers.mount);
}

std::string LoopbackServer::Url(absl::string_view path) const {
  return absl::StrCat("nfs://", host_, ":", nfs_port(), path, "?mountport=", mount_port());
}

std::string LoopbackServer::LibnfsUrl(absl::string_view path) const {
  return absl::StrCat("nfs://", host_, path, "?nfsport=", nfs_port(), "&mountport=", mount_port(),
                      "&version=3");
}

}  // namespace server
