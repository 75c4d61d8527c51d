// When a READ that brought nothing is to be sent again. Pure.
#ifndef CLIENT_STREAM_READ_RETRIES_H_
#define CLIENT_STREAM_READ_RETRIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "client/connection/patient_wait.h"
#include "client/stream/window.h"

namespace nfs {

// Every chunk that is in flight for the window is either in flight on the connection, or
// parked here: until a time, or until somebody releases all of its kind.
//
// Thread-compatible. Allocates at construction only.
class ReadRetries {
 public:
  enum class Until : uint8_t {
    kTime,        // see TakeDue
    kAttributes,  // the file's attributes have been asked for
    kHandle,      // the file has a new handle
  };

  // `patience`: how long a server may say JUKEBOX.
  ReadRetries(uint32_t chunks, absl::Duration patience);

  // The chunk makes progress: whatever was counted for it is forgotten.
  // REQUIRES: it is not parked.
  void Forget(ChunkId chunk);

  // Parks it for the next JUKEBOX wait; false when those have been used up.
  bool ParkForJukebox(ChunkId chunk, absl::Time now);
  // ... after an answer that is in doubt (read again; five times, 3 s in all).
  bool ParkForDoubt(ChunkId chunk, absl::Time now);
  // ... for TakeDue() at once, with other credentials; false when it was so before.
  bool ParkForCredentials(ChunkId chunk);
  // ... until Release(until), or for TakeDue() at once with kTime.
  void Park(ChunkId chunk, Until until);
  // Those that wait for this may be taken now.
  void Release(Until until);
  // It is parked no more. REQUIRES: it is.
  void Unpark(ChunkId chunk);

  bool Has(Until until) const;

  // One that is due, which is not parked any more.
  std::optional<ChunkId> TakeDue(absl::Time now);
  // When TakeDue will have one; InfiniteFuture if never.
  absl::Time NextDue() const;

  // Calls `visit(chunk)` for each that waits for this.
  void ForEach(Until until, auto visit) const {
    for (ChunkId chunk = 0; chunk < reads_.size(); ++chunk) {
      if (reads_[chunk].parked && reads_[chunk].until == until) visit(chunk);
    }
  }

 private:
  struct Read {
    PatientWait jukebox;
    PatientWait doubt;
    bool renewed_credentials = false;
    bool parked = false;
    Until until = Until::kTime;
    absl::Time due;
  };

  bool ParkFor(std::optional<absl::Duration> wait, Read& read, absl::Time now);
  void Park(Read& read, Until until, absl::Time due);

  const Read fresh_;
  std::vector<Read> reads_;  // by chunk
  uint32_t parked_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_READ_RETRIES_H_
