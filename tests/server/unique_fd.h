// A file descriptor with one owner. (io/ has the like; this server is to have nothing in
// common with what it tests but the descriptions of the messages.)
#ifndef TESTS_SERVER_UNIQUE_FD_H_
#define TESTS_SERVER_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace server {

// Closes it at the end. -1: none. Moves like a unique_ptr.
class UniqueFd {
 public:
  explicit UniqueFd(int fd = -1) : fd_(fd) {}
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
  int fd_;
};

}  // namespace server

#endif  // TESTS_SERVER_UNIQUE_FD_H_
