// Tested by tests/client/readahead_test.cc and tests/client/readahead_grid_test.cc.
// What one READ alone takes, and how it is found out while many are in flight.
#include <algorithm>

#include "client/stream/readahead.h"

namespace nfs {

namespace {

// A round trip that has not been seen for so long may have become another.
constexpr absl::Duration kOld = absl::Seconds(10);
constexpr uint64_t kOldRounds = 30;
// What comes within so much of the least confirms it.
constexpr double kAlmost = 1.05;
// Below the knee, so that nothing waits, and not so far that it costs much.
constexpr double kDrained = 0.75;
// With so much of the rate left the window was above the knee.
constexpr double kUnharmed = 0.9;

}  // namespace

void Readahead::ObserveRoundTrip(absl::Duration took, absl::Time now) {
  least_took_lately_ = std::min(least_took_lately_, took);
  if (took <= kAlmost * least_took_) KeepRoundTrip(std::min(took, least_took_), now);
}

void Readahead::KeepRoundTrip(absl::Duration took, absl::Time now) {
  least_took_ = took;
  least_seen_ = now;
  least_seen_round_ = rounds_;
}

bool Readahead::IsRoundTripOld(absl::Time now) const {
  return now - least_seen_ > kOld && rounds_ - least_seen_round_ > kOldRounds;
}

void Readahead::BeginDrain() {
  if (phase_ != Phase::kDraining) {
    drain_bytes_ = Knee();
    rate_before_ = meter_.HasEnough() ? meter_.rate() : rate();
  }
  phase_ = Phase::kDraining;
  drain_bytes_ *= kDrained;
  // Two of them would wait for each other.
  if (drain_bytes_ < 2.0 * options_.chunk_bytes) drain_bytes_ = options_.chunk_bytes;
  is_drained_ = false;
  first_answer_ = absl::InfiniteFuture();
  drained_took_ = absl::InfiniteDuration();
}

void Readahead::Drain(const Flight& flight, absl::Time now) {
  if (!is_drained_ || flight.asked < drained_at_) return;
  // What was asked for after the first of them was answered is the next round's.
  if (flight.asked >= first_answer_) return EndDrain(now);
  first_answer_ = std::min(first_answer_, now);
  drained_took_ = std::min(drained_took_, now - flight.asked);
}

void Readahead::EndDrain(absl::Time now) {
  const double seconds = absl::ToDoubleSeconds(now - drained_at_);
  const auto delivered = static_cast<double>(delivery_.delivered() - drained_from_);
  const bool was_above = seconds > 0 && delivered >= kUnharmed * rate() * seconds;
  // One that did not come back may be a stall, so it may be at most twice as long as it was.
  KeepRoundTrip(std::min(drained_took_, 2 * least_took_), now);
  if (was_above && drain_bytes_ >= 2.0 * options_.chunk_bytes) return BeginDrain();
  // The opening has gone on until it brought no more, and so too far. Little is in flight now.
  const bool has_opened = !needs_more_than_base_ && rate_before_ > 0;
  EnterCruise(now);
  if (has_opened && IsWorthTrying(Base())) BeginTrial(Phase::kTryingLess, Base());
}

}  // namespace nfs
