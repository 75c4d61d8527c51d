#include "tests/support/private_machine.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace support {
namespace {

absl::Status Result(int result, absl::string_view what) {
  return result >= 0 ? absl::OkStatus() : absl::ErrnoToStatus(errno, what);
}

absl::Status LeaveSharedNamespaces() {
  return Result(unshare(CLONE_NEWNET | CLONE_NEWNS), "unshare network and mounts");
}

// Otherwise what is mounted here would also appear in the namespace that we left.
absl::Status KeepMountsPrivate() {
  return Result(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "make mounts private");
}

absl::Status MountMemory(const char* folder) {
  return Result(mount("tmpfs", folder, "tmpfs", 0, "mode=0755"), folder);
}

absl::Status BringLoopbackUp() {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const absl::Status status = Result(ioctl(socket, SIOCSIFFLAGS, &request), "bring up lo");
  close(socket);
  return status;
}

absl::Status Enter() {
  absl::Status status = LeaveSharedNamespaces();
  if (status.ok()) status = KeepMountsPrivate();
  if (status.ok()) status = MountMemory("/run");
  if (status.ok()) status = MountMemory("/srv");
  if (status.ok()) status = BringLoopbackUp();
  return status;
}

}  // namespace

absl::Status EnterPrivateMachine() {
  static const absl::Status* const status = new absl::Status(Enter());
  return *status;
}

}  // namespace support
