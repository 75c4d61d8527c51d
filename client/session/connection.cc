// Tested by tests/client/connection_test.cc.
#include "client/session/connection.h"

#include <cassert>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/errors.h"

namespace nfs {

Connection::Connection(Pump& pump, const rpc::Channel::Options& options)
    : pump_(pump), channel_(options) {
  pump_.Add(this);
}

Connection::~Connection() {
  Close(absl::CancelledError("closed"));
  pump_.Remove(this);
}

void Connection::StartConnect(const io::Address& address, const io::ConnectOptions& options) {
  assert(state_ == State::kIdle);
  address_ = address;
  absl::StatusOr<io::ConnectionId> id = pump_.transport().Connect(address, options);
  if (!id.ok()) return Close(id.status());
  transport_id_ = *id;
  has_transport_id_ = true;
  state_ = State::kConnecting;
}

void Connection::StartTransfers() {
  if (!connected()) return;
  if (!sending_) {
    const std::span<const std::byte> bytes = channel_.SendBytes();
    if (!bytes.empty()) {
      sending_ = true;
      pump_.transport().StartSend(transport_id_, bytes);
    }
  }
  if (!receiving_) {
    receiving_ = true;
    const rpc::ReceiveSpans spans = channel_.GetReceiveSpans();
    pump_.transport().StartReceive(transport_id_, {spans.first, spans.second, spans.promised});
  }
}

void Connection::Apply(const io::Event& event) {
  if (!event.status.ok()) return Close(event.status);
  switch (event.kind) {
    case io::Event::Kind::kConnected: state_ = State::kConnected; break;
    case io::Event::Kind::kSent:
      sending_ = false;
      channel_.OnSent(event.bytes);
      break;
    case io::Event::Kind::kReceived:
      receiving_ = false;
      channel_.OnReceived(event.bytes);
      break;
    case io::Event::Kind::kWritten: break;
  }
}

std::optional<rpc::Reply> Connection::NextReply() {
  if (!connected()) return std::nullopt;
  std::optional<rpc::Reply> reply = channel_.NextReply();
  if (!channel_.status().ok()) Close(channel_.status());
  return reply;
}

absl::Time Connection::NextDeadline() const {
  return connected() ? channel_.NextDeadline() : absl::InfiniteFuture();
}

void Connection::OnTimeout(absl::Time now) {
  if (!connected()) return;
  channel_.OnTimeout(now);
  if (!channel_.status().ok()) Close(channel_.status());
}

std::string Connection::server() const { return absl::StrCat(" [", address_.ToString(), "]"); }

// Errors of the channel do not know the server, those of the transport name it.
absl::Status Connection::NamingServer(const absl::Status& status) const {
  return absl::EndsWith(status.message(), server()) ? status : Append(status, server());
}

void Connection::Close(const absl::Status& why) {
  if (has_transport_id_) pump_.transport().Close(transport_id_);
  has_transport_id_ = false;
  if (state_ != State::kClosed) status_ = NamingServer(why);
  state_ = State::kClosed;
}

}  // namespace nfs
