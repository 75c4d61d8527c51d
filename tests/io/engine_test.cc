// Which transport a program gets, and what it is told when io_uring is not to be had.
#include "io/engine.h"

#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/io/child.h"

namespace io {
namespace {

using testing::HasSubstr;

bool HasUring() { return MakeTransport(Engine::kUring).ok(); }

// What MakeTransport() does where io_uring_setup fails with `error`.
void ExpectFallback(int error, const std::string& told) {
  ASSERT_TRUE(BlockSystemCall(SYS_io_uring_setup, error));
  std::string why;
  const auto chosen = MakeTransport(Engine::kAuto, &why);
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  EXPECT_STREQ((*chosen)->name(), "poll");
  EXPECT_THAT(why, HasSubstr(told));
  const absl::Status refusal = MakeTransport(Engine::kUring).status();
  EXPECT_EQ(refusal.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(refusal.message()), why);
}

TEST(Engine, AutoIsUringWhereThereIsUring) {
  if (!HasUring()) GTEST_SKIP() << "NOT TESTED here: " << MakeTransport(Engine::kUring).status();
  std::string why;
  const auto chosen = MakeTransport(Engine::kAuto, &why);
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  EXPECT_STREQ((*chosen)->name(), "uring");
  EXPECT_EQ(why, "");
}

TEST(Engine, PollIsPoll) {
  const auto chosen = MakeTransport(Engine::kPoll);
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  EXPECT_STREQ((*chosen)->name(), "poll");
}

TEST(Engine, FallsBackWhereAContainerForbidsUring) {
  ExpectPassesInChild([] {
    ExpectFallback(EPERM, "io_uring_setup: EPERM (1): Operation not permitted; the sysctl ");
  });
}

TEST(Engine, FallsBackWhereTheKernelHasNoUring) {
  ExpectPassesInChild([] {
    ExpectFallback(ENOSYS, "io_uring_setup: ENOSYS (38): Function not implemented; a newer ");
  });
}

TEST(Engine, FallsBackWhereLockedMemoryIsShort) {
  ExpectPassesInChild([] {
    ExpectFallback(ENOMEM, "io_uring_setup: ENOMEM (12): Cannot allocate memory; raise ");
  });
}

// The probe of the operations is refused: as good as a kernel without them.
TEST(Engine, FallsBackWhereOperationsAreMissing) {
  if (!HasUring()) GTEST_SKIP() << "NOT TESTED here: " << MakeTransport(Engine::kUring).status();
  ExpectPassesInChild([] {
    ASSERT_TRUE(BlockSystemCall(SYS_io_uring_register, EINVAL));
    std::string why;
    const auto chosen = MakeTransport(Engine::kAuto, &why);
    ASSERT_TRUE(chosen.ok()) << chosen.status();
    EXPECT_STREQ((*chosen)->name(), "poll");
    EXPECT_THAT(why, HasSubstr("does not have operation"));
  });
}

TEST(Engine, FailsWhereThereAreNoFileDescriptors) {
  ExpectPassesInChild([] {
    const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_EQ(MakeTransport(Engine::kAuto).status().code(), absl::StatusCode::kResourceExhausted);
  });
}

}  // namespace
}  // namespace io
