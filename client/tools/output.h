// Where nfscat writes to.
#ifndef CLIENT_TOOLS_OUTPUT_H_
#define CLIENT_TOOLS_OUTPUT_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "io/transport.h"

namespace nfs {

// One piece at a time goes out through the transport, so that a slow reader of a pipe
// does not hold up the receiving. Thread-compatible.
class Output {
 public:
  static Output StandardOutput() { return Output(1, "standard output", /*owned=*/false); }
  // Creates or empties `path`.
  static absl::StatusOr<Output> ToFile(const std::string& path);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  int fd() const { return fd_; }
  const std::string& name() const { return name_; }
  bool busy() const { return !left_.empty() || awaits_room_; }

  // REQUIRES: !busy(). `bytes` stay where they are until busy() is false again.
  void Start(io::Transport& transport, std::span<const std::byte> bytes);
  // Is busy until a pipe has room for some bytes. REQUIRES: !busy().
  void AwaitRoom(io::Transport& transport);
  // Makes a pipe hold as much as the machine lets us, so that each side finds more to do at
  // a time.
  void Enlarge();
  // The transport's write has ended; begins the next if some bytes are left.
  void OnWritten(io::Transport& transport, const io::Event& event);

  // Something else that writes to fd() has failed.
  void Fail(const absl::Status& status);

  // Why not everything could be written; FailedPrecondition when the pipe's reader is
  // gone. Afterwards it is not busy.
  const absl::Status& status() const { return status_; }
  bool reader_gone() const { return reader_gone_; }

  // Closes a file, which some file systems need to tell of a full disk.
  absl::Status Close();

 private:
  Output(int fd, std::string name, bool owned) : fd_(fd), name_(std::move(name)), owned_(owned) {}
  void StartWrite(io::Transport& transport);

  int fd_;
  std::string name_;
  bool owned_;
  std::span<const std::byte> left_;
  bool awaits_room_ = false;
  absl::Status status_;
  bool reader_gone_ = false;
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_OUTPUT_H_
