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
  for (const ListenOptions::Port& port : loop->ports()) server->NotePort(port);
  server->RegisterPorts(served);
  server->loop_ = std::move(loop);
  server->thread_ = std::thread([loop = server->loop_.get()] { loop->Run(); });
  return server;
}

LoopbackServer::~LoopbackServer() {
  if (!thread_.joinable()) return;
  loop_->Stop();
  thread_.join();
}

void LoopbackServer::NotePort(const ListenOptions::Port& port) {
  NoteFirst(port.port, port.programs.nfs, nfs_port_);
  NoteFirst(port.port, port.programs.mount, mount_port_);
  NoteFirst(port.port, port.programs.rpcbind, rpcbind_port_);
}

void LoopbackServer::RegisterPorts(Server& served) const {
  Registration line = {.netid = is_ipv6_ ? "tcp6" : "tcp", .host = is_ipv6_ ? "::" : "0.0.0.0"};
  const auto add = [&](uint32_t program, uint32_t version, uint16_t port) {
    line.program = program;
    line.version = version;
    line.port = port;
    if (port != 0) served.Register(line);
  };
  add(nfs3::kProgram, nfs3::kVersion, nfs_port_);
  add(mount3::kProgram, mount3::kVersion, mount_port_);
}

std::string LoopbackServer::Url(absl::string_view path) const {
  return absl::StrCat("nfs://", host_, ":", nfs_port_, path, "?mountport=", mount_port_);
}

std::string LoopbackServer::LibnfsUrl(absl::string_view path) const {
  return absl::StrCat("nfs://", host_, path, "?nfsport=", nfs_port_, "&mountport=", mount_port_,
                      "&version=3");
}

}  // namespace server
