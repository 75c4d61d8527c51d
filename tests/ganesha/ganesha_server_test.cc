// The real server does what the tests that stand on it take for granted. Needs nothing
// of ours: when this fails, the machine is to blame and not the client.
#include "tests/ganesha/ganesha_server.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/subprocess.h"

namespace ganesha {
namespace {

using ::testing::HasSubstr;

class GaneshaServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const absl::Status machine = PrepareMachine();
    if (!machine.ok()) GTEST_SKIP() << "no real server here: " << machine;
  }
};

TEST_F(GaneshaServerTest, StartsStopsAndStartsAgain) {
  GaneshaServer server({.exports = {{.path = "/srv/x/y"}, {.path = "/srv/other"}}});
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = server.Start();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(server.running());
    server.Stop();
    EXPECT_FALSE(server.running());
  }
}

TEST_F(GaneshaServerTest, StartsAgainAfterItWasKilled) {
  GaneshaServer server({.exports = {{.path = "/srv/x/y"}}});
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = server.Start();
    ASSERT_TRUE(status.ok()) << status;
    server.Kill();
  }
}

TEST_F(GaneshaServerTest, SaysWhyItCannotStart) {
  GaneshaServer server({.exports = {{.path = "/srv/x", .squash = "No_Such_Squash"}}});
  const absl::Status status = server.Start();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("No_Such_Squash"));
}

TEST_F(GaneshaServerTest, AnswersNothingWhileItIsFrozen) {
  GaneshaServer server({.exports = {{.path = "/srv/x/y"}}});
  ASSERT_TRUE(server.Start().ok());
  const std::vector<std::string> list = {support::FindProgram("showmount"), "-e", "127.0.0.1"};
  server.Freeze();
  EXPECT_TRUE(support::RunProgram({.argv = list, .time_limit = absl::Milliseconds(200)}).timed_out);
  server.Thaw();
  EXPECT_EQ(support::RunProgram({.argv = list}).exit_status, 0);
}

}  // namespace
}  // namespace ganesha
