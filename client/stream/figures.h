// Figures in words, as sentences for people have them.
#ifndef CLIENT_STREAM_FIGURES_H_
#define CLIENT_STREAM_FIGURES_H_

#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace nfs {

// "12.3 ms"
inline std::string InMilliseconds(absl::Duration duration) {
  return absl::StrFormat("%.3g ms", absl::ToDoubleMilliseconds(duration));
}

// "87 %", of a share from 0 to 1.
inline std::string InPercent(double share) { return absl::StrFormat("%.0f %%", 100 * share); }

}  // namespace nfs

#endif  // CLIENT_STREAM_FIGURES_H_
