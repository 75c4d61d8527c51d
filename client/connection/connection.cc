// Tested by tests/client/connection_test.cc and tests/client/reconnect_test.cc.
#include "client/connection/connection.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/errors.h"

namespace nfs {

Connection::Connection(Pump& pump, ServerAddresses& addresses, const Options& options)
    : pump_(pump),
      addresses_(addresses),
      options_(options),
      channel_(options.channel),
      retry_delay_(options.seed),
      address_(addresses.list().front().WithPort(options.port)) {
  pump_.Add(this);
}

Connection::~Connection() {
  Close(absl::CancelledError("closed"));
  pump_.Remove(this);
}

// --- The turn ----------------------------------------------------------------

void Connection::StartTransfers() {
  if (!broken_.ok()) Lose(std::exchange(broken_, absl::OkStatus()));
  CheckPatience();  // now that the replies of the turn have been taken
  if (state_ == State::kFirst || (state_ == State::kLost && IsWaiting())) TurnRace();
  DropUnaskedBytes();
  if (!connected()) return;
  if (!sending_) StartSend();
  if (!receiving_ && !splicing_) StartReceiving();
}

void Connection::StartReceiving() {
  if (const std::optional<rpc::Arrival> arrival = channel_.arrival()) {
    if (!is_diverting()) return;  // until its owner has decided
    splicing_ = true;
    return pump_.transport().StartSplice(*transport_id_, *divert_to_, arrival->left);
  }
  receiving_ = true;
  const rpc::ReceiveSpans spans = channel_.GetReceiveSpans();
  pump_.transport().StartReceive(*transport_id_, {.first = spans.first,
                                                  .second = spans.second,
                                                  .promised = spans.promised,
                                                  .more = spans.more,
                                                  .expected = spans.expected});
}

// At once as a rule: who waits for a send is woken by it, and has nothing to do then.
void Connection::StartSend() {
  io::Transport& transport = pump_.transport();
  if (channel_.SendBytes().empty()) return;
  const size_t sent = transport.SendNow(*transport_id_, channel_.SendBytes());
  // The last turn may be long ago, and its time with it: a timer would begin overdue.
  if (sent != 0) channel_.OnSent(sent, transport.Now());
  if (channel_.SendBytes().empty()) return;
  sending_ = true;
  transport.StartSend(*transport_id_, channel_.SendBytes());
}

absl::Time Connection::NextDeadline() const {
  absl::Time next = absl::InfiniteFuture();
  if (race_.has_value()) next = race_->NextTime();
  if (!IsWaiting()) return next;
  if (connected()) next = std::min(next, channel_.NextDeadline());
  if (IsNoticeOwed()) next = std::min(next, QuietAt());
  return std::min(next, waiting_since_ + options_.patience);
}

bool Connection::Owns(io::ConnectionId id) const {
  return id == transport_id_ || (race_.has_value() && race_->Owns(id));
}

void Connection::Apply(const io::Event& event) {
  if (event.kind == io::Event::Kind::kConnected) {
    race_->Apply(event);
    if (const auto winner = race_->TakeWinner()) OnConnected(*winner);
  } else if (!event.status.ok()) {
    if (broken_.ok() && !answered_) ++losses_unanswered_;
    broken_.Update(event.status);
  } else {
    OnTransfer(event);
  }
}

void Connection::OnTransfer(const io::Event& event) {
  if (event.kind == io::Event::Kind::kSent) {
    sending_ = false;
    channel_.OnSent(event.bytes, pump_.now());
  } else if (event.kind == io::Event::Kind::kSpliced) {
    OnSpliced(event);
  } else {
    receiving_ = false;
    last_heard_ = pump_.now();
    channel_.OnReceived(event.bytes);
  }
}

void Connection::OnSpliced(const io::Event& event) {
  splicing_ = false;
  if (event.bytes != 0) last_heard_ = pump_.now();
  channel_.OnDiverted(event.bytes);
  diverted_.bytes += event.bytes;
  diverted_.pipe = event.output;
  const bool goes_on = event.output == io::OutputState::kTakes;
  if (!goes_on || !channel_.arrival().has_value()) divert_to_.reset();
}

// Nobody looks for replies when there are no calls, and who took the last one has not
// looked at what came behind it.
void Connection::DropUnaskedBytes() {
  if (!connected() || calls_in_flight() != 0) return;
  while (channel_.NextReply().has_value()) {
  }
  if (!channel_.status().ok()) Close(channel_.status());
}

// --- Connecting ----------------------------------------------------------------

void Connection::TurnRace() {
  const bool goes_on = state_ == State::kLost;
  if (!race_.has_value()) {
    const AddressRace::Options options = {options_.port, options_.connect, options_.connect_timeout,
                                          goes_on};
    race_.emplace(pump_.transport(), addresses_, retry_delay_, options, pump_.now());
  }
  race_->Turn(pump_.now());
  if (!race_->IsLost()) return;
  addresses_.AskAgain();  // for the next connection, if its owner tries another
  Close(race_->failure());
}

void Connection::OnConnected(const AddressRace::Winner& winner) {
  if (state_ == State::kLost) ++reconnects_;
  if (state_ == State::kFirst) retry_delay_.Reset();  // nothing has been lost so far
  race_.reset();
  state_ = State::kConnected;
  transport_id_ = winner.id;
  address_ = winner.address;
  source_port_ = pump_.transport().Inspect(winner.id).source_port;
  addresses_.Prefer(address_);
  if (receive_buffer_ != 0) EnlargeReceiveBuffer(receive_buffer_);
}

void Connection::Lose(const absl::Status& why) {
  CloseTransport();
  channel_.OnConnectionLost(pump_.now());
  state_ = State::kLost;
  last_loss_ = why;
  if (losses_unanswered_ >= kMostLossesUnanswered) Close(why);
}

void Connection::StopDiverting() {
  if (std::exchange(splicing_, false)) pump_.transport().StopSplice();
  divert_to_.reset();
}

void Connection::CloseTransport() {
  StopDiverting();
  if (transport_id_.has_value()) pump_.transport().Close(*transport_id_);
  transport_id_.reset();
  receiving_ = sending_ = false;
}

void Connection::AbandonCalls() {
  if (!status_.ok() || calls_in_flight() == 0) return;
  broken_ = absl::OkStatus();
  race_.reset();
  CloseTransport();
  channel_.ForgetCalls();
  if (connected()) state_ = State::kLost;
  retry_delay_.Reset();
}

void Connection::Close(const absl::Status& why) {
  if (state_ != State::kClosed) status_ = NamingServer(why);  // which may be the race's own
  state_ = State::kClosed;
  race_.reset();
  CloseTransport();
}

// --- Replies and their absence ---------------------------------------------------

std::optional<rpc::Reply> Connection::NextReply() {
  if (!connected()) return std::nullopt;
  std::optional<rpc::Reply> reply = channel_.NextReply();
  if (!channel_.status().ok()) Close(channel_.status());
  if (reply.has_value()) OnReply();
  return reply;
}

std::optional<rpc::Arrival> Connection::arrival() const {
  return connected() ? channel_.arrival() : std::nullopt;
}

void Connection::Keep() {
  StopDiverting();
  channel_.Keep();
}

void Connection::OnReply() {
  waiting_since_ = pump_.now();
  answered_ = true;
  losses_unanswered_ = 0;
  retry_delay_.Reset();
  if (options_.notice != nullptr) options_.notice->Heard(pump_.now());
}

void Connection::OnTimeout(absl::Time now) {
  if (!IsWaiting()) return;
  const bool is_quiet = IsNoticeOwed() && now >= QuietAt();
  const bool is_overdue = connected() && now >= channel_.NextDeadline();
  if (!broken_.ok() || !(is_quiet || is_overdue)) return;
  // What was just received may have lain there while the process was stopped.
  if (connected() && last_heard_ < now) {
    last_heard_ = std::max(last_heard_, pump_.transport().Inspect(*transport_id_).last_heard);
  }
  if (is_quiet && now >= QuietAt()) options_.notice->Quiet();
  if (is_overdue) CheckOverdue(now);
}

// Counted from the last bytes, not replies: on a slow link a reply may take its time. And
// a server that replies on other connections is not quiet.
absl::Time Connection::QuietAt() const {
  const absl::Time last_sign = std::max(last_heard_, options_.notice->last_reply());
  return std::max(waiting_since_, last_sign) + std::min(kQuiet, options_.channel.timeout);
}

void Connection::CheckPatience() {
  if (!IsWaiting() || pump_.now() < waiting_since_ + options_.patience) return;
  std::string text = absl::StrCat("RPC: no reply within ", absl::FormatDuration(options_.patience));
  const bool has_failed = race_.has_value() && !race_->failure().ok();
  const absl::Status& reason = has_failed ? race_->failure() : last_loss_;
  if (!connected() && !reason.ok()) absl::StrAppend(&text, "; ", reason.message());
  Close(absl::DeadlineExceededError(text));
}

void Connection::CheckOverdue(absl::Time now) {
  const bool is_alive = channel_.OnTimeout(now, last_heard_);
  if (!channel_.status().ok()) return Close(channel_.status());
  if (!is_alive) {
    broken_ = absl::UnavailableError(absl::StrCat(
        "recv: nothing came for ", absl::FormatDuration(options_.channel.timeout), server()));
  }
}

// --- Texts ---------------------------------------------------------------------

io::ConnectionState Connection::Inspect() const {
  return connected() ? pump_.transport().Inspect(*transport_id_) : io::ConnectionState();
}

bool Connection::EnlargeReceiveBuffer(size_t bytes) {
  receive_buffer_ = bytes;
  return connected() && pump_.transport().EnlargeReceiveBuffer(*transport_id_, bytes);
}

std::string Connection::server() const { return absl::StrCat(" [", address_.ToString(), "]"); }

// Errors of the channel do not know the server, those of the transport name it.
absl::Status Connection::NamingServer(const absl::Status& status) const {
  return absl::EndsWith(status.message(), "]") && absl::StrContains(status.message(), " [")
             ? status
             : Append(status, server());
}

Connection::Counters Connection::counters() const {
  const rpc::Channel::Counters& channel = channel_.counters();
  return {reconnects_, channel.retransmissions, channel.unexpected_replies};
}

}  // namespace nfs
