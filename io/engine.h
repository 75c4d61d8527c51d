// Which transport a program gets.
#ifndef IO_ENGINE_H_
#define IO_ENGINE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "io/transport.h"

namespace io {

enum class Engine : uint8_t {
  kAuto,   // io_uring where the kernel lets us, poll where not
  kUring,  // io_uring or an error
  kPoll,
};

// kAuto never fails for want of io_uring: EPERM and ENOSYS (containers and hardened
// hosts block it), ENOMEM (a low RLIMIT_MEMLOCK) and a kernel without the operations
// we use all give the poll transport. kUring fails there with FailedPrecondition and
// says what would help. `why_not_uring`, if not null, gets the reason for a fallback.
absl::StatusOr<std::unique_ptr<Transport>> MakeTransport(Engine engine,
                                                         std::string* why_not_uring = nullptr);

}  // namespace io

#endif  // IO_ENGINE_H_
