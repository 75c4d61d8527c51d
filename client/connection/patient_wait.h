// How often, and when, to ask again what the server cannot answer yet: NFS3ERR_JUKEBOX,
// a file that is still on a tape (RFC 1813, section 2.6). Pure.
#ifndef CLIENT_CONNECTION_PATIENT_WAIT_H_
#define CLIENT_CONNECTION_PATIENT_WAIT_H_

#include <algorithm>
#include <optional>

#include "absl/time/time.h"

namespace nfs {

// Doubling waits, from `shortest` to `longest`, `patience` in all. A value: copied freely.
class PatientWait {
 public:
  PatientWait(absl::Duration shortest, absl::Duration longest, absl::Duration patience)
      : next_(shortest), longest_(longest), patience_(patience) {}

  // How long to wait before the next attempt; nothing when patience is at its end.
  std::optional<absl::Duration> Next() {
    if (patience_ <= absl::ZeroDuration()) return std::nullopt;
    const absl::Duration wait = next_;
    patience_ -= wait;
    next_ = std::min(2 * next_, longest_);
    return wait;
  }

 private:
  absl::Duration next_;
  absl::Duration longest_;
  absl::Duration patience_;
};

// As NFS clients use to: 1, 2, 4, 5, 5... seconds.
inline PatientWait JukeboxWait(absl::Duration patience) {
  return PatientWait(absl::Seconds(1), absl::Seconds(5), patience);
}

}  // namespace nfs

#endif  // CLIENT_CONNECTION_PATIENT_WAIT_H_
