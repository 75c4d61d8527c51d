// Tested by tests/io/engine_test.cc.
#include "io/engine.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "io/poll_transport.h"
#include "io/uring_transport.h"

namespace io {

namespace {

absl::string_view Advice(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kPermissionDenied:
      return "; the sysctl kernel.io_uring_disabled or the seccomp profile of this container "
             "forbids it";
    case absl::StatusCode::kResourceExhausted:
      return "; raise the limit on locked memory (ulimit -l) or on open files (ulimit -n)";
    case absl::StatusCode::kUnimplemented: return "; a newer kernel has it, or it is blocked here";
    default: return "";
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> MakeTransport(Engine engine,
                                                         std::string* why_not_uring) {
  if (engine == Engine::kPoll) return PollTransport::Make();
  absl::StatusOr<std::unique_ptr<UringTransport>> uring = UringTransport::Make();
  if (uring.ok()) return uring;
  const std::string why = absl::StrCat(uring.status().message(), Advice(uring.status().code()));
  if (engine == Engine::kUring) return absl::FailedPreconditionError(why);
  if (why_not_uring != nullptr) *why_not_uring = why;
  return PollTransport::Make();
}

}  // namespace io
