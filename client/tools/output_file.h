// A regular file that bytes are put into at their offsets, before those that belong in
// front of them have come.
#ifndef CLIENT_TOOLS_OUTPUT_FILE_H_
#define CLIENT_TOOLS_OUTPUT_FILE_H_

#include <cstdint>
#include <optional>

#include "io/transport.h"

namespace nfs {

// It begins where the file's position is, with nothing behind it, and ends in Finish(),
// so that in the end there are no holes that look like data. A value; the file
// descriptor is the caller's.
class OutputFile {
 public:
  // Nothing when `fd` is to be written in order: it is no such file, has its writes put at
  // its end, or has bytes behind the position, which are not ours to cut.
  // `bytes_to_come`: how much will be written, as far as is known.
  static std::optional<OutputFile> Find(io::Transport& transport, int fd, uint64_t bytes_to_come);

  int fd() const { return fd_; }
  // Where in the file the first byte goes.
  uint64_t begin() const { return begin_; }

  // To be told before every write, by the end of it; takes room on the disk for some more
  // than that, where that can be had.
  void WillWriteTo(uint64_t end);
  // Everything before `whole` has been written, and no write is under way: that is where
  // the file ends from now on, and its position.
  void Finish(uint64_t whole);

 private:
  OutputFile(int fd, uint64_t begin, uint64_t size, uint64_t expected_end)
      : fd_(fd), begin_(begin), size_(size), expected_end_(expected_end), room_end_(begin) {}

  int fd_;
  uint64_t begin_;
  uint64_t size_;          // before anything was written: begin_ or less
  uint64_t expected_end_;  // no room is taken beyond it
  uint64_t room_end_;      // of the room that was taken
  uint64_t written_end_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_OUTPUT_FILE_H_
