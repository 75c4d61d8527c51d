// What this process has cost.
#ifndef CLIENT_TOOLS_CPU_TIME_H_
#define CLIENT_TOOLS_CPU_TIME_H_

#include <sys/resource.h>

#include "absl/time/time.h"

namespace nfs {

// What it has computed, and the kernel for it.
inline absl::Duration CpuTime() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
}

}  // namespace nfs

#endif  // CLIENT_TOOLS_CPU_TIME_H_
