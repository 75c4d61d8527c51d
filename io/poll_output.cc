// Tested by tests/io/output_contract_test.cc and tests/io/kernel_output_test.cc.
#include "io/poll_output.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <string>

#include "absl/strings/str_cat.h"
#include "io/errno_status.h"

namespace io {

namespace {

// O_NONBLOCK belongs to the open file description, which we share with who knows whom
// (a shell, and all that it started on this terminal). Opening the pipe or terminal
// once more makes a description that is ours alone. Not kept for longer than a write:
// the reader of a pipe waits until the last of its writers is closed.
UniqueFd Reopen(int fd) {
  const std::string path = absl::StrCat("/proc/self/fd/", fd);
  return UniqueFd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

bool IsPipeOrTerminal(int fd, const struct stat& about) {
  return S_ISFIFO(about.st_mode) || (S_ISCHR(about.st_mode) && isatty(fd) != 0);
}

}  // namespace

void PollOutput::Start(int fd, std::span<const std::byte> bytes) {
  assert(!active_);
  active_ = true;
  fd_ = fd;
  bytes_ = bytes;
  written_ = 0;
  way_ = bytes.empty() ? Way::kJustWait : ChooseWay(fd);
  ready_ = way_ != Way::kLittleByLittle && way_ != Way::kJustWait;
}

PollOutput::Way PollOutput::ChooseWay(int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0) return Way::kPlain;  // write() will say why
  if (S_ISSOCK(about.st_mode)) return Way::kSend;
  if (!IsPipeOrTerminal(fd, about)) return Way::kPlain;
  if ((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0) return Way::kNonBlocking;
  own_ = Reopen(fd);
  return own_.get() >= 0 ? Way::kNonBlocking : Way::kLittleByLittle;
}

std::optional<Event> PollOutput::Attempt() {
  if (active_ && ready_ && way_ == Way::kJustWait) return End(0);
  while (active_ && ready_) {
    const ssize_t size = WriteSome(bytes_.subspan(written_));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      ready_ = false;
      break;
    }
    if (size <= 0) return End(size < 0 ? errno : EIO);
    written_ += static_cast<size_t>(size);
    if (written_ == bytes_.size() || way_ == Way::kPlain) return End(0);
    ready_ = way_ != Way::kLittleByLittle;
  }
  return std::nullopt;
}

ssize_t PollOutput::WriteSome(std::span<const std::byte> bytes) {
  switch (way_) {
    case Way::kSend: return send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    case Way::kNonBlocking: return write(target(), bytes.data(), bytes.size());
    // A blocking write of up to PIPE_BUF bytes does not block once there is room.
    case Way::kLittleByLittle:
      return write(fd_, bytes.data(), std::min<size_t>(bytes.size(), PIPE_BUF));
    case Way::kJustWait:
    case Way::kPlain: break;
  }
  return write(fd_, bytes.data(), bytes.size());
}

Event PollOutput::End(int error) {
  active_ = false;
  own_.Reset();
  Event event;
  event.kind = Event::Kind::kWritten;
  event.bytes = written_;
  // After some bytes the error will be met again by the next write.
  if (written_ == 0 && error != 0) event.status = OutputError(error);
  return event;
}

}  // namespace io
