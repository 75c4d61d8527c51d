// nfscat in the middle of a large file, so that something can be done to its server.
//
//   InterruptedStream stream(path, {"--timeo=30"});
//   ASSERT_TRUE(stream.IsInTheMiddle());
//   server().Kill();
//   stream.Take(absl::Seconds(3));
//   ASSERT_TRUE(server().Start().ok());
//   stream.AwaitRecovery("killed");
//   support::Outcome outcome = stream.Finish();
#ifndef TESTS_GANESHA_INTERRUPTED_STREAM_H_
#define TESTS_GANESHA_INTERRUPTED_STREAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/subprocess.h"

namespace ganesha {

// A file of 2 GiB of pattern that takes little memory.
inline constexpr uint64_t kInterruptedSize = uint64_t{2} << 30;
// Where it is interrupted: nfscat runs ahead of us by its window and a pipe, which is
// far less than what is left.
inline constexpr uint64_t kMiddle = uint64_t{500} << 20;

void WriteInterruptedFile(const std::string& path);

class InterruptedStream {
 public:
  // Starts nfscat, and takes its output up to the middle of the file.
  InterruptedStream(const std::string& path, const std::vector<std::string>& options);

  // It runs, and has not come to the end.
  bool IsInTheMiddle() const { return in_the_middle_ && nfscat_.running(); }
  support::Subprocess& nfscat() { return nfscat_; }

  // Takes the output for so long; what has come of the file by then, in bytes.
  uint64_t Take(absl::Duration time) { return taken_ = nfscat_.TakeOutputFor(time); }

  // From now on the server answers: waits for the next byte, and prints and records as a
  // property of the test how long it took. False if nfscat ends before.
  bool AwaitRecovery(const std::string& after);

  // As Subprocess::Finish().
  support::Outcome Finish() { return nfscat_.Finish(); }

 private:
  support::Subprocess nfscat_;
  bool in_the_middle_;
  uint64_t taken_ = kMiddle;
};

}  // namespace ganesha

#endif  // TESTS_GANESHA_INTERRUPTED_STREAM_H_
