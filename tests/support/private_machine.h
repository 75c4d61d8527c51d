// A machine of the test's own, as far as servers notice: they may listen on port 111
// and keep files under /run, beside the real ones and beside other tests.
#ifndef TESTS_SUPPORT_PRIVATE_MACHINE_H_
#define TESTS_SUPPORT_PRIVATE_MACHINE_H_

#include "absl/status/status.h"

namespace support {

// Gives the calling thread, and what it starts, a network that has nothing but the
// loopback interface, and mounts of its own: /run and /srv are empty and in memory
// (any file system would do that has file handles, as tmpfs does; the machine's own
// may not). Ends with the process. Needs root: PERMISSION_DENIED otherwise, and
// where a container forbids it. Calls after the first return what the first returned.
absl::Status EnterPrivateMachine();

}  // namespace support

#endif  // TESTS_SUPPORT_PRIVATE_MACHINE_H_
