#include "tests/bench/opened_file.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "client/options.h"
#include "client/session/session.h"
#include "client/target.h"

namespace bench {

namespace {

absl::StatusOr<io::UniqueFd> ConnectTo(uint16_t port) {
  io::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    return absl::ErrnoToStatus(errno, "connect");
  }
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

}  // namespace

absl::StatusOr<OpenedFile> OpenFile(const std::string& url, uint32_t rsize) {
  const absl::StatusOr<nfs::Target> target = nfs::ParseTarget(url);
  if (!target.ok()) return target.status();
  nfs::Options options;
  const absl::Status status = nfs::ApplyTarget(*target, options);
  if (!status.ok()) return status;
  options.rsize = rsize;
  options.engine = nfs::Engine::kPoll;  // the ring would cost more than all of this
  auto session = nfs::Session::Open(*target, options);
  if (!session.ok()) return session.status();
  auto fd = ConnectTo(options.port);
  if (!fd.ok()) return fd.status();
  return OpenedFile{.handle = (*session)->file().handle,
                    .size = (*session)->file().attributes.size,
                    .rsize = (*session)->rsize(),
                    .fd = *std::move(fd)};
}

}  // namespace bench
