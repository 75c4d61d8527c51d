// Tested by tests/client/address_race_test.cc.
#include "client/connection/address_race.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace nfs {

AddressRace::AddressRace(io::Transport& transport, ServerAddresses& addresses,
                         RetryDelay& retry_delay, const Options& options, absl::Time now)
    : transport_(transport),
      addresses_(addresses),
      retry_delay_(retry_delay),
      options_(options),
      round_begins_(now + retry_delay.Next()),
      next_start_(round_begins_) {}

AddressRace::~AddressRace() {
  for (const Attempt& attempt : attempts_) transport_.Close(attempt.id);
  if (winner_.has_value()) transport_.Close(winner_->id);
}

void AddressRace::Turn(absl::Time now) {
  if (winner_.has_value()) return;
  EndOverdue(now);
  if (now < round_begins_) return;
  StartDue(now);
  if (!HasStartedAll() || !options_.goes_on) return;
  if (attempts_.empty() || now >= next_start_) BeginNextRound(now);
}

void AddressRace::StartDue(absl::Time now) {
  while (!HasStartedAll() && (attempts_.empty() || now >= next_start_)) {
    Start(addresses_.list()[started_++], now);
    next_start_ = now + (HasStartedAll() ? RetryDelay::kLongest : kStagger);
  }
}

void AddressRace::Start(const io::Address& address, absl::Time now) {
  if (attempts_.size() == kMostAttempts) EndOldest();
  const io::Address to = address.WithPort(options_.port);
  const absl::StatusOr<io::ConnectionId> id = transport_.Connect(to, options_.connect);
  if (id.ok()) {
    attempts_.push_back({*id, to, now + options_.timeout});
  } else {
    failure_ = id.status();
  }
}

void AddressRace::EndOverdue(absl::Time now) {
  while (!attempts_.empty() && attempts_.front().ends <= now) EndOldest();
}

void AddressRace::EndOldest() {
  const Attempt attempt = attempts_.front();
  attempts_.pop_front();
  transport_.Close(attempt.id);
  failure_ = absl::UnavailableError(absl::StrCat("connect: no answer within ",
                                                 absl::FormatDuration(options_.timeout), " [",
                                                 attempt.address.ToString(), "]"));
}

void AddressRace::BeginNextRound(absl::Time now) {
  addresses_.AskAgain();
  started_ = 0;
  round_begins_ = now + (attempts_.empty() ? retry_delay_.Next() : absl::ZeroDuration());
  next_start_ = round_begins_;
  if (now >= round_begins_) StartDue(now);
}

absl::Time AddressRace::NextTime() const {
  if (winner_.has_value()) return absl::InfiniteFuture();
  absl::Time next = attempts_.empty() ? absl::InfiniteFuture() : attempts_.front().ends;
  if (!HasStartedAll() || options_.goes_on) next = std::min(next, next_start_);
  return next;
}

void AddressRace::Apply(const io::Event& event) {
  const auto attempt = std::ranges::find(attempts_, event.connection, &Attempt::id);
  if (event.status.ok() && !winner_.has_value()) {
    winner_ = Winner{attempt->id, attempt->address};
  } else {
    if (!event.status.ok()) failure_ = event.status;
    transport_.Close(attempt->id);
  }
  attempts_.erase(attempt);
}

bool AddressRace::Owns(io::ConnectionId id) const {
  return std::ranges::find(attempts_, id, &Attempt::id) != attempts_.end();
}

std::optional<AddressRace::Winner> AddressRace::TakeWinner() {
  return std::exchange(winner_, std::nullopt);
}

bool AddressRace::IsLost() const {
  return !options_.goes_on && attempts_.empty() && !winner_.has_value() && HasStartedAll();
}

}  // namespace nfs
