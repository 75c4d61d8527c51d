// A file read over the simulated network, for the cases of this folder.
#ifndef TESTS_CASES_STREAM_CASE_H_
#define TESTS_CASES_STREAM_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/errors.h"
#include "client/options.h"
#include "client/protocol/nfs3.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/simulated_world.h"
#include "tests/server/contents.h"

namespace nfs {

// "/export/file" has the pattern and kSize bytes, and is read 8 KiB at a time, up to
// sixteen READs in flight, a millisecond away.
class StreamCase : public testing::Test {
 protected:
  using Outcome = SimulatedWorld::Outcome;

  static constexpr uint64_t kSize = 300001;
  static constexpr uint32_t kRsize = 8192;

  StreamCase() : world_(absl::Milliseconds(1)) {
    world_.tree().AddFile("/export/file", server::PatternContents(kSize));
    world_.options().rsize = kRsize;
    world_.options().readahead = 16 * kRsize;
  }

  void Rules(const std::string& rules) { ASSERT_TRUE(world_.server().AddRules(rules).ok()); }
  // Instead of those before.
  void OnlyRules(const std::string& rules) {
    world_.server().script().Clear();
    Rules(rules);
  }

  // Reads it and expects all of its bytes, `size` of them.
  Outcome ExpectWhole(uint64_t size = kSize) {
    Outcome outcome = world_.Stream("/export/file");
    EXPECT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_TRUE(outcome.bytes == PatternOf(0, size)) << outcome.bytes.size() << " bytes";
    return outcome;
  }

  // Reads it and expects an error of this kind with these words, and before it nothing
  // but bytes of the file in their order.
  Outcome ExpectError(ErrorKind kind, const std::string& words) {
    Outcome outcome = world_.Stream("/export/file");
    EXPECT_EQ(KindOf(outcome.status), kind) << outcome.status;
    EXPECT_THAT(std::string(outcome.status.message()), testing::HasSubstr(words));
    EXPECT_TRUE(outcome.bytes == PatternOf(0, outcome.bytes.size())) << "not a prefix";
    return outcome;
  }

  std::vector<server::Call> CallsOf(const rpc::Procedure& procedure) {
    return world_.server().log().calls(procedure);
  }
  uint64_t ReadCount() { return world_.server().log().counters().reads; }

  SimulatedWorld world_;
};

}  // namespace nfs

#endif  // TESTS_CASES_STREAM_CASE_H_
