#include "tests/client/path_model.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace nfs {

std::string PathModel::Describe() const {
  std::string text = absl::StrCat(rtt * 1e3, " ms, ", rate * 8 / 1e6, " Mbit/s");
  if (jitter != 0) absl::StrAppend(&text, ", jitter ", jitter);
  if (slow_start) absl::StrAppend(&text, ", slow start");
  if (receive_window < 1e18) absl::StrAppend(&text, ", receive window ", receive_window);
  if (stall != 0) absl::StrAppend(&text, ", stalls of ", stall, " s in ", stall_every, " READs");
  if (think != 0) absl::StrAppend(&text, ", think ", think * 1e3, " ms");
  if (think_more != 0) absl::StrAppend(&text, ", up to ", think_more * 1e3, " ms more");
  if (tail != 0) absl::StrAppend(&text, ", ", tail, " s more in ", tail_every, " READs");
  if (server_threads < 1 << 20) absl::StrAppend(&text, ", ", server_threads, " server threads");
  if (share_period != 0) absl::StrAppend(&text, ", shared every ", share_period, " s");
  if (consumer != 0) absl::StrAppend(&text, ", consumer of ", consumer / 1e6, " MB/s");
  if (tick != 0) absl::StrAppend(&text, ", ticks of ", tick * 1e3, " ms");
  if (changes_at < 1e18) {
    absl::StrAppend(&text, ", after ", changes_at, " s ", rtt_later * 1e3, " ms, ",
                    rate_later * 8 / 1e6, " Mbit/s");
  }
  return text;
}

namespace {

absl::Time At(double seconds) { return absl::UnixEpoch() + absl::Seconds(seconds); }

}  // namespace

PathOutcome PathRun::Run(uint64_t reads, uint64_t window) {
  window_ = window;
  return Play(reads, 0);
}

PathOutcome PathRun::Run(uint64_t reads, Readahead& readahead, double goal) {
  readahead_ = &readahead;
  return Play(reads, goal);
}

PathOutcome PathRun::Play(uint64_t reads, double goal) {
  reads_ = reads;
  answered_.assign(reads, false);
  taken_at_.assign(reads, 0);
  flights_.resize(reads);
  for (int i = 0; i < std::min(model_.server_threads, 4096); ++i) threads_.push(0);
  Ask();
  while (taken_ < reads_) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    if (now_ >= model_.changes_at) {
      model_.rtt = model_.rtt_later;
      model_.rate = model_.rate_later;
    }
    switch (event.what) {
      case What::kServed: Send(event.at, event.read); break;
      case What::kAnswered: OnAnswer(event.at, event.read); break;
      case What::kTaken: Take(event.at); break;
    }
  }
  return Outcome(goal);
}

double PathRun::RateOfLast(uint64_t reads) const {
  const double took = taken_at_[reads_ - 1] - taken_at_[reads_ - 1 - reads];
  return static_cast<double>(reads * kChunk) / took;
}

PathOutcome PathRun::Outcome(double goal) const {
  PathOutcome outcome;
  outcome.second_half_rate = RateOfLast(reads_ / 2);
  outcome.last_quarter_rate = RateOfLast(reads_ / 4);
  outcome.largest_window = largest_window_;
  outcome.mean_window = window_seconds_ / (window_since_ - second_half_);
  const uint64_t part = std::max<uint64_t>(reads_ / 50, 8);
  for (uint64_t i = part; i < reads_; ++i) {
    const double rate = static_cast<double>(part * kChunk) / (taken_at_[i] - taken_at_[i - part]);
    if (rate < goal) continue;
    outcome.reached_after = taken_at_[i - part];
    break;
  }
  return outcome;
}

// A mixer of bits (splitmix64's), as good as a generator and without its state.
double PathRun::Chance(Dice dice, uint64_t read) const {
  uint64_t x =
      (read << 34 | uint64_t{seed_} << 2 | static_cast<uint64_t>(dice)) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
}

