// Tested by tests/client/read_retries_test.cc.
#include "client/stream/read_retries.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nfs {

namespace {

// 0.1, 0.2, 0.4, 0.8 and 1.6 s.
PatientWait DoubtWait() {
  return PatientWait(absl::Milliseconds(100), absl::Seconds(5), absl::Milliseconds(3100));
}

}  // namespace

ReadRetries::ReadRetries(uint32_t chunks, absl::Duration patience)
    : fresh_{.jukebox = JukeboxWait(patience), .doubt = DoubtWait(), .due = {}},
      reads_(chunks, fresh_) {}

void ReadRetries::Forget(ChunkId chunk) {
  assert(!reads_[chunk].parked);
  reads_[chunk] = fresh_;
}

bool ReadRetries::ParkForJukebox(ChunkId chunk, absl::Time now) {
  return ParkFor(reads_[chunk].jukebox.Next(), reads_[chunk], now);
}

bool ReadRetries::ParkForDoubt(ChunkId chunk, absl::Time now) {
  return ParkFor(reads_[chunk].doubt.Next(), reads_[chunk], now);
}

bool ReadRetries::ParkForCredentials(ChunkId chunk) {
  if (std::exchange(reads_[chunk].renewed_credentials, true)) return false;
  Park(chunk, Until::kTime);
  return true;
}

bool ReadRetries::ParkFor(std::optional<absl::Duration> wait, Read& read, absl::Time now) {
  if (!wait.has_value()) return false;
  Park(read, Until::kTime, now + *wait);
  return true;
}

void ReadRetries::Park(ChunkId chunk, Until until) {
  Park(reads_[chunk], until, absl::InfinitePast());
}

void ReadRetries::Park(Read& read, Until until, absl::Time due) {
  if (!read.parked) ++parked_;
  read.parked = true;
  read.until = until;
  read.due = due;
}

void ReadRetries::Release(Until until) {
  ForEach(until, [this](ChunkId chunk) { Park(chunk, Until::kTime); });
}

void ReadRetries::Unpark(ChunkId chunk) {
  assert(reads_[chunk].parked);
  reads_[chunk].parked = false;
  --parked_;
}

bool ReadRetries::Has(Until until) const {
  if (parked_ == 0) return false;
  return std::ranges::any_of(
      reads_, [until](const Read& read) { return read.parked && read.until == until; });
}

std::optional<ChunkId> ReadRetries::TakeDue(absl::Time now) {
  if (parked_ == 0) return std::nullopt;
  for (ChunkId chunk = 0; chunk < reads_.size(); ++chunk) {
    Read& read = reads_[chunk];
    if (!read.parked || read.until != Until::kTime || read.due > now) continue;
    Unpark(chunk);
    return chunk;
  }
  return std::nullopt;
}

absl::Time ReadRetries::NextDue() const {
  absl::Time next = absl::InfiniteFuture();
  if (parked_ == 0) return next;
  ForEach(Until::kTime, [&](ChunkId chunk) { next = std::min(next, reads_[chunk].due); });
  return next;
}

}  // namespace nfs
