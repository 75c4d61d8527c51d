// What the kernel says of a TCP connection.
#include "io/tcp_state.h"

#include "gtest/gtest.h"

namespace io {
namespace {

TEST(InspectSocket, OfOneThatIsNotConnectedKnowsNothing) {
  const absl::Time now = absl::FromUnixSeconds(1'000'000'000);
  const ConnectionState none = InspectSocket(-1, now);
  EXPECT_EQ(none.source_port, 0);
  EXPECT_EQ(none.last_heard, absl::InfinitePast());
}

TEST(EnlargeReceiveBuffer, OfOneThatIsNotThereIsNot) {
  EXPECT_FALSE(EnlargeReceiveBuffer(-1, 1 << 20));
}

}  // namespace
}  // namespace io
