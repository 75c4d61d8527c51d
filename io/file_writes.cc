// Tested by tests/io/output_contract_test.cc.
#include "io/file_writes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cassert>
#include <cerrno>

#include "io/errno_status.h"

namespace io {

bool TakesWritesAt(int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_APPEND) == 0;
}

void FileWrites::Begin(WriteTag tag, const Write& write) {
  assert(tag < kMostWritesAt && writes_[tag].bytes.empty() && !write.bytes.empty());
  writes_[tag] = write;
  ++under_way_;
}

const FileWrites::Write& FileWrites::Get(WriteTag tag) const {
  assert(!writes_[tag].bytes.empty());
  return writes_[tag];
}

Event FileWrites::End(WriteTag tag, ssize_t result) {
  assert(!writes_[tag].bytes.empty());
  writes_[tag] = {};
  --under_way_;
  Event event;
  event.kind = Event::Kind::kWrittenAt;
  event.tag = tag;
  if (result > 0) event.bytes = static_cast<size_t>(result);
  if (result <= 0) event.status = OutputError(result < 0 ? static_cast<int>(-result) : EIO);
  return event;
}

}  // namespace io
