// Tested by tests/client/nfscat_output_test.cc.
#include "client/tools/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace nfs {

namespace {

// So much room is taken at a time: on tmpfs it takes milliseconds, during which nothing
// is received.
constexpr uint64_t kRoomAtATime = 16 << 20;
// For less the disk's own ways are good enough.
constexpr uint64_t kWorthTakingRoom = 1 << 20;

}  // namespace

std::optional<OutputFile> OutputFile::Find(io::Transport& transport, int fd,
                                           uint64_t bytes_to_come) {
  if (!transport.CanWriteAt(fd)) return std::nullopt;
  const off_t position = lseek(fd, 0, SEEK_CUR);
  struct stat about;
  if (position < 0 || fstat(fd, &about) != 0 || about.st_size > position) return std::nullopt;
  const auto begin = static_cast<uint64_t>(position);
  const uint64_t most = INT64_MAX - begin;
  if (bytes_to_come < kWorthTakingRoom) bytes_to_come = 0;
  return OutputFile(fd, begin, static_cast<uint64_t>(about.st_size),
                    begin + std::min(bytes_to_come, most));
}

void OutputFile::WillWriteTo(uint64_t end) {
  written_end_ = std::max(written_end_, end);
  if (end <= room_end_ || room_end_ >= expected_end_) return;
  const uint64_t from = room_end_;
  const uint64_t until = std::min(expected_end_, end + kRoomAtATime);
  room_end_ = until;
  const bool taken = fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                               static_cast<off_t>(until - from)) == 0;
  // No such call for this file system, or no room, which the writes will find out.
  if (!taken) expected_end_ = until;
}

void OutputFile::Finish(uint64_t whole) {
  const bool has_more = std::max(written_end_, room_end_) > whole;
  const uint64_t size = whole == begin_ ? size_ : whole;
  // Should it fail, then what is whole is so all the same, and nothing else can be done.
  if (has_more) (void)!ftruncate(fd_, static_cast<off_t>(size));
  (void)lseek(fd_, static_cast<off_t>(whole), SEEK_SET);
}

}  // namespace nfs
