#include "tests/ganesha/interrupted_stream.h"

#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/ganesha/nfscat_site.h"
#include "tests/support/pattern_file.h"

namespace ganesha {
namespace {

constexpr uint64_t kIslands = uint64_t{8} << 20;

support::Command StreamCommand(const std::string& path, std::vector<std::string> options) {
  options.push_back(Url(path));
  support::Command command = NfscatCommand(options);
  command.keep_output = false;
  return command;
}

}  // namespace

void WriteInterruptedFile(const std::string& path) {
  support::WriteSparsePatternFile(path, kInterruptedSize, kIslands - 4096);
}

InterruptedStream::InterruptedStream(const std::string& path,
                                     const std::vector<std::string>& options)
    : nfscat_(StreamCommand(path, options)), in_the_middle_(nfscat_.AwaitOutput(kMiddle)) {}

bool InterruptedStream::AwaitRecovery(const std::string& after) {
  const absl::Time begin = absl::Now();
  if (!nfscat_.AwaitOutput(taken_ + 1)) return false;
  const int64_t milliseconds = absl::ToInt64Milliseconds(absl::Now() - begin);
  ::testing::Test::RecordProperty(absl::StrCat("recovery_ms_", after), milliseconds);
  std::cout << "[ RECOVERY ] " << after << ": " << milliseconds << " ms to the next byte\n";
  return true;
}

}  // namespace ganesha
