// The write of the poll transport: one at a time, to whatever the output may be.
#ifndef IO_POLL_OUTPUT_H_
#define IO_POLL_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/transport.h"
#include "io/unique_fd.h"

namespace io {

// Does not block while the reader of a pipe, terminal or socket is slow; does block as
// long as a disk or other device takes. Thread-compatible.
class PollOutput {
 public:
  // As Transport::StartWrite. REQUIRES: !active().
  void Start(int fd, std::span<const std::byte> bytes);
  bool active() const { return active_; }

  // What has to become writable before Attempt() can get on; -1 for nothing.
  int waits_for() const { return active_ && !ready_ ? target() : -1; }
  void OnWritable() { ready_ = true; }

  // Writes what can be written now. Gives the kWritten event at the end of the write:
  // all bytes, or as many as went before an error, or the error.
  std::optional<Event> Attempt();

 private:
  enum class Way : uint8_t {
    kPlain,           // a file or device: write and be done
    kSend,            // a socket: MSG_DONTWAIT
    kNonBlocking,     // a pipe or terminal, by an open file description that does not block
    kLittleByLittle,  // the same, where we have none: a few bytes whenever there is room
    kJustWait,        // no bytes: until there is room
  };

  Way ChooseWay(int fd);
  int target() const { return own_.get() >= 0 ? own_.get() : fd_; }
  ssize_t WriteSome(std::span<const std::byte> bytes);
  Event End(int error);

  bool active_ = false;
  bool ready_ = false;
  Way way_ = Way::kPlain;
  int fd_ = -1;
  UniqueFd own_;  // the same pipe or terminal, opened once more
  std::span<const std::byte> bytes_;
  size_t written_ = 0;  // of bytes_
};

}  // namespace io

#endif  // IO_POLL_OUTPUT_H_
