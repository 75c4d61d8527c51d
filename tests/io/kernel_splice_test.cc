// Splices where the kernel has its own ideas.
#include <sys/syscall.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/engine.h"
#include "tests/io/child.h"
#include "tests/io/harness.h"

namespace io {
namespace {

Event Await(Transport& transport, Event::Kind kind) {
  for (;;) {
    for (const Event& event : transport.Wait(absl::InfiniteFuture()).events) {
      if (event.kind == kind) return event;
    }
  }
}

// In a child, with this transport and no splice(2): what becomes of one.
void WithoutSplice(Engine engine, int error) {
  absl::StatusOr<std::unique_ptr<Transport>> transport = MakeTransport(engine);
  ASSERT_TRUE(transport.ok()) << transport.status();
  const std::unique_ptr<Harness> harness = MakeKernelHarness(*std::move(transport));
  if (!BlockSystemCall(SYS_splice, error)) return;
  Transport& blocked = harness->transport();
  const int fd = harness->OpenPipe();
  EXPECT_TRUE(blocked.CanSplice(fd).ok());
  const auto id = blocked.Connect(harness->Serve({{{Step::Kind::kSend, "text"}}}), {});
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_TRUE(Await(blocked, Event::Kind::kConnected).status.ok());
  blocked.StartSplice(*id, fd, 4);
  const Event event = Await(blocked, Event::Kind::kSpliced);
  EXPECT_TRUE(event.status.ok()) << event.status;
  EXPECT_EQ(event.bytes, 0u);
  EXPECT_EQ(event.output, OutputState::kRefuses);
  const absl::Status can = blocked.CanSplice(fd);
  EXPECT_EQ(can.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(can.message()), testing::StartsWith("splice: E"));
}

TEST(KernelSplice, ThatIsBlockedRefusesAndIsNotTriedAgain) {
  ExpectPassesInChild([] { WithoutSplice(Engine::kPoll, ENOSYS); });
  ExpectPassesInChild([] { WithoutSplice(Engine::kAuto, EINVAL); });
}

}  // namespace
}  // namespace io
