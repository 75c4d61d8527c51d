// Tested by tests/bench/load_server_test.cc.
#include "tests/bench/load_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/server/contents.h"
#include "tests/server/loopback_address.h"

namespace bench {

namespace {

server::NfsSettings SettingsFor(uint32_t rsize) {
  server::NfsSettings settings;
  settings.fsinfo.rtmax = settings.fsinfo.rtpref = rsize;
  settings.max_read = rsize;
  return settings;
}

// The attributes come from the tree, the bytes do not: see ReadReplies.
ServedFile AddFile(const LoadOptions::File& file, server::FileTree& tree) {
  const std::string path = absl::StrCat("/export/", file.name);
  tree.AddFile(path, server::PatternContents(file.size));
  nfs3::Fattr3 attributes;
  [[maybe_unused]] const nfs3::Status status = tree.Getattr(tree.Handle(path), attributes);
  assert(status == nfs3::Status::kOk);
  return MakeServedFile(tree.Handle(path), attributes);
}

void SetNoDelay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoadServer>> LoadServer::Start(const LoadOptions& options) {
  std::unique_ptr<LoadServer> load(new LoadServer(options));
  auto listener = server::ListenOn("127.0.0.1", server::Transport::kTcp, load->port_);
  if (!listener.ok()) return listener.status();
  load->listener_ = *std::move(listener);
  load->thread_ = std::thread([raw = load.get()] { raw->Serve(); });
  return load;
}

LoadServer::LoadServer(const LoadOptions& options)
    : state_(options.rsize), port_(options.port), stop_(eventfd(0, EFD_CLOEXEC)) {
  state_.served.SetNfs(SettingsFor(options.rsize));
  for (const LoadOptions::File& file : options.files) {
    state_.files.push_back(AddFile(file, state_.served.tree()));
  }
}

LoadServer::~LoadServer() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void LoadServer::Serve() {
  for (;;) {
    pollfd events[] = {{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    poll(events, std::size(events), -1);
    if (events[1].revents != 0) break;
    if (events[0].revents != 0) Accept();
  }
  for (Client& client : clients_) {
    shutdown(client.fd.get(), SHUT_RDWR);
    client.thread.join();
  }
}

void LoadServer::Accept() {
  const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return;
  SetNoDelay(fd);
  ++state_.connections;
  Client& client = clients_.emplace_back(io::UniqueFd(fd));
  client.thread = std::thread([this, fd] {
    LoadConnection(fd, state_).Run();
    shutdown(fd, SHUT_RDWR);  // closed with the server, when nobody uses the number any more
  });
}

std::string LoadUrl(uint16_t port, const std::string& name) {
  return absl::StrCat("nfs://127.0.0.1/export/", name, "?version=3&nfsport=", port,
                      "&mountport=", port);
}

}  // namespace bench
