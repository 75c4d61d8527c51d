// Tested by tests/client/widening_test.cc.
#include "client/connection/widening.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nfs {

namespace {

// A trial multiplies the connections by so much.
constexpr int kStep = 4, kStepForLosses = 2;
// The least time from one look to the next.
constexpr absl::Duration kLook = absl::Milliseconds(50);
// Paths shorter than this are full with one connection.
constexpr absl::Duration kShort = absl::Milliseconds(1);
// Of a receive window, what a rate that grows will soon outgrow, and what one that stands
// still is held back by.
constexpr double kSoon = 1.0 / 10, kFull = 0.7;
// ... and how much of it connections that stay make use of.
constexpr double kUsed = 0.6;
// Of the bytes in a round trip: in flight when READs wait, and to come when it is worth it.
constexpr double kWaiting = 1.3, kWorthIt = 20;
// READs in flight, of those that there are slots for, when the slots are all taken.
constexpr double kFullSlots = 0.9;
// A round trip that has become so much longer has a queue in it.
constexpr double kQueue = 1.5;
constexpr absl::Duration kJitter = absl::Milliseconds(5);
// Growth is so much, within so many looks.
constexpr double kGrowth = 1.05;
constexpr int kPatience = 10, kPatienceInTrial = 16, kPatienceWithConsumer = 50,
              kMostTrialLooks = 60;
// What others have to bring to be kept.
constexpr double kGain = 1.1;
constexpr double kFewLosses = 0.5;
constexpr absl::Duration kFirstRest = absl::Seconds(10), kLongestRest = absl::Minutes(10);

// What one connection's receive window lets it carry in a round trip; without end where that is
// not known.
double ReceiveWindow(const Widening::Sight& sight) {
  if (sight.receive_window == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(sight.receive_window);
}

// ... and its slots as well.
double Capacity(const Widening::Sight& sight) {
  return std::min(ReceiveWindow(sight), static_cast<double>(sight.slots));
}

}  // namespace

void Widening::OnLook(const Sight& sight) {
  next_look_ = sight.now + std::max(sight.round_trip, kLook);
  const bool is_first = looked_at_ == absl::InfinitePast();
  if (!is_first && sight.now <= looked_at_) return;
  if (!is_first) Measure(sight);
  looked_at_ = sight.now;
  received_ = sight.received;
  out_of_order_ = sight.out_of_order;
  if (is_first || sight.round_trip < kShort) return;
  phase_ == Phase::kWatching ? Watch(sight) : Try(sight);
}

void Widening::Measure(const Sight& sight) {
  // A connection that ended has taken what it had received with it.
  const uint64_t came = sight.received - std::min(received_, sight.received);
  carried_before_ = carried_;
  carried_ =
      static_cast<double>(came) * absl::FDivDuration(sight.round_trip, sight.now - looked_at_);
  usual_ += (carried_ - usual_) / 4;
  const uint64_t lost = sight.out_of_order - std::min(out_of_order_, sight.out_of_order);
  losses_ = losses_ / 2 + static_cast<double>(lost);
  ++looks_without_growth_;
  if (carried_ < kGrowth * most_carried_) return;
  most_carried_ = carried_;
  looks_without_growth_ = 0;
}

bool Widening::StandsStill() const { return looks_without_growth_ >= kPatience; }

// Or would, if there were slots for them.
bool Widening::ReadsWait(const Sight& sight) const {
  const double slots = static_cast<double>(sight.slots) * sight.connections;
  return static_cast<double>(sight.in_flight) >= std::min(kWaiting * carried_, kFullSlots * slots);
}

bool Widening::IsWorthIt(const Sight& sight) const {
  return ReadsWait(sight) && static_cast<double>(sight.to_come) >= kWorthIt * carried_ &&
         sight.recent_round_trip <= kQueue * sight.round_trip + kJitter;
}

// Those that are still being made have not had their chance.
bool Widening::MayAdd(const Sight& sight) const {
  return wanted_ < most_ && sight.connections >= wanted_ && sight.now >= rests_until_ &&
         IsWorthIt(sight);
}

void Widening::Watch(const Sight& sight) {
  // A consumer that pauses does not make them go, and one that is slow does.
  const int patience = ReadsWait(sight) ? kPatience : kPatienceWithConsumer;
  if (has_widened_ && looks_without_growth_ >= patience) return Settle(sight);
  if (!MayAdd(sight)) return;
  const bool grows = looks_without_growth_ == 0;
  const double share = (grows ? kSoon : kFull) * wanted_;
  if (carried_ >= share * Capacity(sight)) {
    has_widened_ = true;
    needs_larger_windows_ |= carried_ >= share * ReceiveWindow(sight);
    return Widen(kStep);
  }
  if (StandsStill() && losses_ >= kFewLosses) BeginTrial();
}

void Widening::Widen(int times) {
  before_ = wanted_;
  wanted_ = std::min(times * wanted_, most_);
  looks_without_growth_ = 0;
}

// As many stay as what they carry needs windows for.
void Widening::Settle(const Sight& sight) {
  const double needed = std::ceil(usual_ / (kUsed * Capacity(sight)));
  has_widened_ = false;
  if (needed < wanted_) TakeBack(std::max(static_cast<int>(needed), 1), sight.now);
}

void Widening::BeginTrial() {
  phase_ = Phase::kTrying;
  goal_ = kGain * usual_;
  trial_looks_ = 0;
  Widen(kStepForLosses);
}

void Widening::Try(const Sight& sight) {
  ++trial_looks_;
  const bool helps = std::min(carried_, carried_before_) >= goal_;
  if (!helps && looks_without_growth_ < kPatienceInTrial && trial_looks_ < kMostTrialLooks) return;
  phase_ = Phase::kWatching;
  if (!helps) return TakeBack(before_, sight.now);
  rest_ = absl::ZeroDuration();
}

void Widening::TakeBack(int connections, absl::Time now) {
  wanted_ = connections;
  rest_ = std::clamp(4 * rest_, kFirstRest, kLongestRest);
  rests_until_ = now + rest_;
  most_carried_ = carried_;
}

}  // namespace nfs
