#include "tests/bench/syscall_count.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/runfile.h"

namespace bench {
namespace {

std::optional<uint64_t> CountOf(const std::string& calls, const std::string& threads) {
  return CountSyscalls({.argv = {support::Runfile("tests/bench/make_syscalls"), calls, threads}});
}

class SyscallCount : public testing::Test {
 protected:
  void SetUp() override {
    if (!CountOf("0", "0")) GTEST_SKIP() << "NOT TESTED: ptrace(2) is forbidden here";
  }
};

TEST_F(SyscallCount, IsThatOfTheProgram) {
  const auto none = CountOf("0", "0");
  for (int calls : {1, 2, 100}) EXPECT_EQ(CountOf(std::to_string(calls), "0"), *none + calls);
}

TEST_F(SyscallCount, HasThoseOfItsThreadsToo) {
  // What it takes to start and to join a thread may differ from run to run by a futex or two.
  EXPECT_GE(*CountOf("10000", "3"), *CountOf("0", "3") + 30000 - 100);
  EXPECT_LE(*CountOf("10000", "3"), *CountOf("0", "3") + 30000 + 100);
}

TEST_F(SyscallCount, IsNoneWhenTheProgramFails) {
  EXPECT_FALSE(CountSyscalls({.argv = {"/bin/false"}}).has_value());
  EXPECT_FALSE(CountSyscalls({.argv = {"/nowhere/nothing"}}).has_value());
}

TEST_F(SyscallCount, LeavesOtherChildrenAlone) {
  const pid_t other = Start({.argv = {"/bin/true"}});
  EXPECT_TRUE(CountOf("1000", "0").has_value());
  EXPECT_EQ(Await(other).exit_status, 0);
}

}  // namespace
}  // namespace bench
