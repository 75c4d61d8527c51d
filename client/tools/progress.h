// The live line on a terminal.
#ifndef CLIENT_TOOLS_PROGRESS_H_
#define CLIENT_TOOLS_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace nfs {

// "  1.25 GiB of 4.00 GiB  31%  812.3 MiB/s", over itself, a few times a second.
class Progress {
 public:
  // Shows nothing unless `shown`. `total` bytes are expected; 0: nobody knows. The line begins
  // with `title`.
  Progress(bool shown, uint64_t total, absl::Time now, std::string title = "");
  // Wipes the line away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(uint64_t bytes, absl::Time now);

  // When it would like to be updated, at the latest; InfiniteFuture if never.
  absl::Time NextUpdate() const { return shown_ ? next_ : absl::InfiniteFuture(); }

  // The line for so many bytes after so long.
  static std::string Line(uint64_t bytes, uint64_t total, absl::Duration elapsed);

 private:
  const bool shown_;
  const uint64_t total_;
  const absl::Time start_;
  const std::string title_;
  absl::Time next_;
  bool drawn_ = false;
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_PROGRESS_H_
