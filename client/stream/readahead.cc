// Tested by tests/client/readahead_test.cc and tests/client/readahead_grid_test.cc.
#include "client/stream/readahead.h"

#include <algorithm>
#include <cmath>

namespace nfs {

namespace {

// The rate has stopped growing when so many rounds have brought less than this.
constexpr double kGrowth = 1.25;
constexpr int kFlatRounds = 3;

// What one trial after the other is measured over.
constexpr uint64_t kMeasuredReads = 64, kMeasuredReadsOfLess = 256, kMostMeasuredReads = 1024;
constexpr uint64_t kSettlingRounds = 2;
constexpr double kMore = 2, kLess = 1 / 1.5;
constexpr double kWorthTrying = 0.8;
constexpr double kHarmful = 0.9;
// A rate that differs by so much from when a trial failed may be that of another path.
constexpr double kOther = 0.3;
// More must bring so much, and less must leave so much.
constexpr double kWorthMore = 1.05, kWorthLess = 0.98;

// How fast the window follows a consumer that takes less, in a round.
constexpr double kFollow = 0.8;

constexpr uint64_t kWaitMore = 2, kWaitLess = 8, kMostWaitRounds = 64;
constexpr absl::Duration kMostWait = absl::Seconds(5);
// A path on which the least window lasts no longer is fast enough for the cache to matter.
constexpr absl::Duration kFast = absl::Milliseconds(4);
constexpr uint64_t kWaitMoreIfFast = 64;

}  // namespace

Readahead::Readahead(const Options& options)
    : options_(options),
      window_(options.least),
      meter_(kMeasuredReads * options.chunk_bytes),
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
  return std::max(Base(), rate() * absl::ToDoubleSeconds(needed_));
}

void Readahead::SetWindow() {
  const auto least = static_cast<double>(options_.least);
  double bytes = is_spread_ ? std::max({kSpread * Knee(), spread_bytes_, least}) : Found();
  if (phase_ == Phase::kOpening) bytes = std::max(bytes, opening_bytes_);
  if (phase_ == Phase::kDraining) bytes = drain_bytes_;
  if (phase_ == Phase::kTryingMore || phase_ == Phase::kTryingLess) bytes = trial_bytes_;
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

Readahead::Limit Readahead::TakeLimit() {
  const auto [window, consumer, other] = stops_;
  stops_ = {};
  if (window > consumer + other) return Limit::kWindow;
  return consumer > window + other ? Limit::kConsumer : Limit::kOther;
}

void Readahead::OnRound(absl::Time now) {
  ++rounds_;
  round_took_ = now - std::min(round_began_, now);
  round_began_ = now;
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

bool Readahead::IsFast() const {
  return static_cast<double>(options_.least) <= rate() * absl::ToDoubleSeconds(kFast);
}

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
    if (!IsFast() || window_ > options_.least) opening_bytes_ = kMore * opened_bytes_;
    return;
  }
  if (++flat_rounds_ < kFlatRounds) return;
  if (opened_bytes_ > Base()) needed_ = absl::Seconds(opened_bytes_ / rate());
  opening_bytes_ = 0;
  needs_more_than_base_ = false;
  wait_less_ = kWaitMore;
  if (IsFast()) wait_more_ = kWaitMoreIfFast;
  if (is_limited) return BeginDrain();
  EnterCruise(now);
}

void Readahead::EnterCruise(absl::Time now) {
  phase_ = Phase::kCruising;
  limited_rounds_ = 0;
  MeasureOver(measured_reads_);
  meter_.Restart(now, delivery_.delivered());
}

void Readahead::Cruise(bool is_limited, absl::Time now) {
  if (!is_limited) {
    // What lies ready is not needed to keep the path full.
    needed_ *= kFollow;
    return EnterCruise(now);
  }
  if (IsRoundTripOld(now)) return BeginDrain();
  if (++limited_rounds_ <= kSettlingRounds) meter_.Restart(now, delivery_.delivered());
  if (std::abs(rate() - rate_tried_) > kOther * rate_tried_) {
    wait_more_ = std::min(wait_more_, IsFast() ? kWaitMoreIfFast : kWaitMore);
    needs_more_than_base_ = false;
    rate_tried_ = rate();
    measured_reads_ = kMeasuredReads;
    MeasureOver(measured_reads_);
  }
  if (!meter_.HasEnough()) return;
  rate_before_ = meter_.rate();
  const bool less_is_due = limited_rounds_ >= wait_less_ && IsWorthTrying(Less());
  const bool more_is_due =
      limited_rounds_ >= wait_more_ && Found() < static_cast<double>(options_.most);
  if (less_is_due && (!more_is_due || wait_less_ <= wait_more_)) {
    return BeginTrial(Phase::kTryingLess, Less());
  }
  if (more_is_due) BeginTrial(Phase::kTryingMore, kMore * Found());
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

// --- Trials --------------------------------------------------------------------------

bool Readahead::IsWorthTrying(double less) const { return less < kWorthTrying * Found(); }

// A smaller window to try: first what the round trip alone says.
double Readahead::Less() const {
  return needs_more_than_base_ ? std::max(Base(), kLess * Found()) : Base();
}

void Readahead::BeginTrial(Phase phase, double bytes) {
  phase_ = phase;
  // What is lost by going below the knee is lost for long.
  const uint64_t least = phase == Phase::kTryingLess ? kMeasuredReadsOfLess : kMeasuredReads;
  MeasureOver(std::max(measured_reads_, least));
  trial_bytes_ = bytes;
  trial_rounds_ = 0;
}

void Readahead::Try(bool is_limited, absl::Time now) {
  if (++trial_rounds_ <= kSettlingRounds) return meter_.Restart(now, delivery_.delivered());
  if (!is_limited) return EnterCruise(now);
  if (meter_.HasEnough() || IsHarmful()) EndTrial(now);
}

// Clearly, so that it need not go on.
bool Readahead::IsHarmful() const {
  return phase_ == Phase::kTryingLess && meter_.bytes() >= kMeasuredReads * options_.chunk_bytes &&
         meter_.rate() < kHarmful * rate_before_;
}

void Readahead::EndTrial(absl::Time now) {
  const bool is_more = phase_ == Phase::kTryingMore;
  const double gain = meter_.rate() / rate_before_;
  const bool holds = gain >= (is_more ? kWorthMore : kWorthLess);
  if (holds) needed_ = absl::Seconds(trial_bytes_ / rate());
  uint64_t& wait = is_more ? wait_more_ : wait_less_;
  wait = holds ? (is_more ? kWaitMore : kWaitLess) : Rarer(wait);
  // Who has just found that more is needed does not try less at once.
  if (is_more && holds) wait_less_ = Rarer(wait_less_);
  if (!is_more && holds) wait_more_ = std::min(wait_more_, kWaitLess);
  if (is_more && !holds) {
    rate_tried_ = rate();
    if (!IsFast()) measured_reads_ = std::min(2 * measured_reads_, kMostMeasuredReads);
  }
  if (!is_more && !holds) needs_more_than_base_ = true;
  if (is_more && gain >= kGrowth) return BeginOpening();
  EnterCruise(now);
}

void Readahead::MeasureOver(uint64_t reads) {
  meter_.set_least_bytes(reads * options_.chunk_bytes);
}

uint64_t Readahead::Rarer(uint64_t wait) const {
  const double rounds = round_took_ > absl::ZeroDuration() ? kMostWait / round_took_ : 0.0;
  const auto most = static_cast<uint64_t>(std::clamp(rounds, double{kMostWaitRounds}, 1e9));
  return std::min(2 * wait, most);
}

}  // namespace nfs
