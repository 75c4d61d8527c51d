// Tested by tests/client/readahead_test.cc.
#include "client/stream/delivery_rate.h"

#include <algorithm>

namespace nfs {

DeliveryRate::Flight DeliveryRate::OnAsk(uint32_t bytes, absl::Time now) {
  // The path was idle, and what was before says nothing of it.
  if (in_flight_ == 0) delivered_at_ = first_asked_ = now;
  in_flight_ += bytes;
  return {now, delivered_at_, first_asked_, delivered_, bytes};
}

bool DeliveryRate::OnAnswer(const Flight& flight, uint32_t bytes, absl::Time now, bool forget) {
  in_flight_ -= flight.bytes;
  delivered_ += bytes;
  delivered_at_ = now;
  first_asked_ = std::max(first_asked_, flight.asked);
  const absl::Duration took =
      std::max(now - flight.delivered_at, flight.asked - flight.first_asked);
  if (took > absl::ZeroDuration()) {
    TakeSample(static_cast<double>(delivered_ - flight.delivered) / absl::ToDoubleSeconds(took));
  }
  if (flight.delivered < round_begins_) return false;
  round_begins_ = delivered_;
  if (forget) ForgetOldest();
  return true;
}

void DeliveryRate::TakeSample(double sample) {
  largest_[round_] = std::max(largest_[round_], sample);
  rate_ = std::max(rate_, sample);
}

void DeliveryRate::ForgetOldest() {
  round_ = (round_ + 1) % kRounds;
  largest_[round_] = 0;
  rate_ = *std::ranges::max_element(largest_);
}

}  // namespace nfs