uint64_t PathRun::WindowReads() const {
  const uint64_t bytes = readahead_ != nullptr ? readahead_->window() : window_;
  return std::max<uint64_t>(bytes / kChunk, 1);
}

void PathRun::ObserveWindow() {
  if (taken_ < reads_ / 2) return;
  const uint64_t window = WindowReads() * kChunk;
  if (second_half_ == 0) second_half_ = window_since_ = now_;
  window_seconds_ += static_cast<double>(window) * (now_ - window_since_);
  window_since_ = now_;
  largest_window_ = std::max(largest_window_, window);
}

void PathRun::Ask() {
  ObserveWindow();
  const uint64_t window = WindowReads();
  while (asked_ < reads_ && asked_ - taken_ < window) {
    const uint64_t read = asked_++;
    ++in_flight_;
    if (readahead_ != nullptr) flights_[read] = readahead_->OnAsk(kChunk, At(now_));
    Serve(now_ + model_.rtt / 2, read);
  }
  if (readahead_ == nullptr) return;
  using Limit = Readahead::Limit;
  const bool is_behind = taken_ < next_ && in_flight_ < window / 2;
  readahead_->OnStopped(asked_ == reads_ ? Limit::kOther
                        : is_behind      ? Limit::kConsumer
                                         : Limit::kWindow);
}

void PathRun::Serve(double at, uint64_t read) {
  const double thread = threads_.top();
  threads_.pop();
  double took = model_.think;
  if (model_.think_more != 0) took += model_.think_more * Chance(Dice::kThink, read);
  if (model_.tail != 0 && Chance(Dice::kTail, read) * model_.tail_every < 1) took += model_.tail;
  const double done = std::max(at, thread) + took;
  threads_.push(done);
  Schedule(done, What::kServed, read);
}

// How long the link takes for a reply from then on.
double PathRun::LinkTime(double at) {
  double rate = model_.rate;
  if (model_.share_period != 0 && std::fmod(at / model_.share_period, 2) >= 1) rate /= 2;
  double time = kChunk / rate;
  if (!model_.slow_start && model_.receive_window >= 1e18) return time;
  // In a round trip the congestion window goes out, and has grown by as much.
  const double most = std::min(model_.receive_window, rate * model_.rtt);
  if (!model_.slow_start || congestion_ >= most) return std::max(time, kChunk / most * model_.rtt);
  const double grown = std::min(congestion_ + kChunk, most);
  const double slow = model_.rtt * std::log(grown / congestion_);
  time = std::max(time, slow + (kChunk - (grown - congestion_)) / most * model_.rtt);
  congestion_ = grown;
  return time;
}

void PathRun::Send(double at, uint64_t read) {
  double begin = std::max(at, link_free_);
  if (model_.stall != 0 && Chance(Dice::kStall, read) * model_.stall_every < 1) {
    begin += model_.stall;
  }
  link_free_ = begin + LinkTime(begin);
  double arrival = link_free_ + model_.rtt / 2;
  if (model_.jitter != 0) arrival += model_.jitter * model_.rtt * Chance(Dice::kJitter, read);
  if (model_.tick != 0) arrival = std::ceil(arrival / model_.tick) * model_.tick;
  Schedule(arrival, What::kAnswered, read);
}

void PathRun::OnAnswer(double at, uint64_t read) {
  --in_flight_;
  answered_[read] = true;
  if (readahead_ != nullptr) readahead_->OnAnswer(flights_[read], kChunk, At(at));
  while (next_ < reads_ && answered_[next_]) {
    ++next_;
    if (model_.consumer == 0) {
      taken_at_[taken_++] = at;
      continue;
    }
    consumer_free_ = std::max(consumer_free_, at) + kChunk / model_.consumer;
    Schedule(consumer_free_, What::kTaken, next_ - 1);
  }
  Ask();
}

void PathRun::Take(double at) {
  taken_at_[taken_++] = at;
  Ask();
}

}  // namespace nfs
