// What a stream measures of itself on the way, for client/stream/bottleneck.h to judge.
#ifndef CLIENT_STREAM_STREAM_METER_H_
#define CLIENT_STREAM_STREAM_METER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "client/connection/trunk.h"
#include "client/stream/bottleneck.h"

namespace nfs {

// Thread-compatible. Allocates at construction only. A READ costs no look at a clock.
class StreamMeter {
 public:
  // READs have ids below `most`.
  StreamMeter(uint32_t most, absl::Time now) : asked_(most), began_(now), ended_(now) {}

  void OnAsk(uint32_t id, absl::Time now) { asked_[id] = now; }
  void OnAnswer(uint32_t id, absl::Time now) { service_.Add(now - asked_[id]); }
  // A turn waited from then to then, with so many calls in flight, because of that.
  void OnWaited(Waits why, absl::Time from, absl::Time to, int calls_in_flight);
  // Asks TCP, some times a second.
  void OnTurn(const Trunk& trunk, absl::Time now);

  // All that is known by this.
  void Describe(const Trunk& trunk, StreamFacts& facts) const;

 private:
  std::vector<absl::Time> asked_;  // by id
  const absl::Time began_;
  absl::Time ended_;  // the last turn
  std::array<absl::Duration, kWaitKinds> waited_;
  Durations service_;
  Durations round_trips_;
  absl::Time next_look_ = absl::InfinitePast();
  int slots_peak_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_STREAM_METER_H_
