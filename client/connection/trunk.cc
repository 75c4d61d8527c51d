// Tested by tests/client/trunk_test.cc and tests/client/nconnect_test.cc.
#include "client/connection/trunk.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace nfs {

Trunk::Trunk(Pump& pump, std::unique_ptr<Connection> first, Options options)
    : pump_(pump), options_(std::move(options)) {
  members_.push_back({std::move(first)});
}

// --- The turn ------------------------------------------------------------------

void Trunk::Turn(absl::Time until) {
  WatchAway();
  WatchStuck();
  TakeOutClosed();
  TakeOutSurplus();
  DialMissing();
  // Somebody has to ask again before anything else can happen.
  pump_.Turn(orphans_.empty() ? std::min(until, NextTime()) : absl::InfinitePast());
}

void Trunk::DialMissing() {
  if (!LacksSome() || pump_.now() < next_dial_) return;
  while (members_.size() < wanted_) members_.push_back({Dial()});
}

std::unique_ptr<Connection> Trunk::Dial() {
  std::unique_ptr<Connection> connection = options_.dial();
  if (receive_ahead_ != 0) connection->set_receive_ahead(receive_ahead_);
  if (receive_buffer_ != 0) connection->EnlargeReceiveBuffer(receive_buffer_);
  connection->ShareCredentials(*members_.front().connection);
  return connection;
}

void Trunk::WatchAway() {
  const bool others_are_there = HasConnected();
  for (Member& member : members_) {
    Connection& connection = *member.connection;
    const bool is_away = connection.is_away() && others_are_there;
    member.away_since = is_away ? std::min(member.away_since, pump_.now()) : absl::InfiniteFuture();
    if (pump_.now() < member.away_since + kMostAway) continue;
    connection.Close(absl::UnavailableError(
        absl::StrCat("connect: not connected again within ", absl::FormatDuration(kMostAway))));
  }
}

void Trunk::WatchStuck() {
  for (Member& member : members_) {
    if (pump_.now() < StuckAt(member)) continue;
    const absl::Time heard = member.connection->Inspect().last_heard;
    member.not_stuck_before = heard + MostSilence();
    if (pump_.now() < member.not_stuck_before) continue;
    const std::string patience = absl::FormatDuration(MostSilence());
    // It may be the server that takes its time for these.
    stuck_after_ *= 2;
    return member.connection->Close(absl::UnavailableError(
        absl::StrCat("recv: nothing came for ", patience, ", and on others there did")));
  }
}

// All the others may be served first, several times.
absl::Duration Trunk::MostSilence() const {
  constexpr int kTimes = 8;
  return std::max(stuck_after_, kTimes * static_cast<int>(members_.size()) * between_answers_);
}

void Trunk::CountAnswer() {
  ++answers_;
  for (Member& member : members_) {
    if (answers_ == member.its_turn_at) member.not_stuck_before = pump_.now() + MostSilence();
  }
}

// On a slow path it is behind what others were asked for before.
void Trunk::Queue(Member& member) const {
  if (members_.size() == 1) return;
  const int own = member.connection->calls_in_flight();
  member.its_turn_at = answers_ + static_cast<uint64_t>(std::max(calls_in_flight() - own, 0));
}

// When it has owed replies for too long, while another has none to give, or gives them.
absl::Time Trunk::StuckAt(const Member& member) const {
  const Connection& connection = *member.connection;
  const bool owes = connection.connected() && connection.calls_in_flight() != 0;
  if (!owes || answers_ < member.its_turn_at) return absl::InfiniteFuture();
  const bool others_get_on = std::ranges::any_of(members_, [&](const Member& candidate) {
    const Connection& other = *candidate.connection;
    if (&other == &connection || !other.connected()) return false;
    if (other.calls_in_flight() == 0) return other.waiting_since() > connection.waiting_since();
    return other.waiting_since() > pump_.now() - MostSilence() / 2;
  });
  if (!others_get_on) return absl::InfiniteFuture();
  return std::max(connection.waiting_since() + MostSilence(), member.not_stuck_before);
}

absl::Time Trunk::NextTime() const {
  const bool shall_dial = LacksSome() && calls_in_flight() != 0;
  absl::Time next = shall_dial ? next_dial_ : absl::InfiniteFuture();
  for (const Member& member : members_) {
    next = std::min({next, member.away_since + kMostAway, StuckAt(member)});
  }
  return next;
}

// --- Calls and replies -----------------------------------------------------------

size_t Trunk::Pick() const {
  size_t picked = kNone;
  for (size_t i = 0; i < members_.size(); ++i) {
    const size_t member = (next_ + i) % members_.size();
    const Connection& connection = *members_[member].connection;
    if (!connection.established() || !connection.CanCall() || IsReluctant(member)) continue;
    if (picked == kNone || Load(members_[member]) < Load(members_[picked])) picked = member;
  }
  // What waits for a slot is sooner through than what waits for a connection.
  const bool is_away = picked != kNone && members_[picked].connection->is_away();
  return is_away && HasConnected() ? kNone : picked;
}

