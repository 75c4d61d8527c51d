// A file descriptor with one owner.
#ifndef IO_UNIQUE_FD_H_
#define IO_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace io {

// Closes it at the end. -1: none. Moves like a unique_ptr.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    other.Reset();
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  void Reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace io

#endif  // IO_UNIQUE_FD_H_
