// Tested by tests/client/nfscat_test.cc.
#include "client/tools/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "io/errno_status.h"

namespace nfs {

namespace {

absl::Status Failed(absl::string_view name, const absl::Status& status) {
  return LocalError(Prepend(absl::StrCat(name, ": "), status));
}

}  // namespace

absl::StatusOr<Output> Output::ToFile(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return Failed(path, io::OutputError("open", errno));
  return Output(fd, path, /*owned=*/true);
}

Output::Output(Output&& other) noexcept
    : fd_(other.fd_),
      name_(std::move(other.name_)),
      owned_(std::exchange(other.owned_, false)),
      left_(other.left_),
      status_(std::move(other.status_)),
      reader_gone_(other.reader_gone_) {}

Output::~Output() {
  if (owned_) close(fd_);
}

void Output::Start(io::Transport& transport, std::span<const std::byte> bytes) {
  left_ = bytes;
  if (busy()) StartWrite(transport);
}

void Output::StartWrite(io::Transport& transport) { transport.StartWrite(fd_, left_); }

void Output::AwaitRoom(io::Transport& transport) {
  awaits_room_ = true;
  transport.StartWrite(fd_, {});
}

void Output::Enlarge() {
  constexpr int kUnprivilegedMost = 1 << 20;  // unless the administrator says otherwise
  if (fcntl(fd_, F_GETPIPE_SZ) < kUnprivilegedMost)
    (void)fcntl(fd_, F_SETPIPE_SZ, kUnprivilegedMost);
}

void Output::OnWritten(io::Transport& transport, const io::Event& event) {
  awaits_room_ = false;
  if (!event.status.ok()) {
    status_ = Failed(name_, event.status);
    reader_gone_ = absl::IsAborted(event.status);
    left_ = {};
    return;
  }
  left_ = left_.subspan(event.bytes);
  if (busy()) StartWrite(transport);
}

void Output::Fail(const absl::Status& status) { status_ = Failed(name_, status); }

absl::Status Output::Close() {
  if (!std::exchange(owned_, false) || close(fd_) == 0) return absl::OkStatus();
  return Failed(name_, io::OutputError("close", errno));
}

}  // namespace nfs