bool Trunk::HasConnectedBefore(size_t end) const {
  const auto wanted = std::span(members_).first(std::min(end, members_.size()));
  return std::ranges::any_of(wanted,
                             [](const Member& member) { return member.connection->connected(); });
}

std::optional<rpc::Reply> Trunk::NextReply() {
  for (; receiving_ < members_.size(); ++receiving_) {
    std::optional<rpc::Reply> reply = members_[receiving_].connection->NextReply();
    if (!reply.has_value()) continue;
    Member& member = members_[receiving_];
    member.was_idle |= member.connection->calls_in_flight() == 0;
    CountAnswer();
    Queue(member);
    if (last_reply_ != absl::InfinitePast()) {
      between_answers_ += (pump_.now() - last_reply_ - between_answers_) / 8;
    }
    last_reply_ = pump_.now();
    orphaned_since_ = absl::InfiniteFuture();
    return reply;
  }
  receiving_ = 0;
  TakeOutClosed();
  return std::nullopt;
}

std::optional<uint64_t> Trunk::NextOrphan() {
  if (orphans_.empty()) return std::nullopt;
  const uint64_t tag = orphans_.back();
  orphans_.pop_back();
  return tag;
}

// --- Connections that end ----------------------------------------------------------

void Trunk::TakeOutClosed() {
  for (size_t i = members_.size(); i-- > 0 && status_.ok();) {
    const Connection& connection = *members_[i].connection;
    if (connection.status().ok()) continue;
    if (MayGoOnWithout(connection)) {
      TakeOut(i);
    } else {
      status_ = connection.status();
    }
  }
}

bool Trunk::MayGoOnWithout(const Connection& closed) const {
  const absl::Status& why = closed.status();
  if (absl::IsDataLoss(why)) return false;
  // Of those that end at the same time, one with calls has to say why.
  if (closed.calls_in_flight() == 0) return members_.size() > 1;
  if (!HasOther(closed)) return false;
  if (!absl::IsDeadlineExceeded(why)) return true;
  // Of a call that gets no reply while others on its connection do, it is the server
  // that is to blame; and so it is when none gets any anywhere.
  const bool was_mute = pump_.now() >= closed.waiting_since() + closed.patience();
  return was_mute && last_reply_ > closed.waiting_since();
}

bool Trunk::HasOther(const Connection& connection) const {
  return std::ranges::any_of(members_, [&](const Member& member) {
    const Connection& other = *member.connection;
    return &other != &connection && other.established() && other.status().ok();
  });
}

void Trunk::TakeOut(size_t member) {
  Connection& closed = *members_[member].connection;
  if (closed.calls_in_flight() != 0) {
    closed.ForEachInFlight([this](uint64_t tag) { orphans_.push_back(tag); });
    orphaned_since_ = std::max(closed.waiting_since(), last_reply_);
  }
  taken_out_ += closed.counters();
  next_dial_ = pump_.now() + kRedialPause;
  const absl::Status why = closed.status();
  members_.erase(members_.begin() + static_cast<ptrdiff_t>(member));
  if (options_.note == nullptr) return;
  options_.note(absl::StrCat("a connection is given up, ", members_.size(),
                             members_.size() == 1 ? " is" : " are", " left: ", why.message()));
}

// --- All of them ---------------------------------------------------------------------

int Trunk::calls_in_flight() const {
  int calls = 0;
  for (const Member& member : members_) calls += member.connection->calls_in_flight();
  return calls;
}

int Trunk::connected() const {
  return static_cast<int>(std::ranges::count_if(
      members_, [](const Member& member) { return member.connection->connected(); }));
}

void Trunk::set_receive_ahead(size_t bytes) {
  receive_ahead_ = bytes;
  for (const Member& member : members_) member.connection->set_receive_ahead(bytes);
}

void Trunk::RenewCredentials() {
  for (const Member& member : members_) member.connection->RenewCredentials();
}

void Trunk::AbandonCalls() {
  orphans_.clear();
  orphaned_since_ = absl::InfiniteFuture();
  for (const Member& member : members_) member.connection->AbandonCalls();
}

Connection::Counters Trunk::counters() const {
  Connection::Counters counters = taken_out_;
  for (const Member& member : members_) counters += member.connection->counters();
  return counters;
}

Connection& Trunk::lead() const {
  const auto found = std::ranges::find_if(
      members_, [](const Member& member) { return member.connection->connected(); });
  return found == members_.end() ? *members_.front().connection : *found->connection;
}

}  // namespace nfs
