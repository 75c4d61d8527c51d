// Tested by tests/client/readahead_test.cc and tests/client/readahead_grid_test.cc.
#include "client/stream/readahead.h"

#include <algorithm>

#include "client/stream/readahead_numbers.h"

namespace nfs {

namespace {

constexpr int kFlatRounds = 3;
// A path on which the least window lasts no longer is fast enough for the cache to matter.
constexpr absl::Duration kFast = absl::Milliseconds(4);
// Of what has kept READs from going out, from one round to the next.
constexpr double kRemembered = 0.75;

}  // namespace

Readahead::Readahead(const Options& options)
    : options_(options),
      window_(options.least),
      meter_(kMeasuredReads * options.chunk_bytes, kMeasuredTime),
      measured_reads_(kMeasuredReads),
      wait_more_(kWaitMore),
      wait_less_(kWaitLess) {}

absl::Duration Readahead::round_trip() const {
  return least_took_ == absl::InfiniteDuration() ? absl::ZeroDuration() : least_took_;
}

double Readahead::Knee() const { return rate() * absl::ToDoubleSeconds(round_trip()); }

double Readahead::Base() const {
  return std::max(static_cast<double>(options_.least), kHeadRoom * Knee());
}

double Readahead::Found() const {
  if (enough_ > 0 && IsFast()) return enough_;
  return std::max(Base(), rate() * absl::ToDoubleSeconds(needed_));
}

bool Readahead::IsShort(double bytes) const {
  return bytes <= rate() * absl::ToDoubleSeconds(kFast);
}

void Readahead::SetWindow() {
  const auto least = static_cast<double>(options_.least);
  double bytes = is_spread_ ? std::max({kSpread * Knee(), spread_bytes_, least}) : Found();
  if (phase_ == Phase::kOpening) bytes = std::max(bytes, opening_bytes_);
  if (phase_ == Phase::kDraining) bytes = drain_bytes_;
  if (phase_ == Phase::kTryingMore || phase_ == Phase::kTryingLess) bytes = TrialWindow();
  // Not std::clamp: what a drain leaves may be less than the least.
  const auto most = static_cast<double>(std::max(options_.least, options_.most));
  window_ = static_cast<uint64_t>(std::min(bytes, most));
}

// --- Events ----------------------------------------------------------------------

Readahead::Flight Readahead::OnAsk(uint32_t bytes, absl::Time now) {
  if (is_fixed()) return {};
  const Flight flight = delivery_.OnAsk(bytes, now);
  if (phase_ == Phase::kDraining && !is_drained_ &&
      static_cast<double>(delivery_.in_flight()) <=
          std::max<double>(drain_bytes_, options_.chunk_bytes)) {
    is_drained_ = true;
    drained_at_ = now;
    drained_from_ = delivery_.delivered();
  }
  return flight;
}

void Readahead::OnAnswer(const Flight& flight, uint32_t bytes, absl::Time now) {
  if (is_fixed()) return;
  const bool asks_for_less = phase_ == Phase::kDraining || phase_ == Phase::kTryingLess;
  const bool round_ends = delivery_.OnAnswer(flight, bytes, now, !asks_for_less);
  // A READ of less takes less time.
  if (bytes == options_.chunk_bytes) {
    ObserveRoundTrip(now - flight.asked, now);
    if (phase_ == Phase::kDraining) Drain(flight, now);
  }
  if (round_ends) OnRound(now);
  SetWindow();
}

// Over some rounds: few READs make a round of a small window, and chance has a say in what is up
// when the last of them goes out.
Readahead::Limit Readahead::TakeLimit() {
  const auto [window, consumer, other] = stops_;
  for (double& stops : stops_) stops *= kRemembered;
  if (window > consumer + other) return Limit::kWindow;
  return consumer > window + other ? Limit::kConsumer : Limit::kOther;
}

void Readahead::OnRound(absl::Time now) {
  ++rounds_;
  round_took_ = now - std::min(round_began_, now);
  round_began_ = now;
  if (rounds_ == 1) meter_.Restart(now, delivery_.delivered());
  const Limit limit = TakeLimit();
  if (is_spread_) return StaySpread(limit, now);
  const bool is_limited = limit == Limit::kWindow;
  meter_.OnRound(now, delivery_.delivered());
  switch (phase_) {
    case Phase::kOpening: return Open(is_limited, now);
    case Phase::kDraining: return;
    case Phase::kCruising: return Cruise(is_limited, now);
    case Phase::kTryingMore:
    case Phase::kTryingLess: return Try(is_limited, now);
  }
}

bool Readahead::IsFast() const { return IsShort(static_cast<double>(options_.least)); }

void Readahead::BeginOpening() {
  phase_ = Phase::kOpening;
  opened_rate_ = 0;
  flat_rounds_ = 0;
}

// By the round trip alone it would not open where READs take much more than the least.
void Readahead::Open(bool is_limited, absl::Time now) {
  if (is_limited && rate() > kGrowth * opened_rate_) {
    opened_rate_ = rate();
    opened_bytes_ = static_cast<double>(window_);
    flat_rounds_ = 0;
    if (!IsFast() || !IsShort(opened_bytes_)) opening_bytes_ = kMore * opened_bytes_;
    return;
  }
  if (++flat_rounds_ < kFlatRounds) return;
  // A fast path may only have been slow to begin.
  const bool is_needed = opened_bytes_ > Base() && !(IsFast() && IsShort(opened_bytes_));
  if (is_needed) needed_ = absl::Seconds(opened_bytes_ / rate());
  opening_bytes_ = 0;
  needs_more_than_base_ = false;
  wait_less_ = kWaitMore;
  if (IsFast()) wait_more_ = kWaitMoreIfFast;
  if (is_limited) return BeginDrain();
  EnterCruise(now);
}

// --- Several connections ---------------------------------------------------------------

void Readahead::Spread(double times) {
  if (is_fixed()) return;
  spread_bytes_ = std::max(spread_bytes_, times * static_cast<double>(window_));
  is_spread_ = true;
  phase_ = Phase::kCruising;
  SetWindow();
}

void Readahead::Gather() {
  if (!is_spread_) return;
  is_spread_ = false;
  spread_bytes_ = 0;
  BeginOpening();
  SetWindow();
}

void Readahead::StaySpread(Limit limit, absl::Time now) {
  if (limit == Limit::kConsumer) spread_bytes_ *= kFollow;
  if (!IsRoundTripOld(now)) return;
  KeepRoundTrip(least_took_lately_, now);
  least_took_lately_ = absl::InfiniteDuration();
}

}  // namespace nfs
