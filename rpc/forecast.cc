// Tested by tests/rpc/forecast_test.cc.
#include "rpc/forecast.h"

#include <algorithm>

namespace rpc {

namespace {

// One alone, of large ones: a receive for each costs no more.
constexpr size_t kLeastPayloads = 2;

// So many right guesses, and wrong ones are forgotten.
constexpr int kManyGuesses = 1024;

}  // namespace

Forecast::Forecast(size_t least_bytes) : least_bytes_(least_bytes) {
  payloads_.reserve(Staging::kMostPayloads);
}

// Padding would make for a tail behind the payload, and only the end of a file has it.
bool Forecast::IsForeseeable(const Slot& slot) const {
  const size_t bytes = slot.payload.size();
  return slot.locate != nullptr && !slot.may_divert && bytes >= least_bytes_ && bytes % 4 == 0;
}

bool Forecast::IsPausing(uint64_t misses) {
  if (misses != misses_) {
    misses_ = misses;
    pause_left_ = pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
    guesses_ = 0;
  }
  if (pause_left_ > 0) return --pause_left_ >= 0;
  if (++guesses_ % kManyGuesses == 0) pause_ = kFirstPause;
  return false;
}

Staging::Layout Forecast::Next(const SlotTable& slots, const Slot* at_hand, uint64_t misses) {
  payloads_.clear();
  if (head_bytes_ == 0 || IsPausing(misses)) return {};
  size_t bytes = 0;
  for (const Slot* slot = slots.first_called(); slot != nullptr; slot = slot->after) {
    if (slot == at_hand) continue;
    bytes += slot->payload.size();
    const bool fits = payloads_.size() < Staging::kMostPayloads && bytes <= kMostBytes;
    if (!fits || !IsForeseeable(*slot)) break;
    payloads_.push_back(slot->payload);
  }
  if (payloads_.size() < kLeastPayloads) payloads_.clear();
  return {head_bytes_, payloads_};
}

}  // namespace rpc
