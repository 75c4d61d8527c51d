// Tested by tests/client/readahead_test.cc and tests/client/readahead_grid_test.cc.
// A window that has been found, and trials of a larger or a smaller one.
#include <algorithm>
#include <cmath>

#include "client/stream/readahead.h"
#include "client/stream/readahead_numbers.h"

namespace nfs {

namespace {

constexpr uint64_t kMeasuredReadsOfLess = 256, kMostMeasuredReads = 1024;
constexpr uint64_t kSettlingRounds = 2;
constexpr double kLess = 1 / 1.5;
constexpr double kWorthTrying = 0.8;
constexpr double kHarmful = 0.9;
// A rate that differs by so much from when a trial failed may be that of another path.
constexpr double kOther = 0.3;
// More must bring so much, and less must leave so much.
constexpr double kWorthMore = 1.05, kWorthLess = 0.98;
// A window that lasts no longer than a turn of the scheduler meets more of the machine's own noise,
// and may still lie in the cache.
constexpr double kWorthMoreIfShort = 1.1, kWorthLessIfShort = 0.97;
// ... down to this: with less, small READs would be received one by one.
constexpr double kLeastIfFast = 1 << 20;

constexpr uint64_t kMostWaitRounds = 64;
constexpr absl::Duration kMostWait = absl::Seconds(5);

}  // namespace

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
  if (!IsFast()) NoticeOther(rate());
  if (!meter_.HasEnough()) return;
  rate_before_ = meter_.rate();
  if (IsFast()) NoticeOther(rate_before_);
  if (now < rests_until_) return;
  const bool less_is_due = limited_rounds_ >= wait_less_ && IsWorthTrying(Less());
  const bool more_is_due =
      limited_rounds_ >= wait_more_ && Found() < static_cast<double>(options_.most);
  if (less_is_due && (!more_is_due || wait_less_ <= wait_more_)) {
    return BeginTrial(Phase::kTryingLess, Less());
  }
  if (more_is_due) BeginTrial(Phase::kTryingMore, kMore * Found());
}

// What has been found by trials no longer holds then.
void Readahead::NoticeOther(double rate) {
  if (std::abs(rate - rate_tried_) <= kOther * rate_tried_) return;
  wait_more_ = std::min(wait_more_, IsFast() ? kWaitMoreIfFast : kWaitMore);
  needs_more_than_base_ = false;
  rate_tried_ = rate;
  measured_reads_ = kMeasuredReads;
  MeasureOver(measured_reads_);
}

bool Readahead::IsWorthTrying(double less) const { return less < kWorthTrying * Found(); }

// A smaller window to try: first what the round trip alone says, and on a fast path even less.
double Readahead::Less() const {
  if (IsFast() && IsShort(Found()) && Found() <= Base()) {
    return std::max({Found() / kMore, kLeastIfFast, static_cast<double>(options_.chunk_bytes)});
  }
  return needs_more_than_base_ ? std::max(Base(), kLess * Found()) : Base();
}

void Readahead::BeginTrial(Phase phase, double bytes) {
  phase_ = phase;
  // What is lost by going below the knee is lost for long.
  const uint64_t least = phase == Phase::kTryingLess ? kMeasuredReadsOfLess : kMeasuredReads;
  MeasureOver(std::max(measured_reads_, least));
  trial_bytes_ = bytes;
  trial_rounds_ = 0;
  pair_.End();
  if (!IsFast() || !IsShort(std::max(bytes, Found()))) return;
  pair_.Begin();
  meter_.MeasureOver(PairedTrial::kReads * options_.chunk_bytes, PairedTrial::kTime);
}

double Readahead::TrialWindow() const {
  return pair_.is_on() && !pair_.is_of_trial() ? Found() : trial_bytes_;
}

void Readahead::Try(bool is_limited, absl::Time now) {
  if (++trial_rounds_ <= kSettlingRounds) return meter_.Restart(now, delivery_.delivered());
  if (!is_limited) return EnterCruise(now);
  if (pair_.is_on()) return TryBoth(now);
  if (meter_.HasEnough() || IsHarmful()) EndTrial(meter_.rate() / rate_before_, now);
}

void Readahead::TryBoth(absl::Time now) {
  if (!meter_.HasEnough()) return;
  pair_.OnSlice(meter_.bytes(), meter_.elapsed());
  trial_rounds_ = 0;
  if (pair_.IsOver()) EndTrial(pair_.gain(), now);
}

// Clearly, so that it need not go on.
bool Readahead::IsHarmful() const {
  return phase_ == Phase::kTryingLess && meter_.bytes() >= kMeasuredReads * options_.chunk_bytes &&
         meter_.rate() < kHarmful * rate_before_;
}

double Readahead::WorthIt(bool is_more) const {
  if (IsShort(Found())) return is_more ? kWorthMoreIfShort : kWorthLessIfShort;
  return is_more ? kWorthMore : kWorthLess;
}

// As long as the path is fast it may be less than the path itself would seem to need.
void Readahead::Keep(double bytes) {
  enough_ = IsFast() && IsShort(bytes) ? bytes : 0;
  needed_ = absl::Seconds(bytes / rate());
}

void Readahead::EndTrial(double gain, absl::Time now) {
  const bool is_more = phase_ == Phase::kTryingMore;
  const bool holds = gain >= WorthIt(is_more);
  if (holds) Keep(trial_bytes_);
  uint64_t& wait = is_more ? wait_more_ : wait_less_;
  wait = holds ? (is_more ? kWaitMore : kWaitLess) : Rarer(wait);
  // Who has just found that more is needed does not try less at once.
  if (is_more && holds) wait_less_ = Rarer(wait_less_);
  if (!is_more && holds) wait_more_ = std::min(wait_more_, kWaitLess);
  if (pair_.is_on()) rests_until_ = now + pair_.RestAfter(holds);
  if (is_more && !holds) {
    rate_tried_ = IsFast() ? rate_before_ : rate();
    if (!IsFast()) measured_reads_ = std::min(2 * measured_reads_, kMostMeasuredReads);
  }
  if (!is_more && !holds) needs_more_than_base_ = true;
  if (is_more && gain >= kGrowth) return BeginOpening();
  EnterCruise(now);
}

void Readahead::MeasureOver(uint64_t reads) {
  meter_.MeasureOver(reads * options_.chunk_bytes, kMeasuredTime);
}

uint64_t Readahead::Rarer(uint64_t wait) const {
  const double rounds = round_took_ > absl::ZeroDuration() ? kMostWait / round_took_ : 0.0;
  const auto most = static_cast<uint64_t>(std::clamp(rounds, double{kMostWaitRounds}, 1e9));
  return std::min(2 * wait, most);
}

}  // namespace nfs
