// Tested by tests/io/simulated_transport_test.cc and tests/io/transport_contract_test.cc.
#include "io/simulated_transport.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "io/errno_status.h"

namespace io {

namespace {

// Nobody turns a pump so often at one instant of time for a good reason.
constexpr int kMostWaitsAtATime = 200'000;

}  // namespace

SimulatedTransport::~SimulatedTransport() {
  connections_.ForEach([this](ConnectionId id, Connection&) { Close(id); });
  if (write_.active) Unpoison(write_.bytes);
  for (const Write& write : writes_at_) {
    if (write.active) Unpoison(write.bytes);
  }
}

absl::StatusOr<ConnectionId> SimulatedTransport::Connect(const Address& address,
                                                         const ConnectOptions& options) {
  if (options.source_port == SourcePort::kReserved && !network_.privileged()) {
    return SocketError("bind to a port below 1024", EACCES, address);
  }
  const std::optional<ConnectionId> id = connections_.Take();
  if (!id.has_value()) return TooManyConnections();
  Connection& connection = connections_.Get(*id);
  connection.address = address;
  connection.end = &network_.Connect(address, NextPort(options.source_port));
  return *id;
}

size_t SimulatedTransport::open_connections() {
  size_t count = 0;
  connections_.ForEach([&](ConnectionId, Connection&) { ++count; });
  return count;
}

uint16_t SimulatedTransport::NextPort(SourcePort source_port) {
  if (source_port != SourcePort::kAny && network_.privileged()) {
    return static_cast<uint16_t>(1023 - reserved_ports_used_++ % 359);
  }
  return static_cast<uint16_t>(32768 + other_ports_used_++ % 28232);
}

void SimulatedTransport::StartReceive(ConnectionId id, const ReceiveInto& into) {
  Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.receiving && into.IsValid());
  connection.receiving = true;
  connection.into = into;
  connection.lent_to_fill.clear();
  into.ForEach([&connection](std::span<std::byte> span) {
    connection.lent_to_fill.push_back(LentMemory::ToFill(span));
    Poison(span);
  });
}

void SimulatedTransport::StartSend(ConnectionId id, std::span<const std::byte> bytes) {
  Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.sending && !bytes.empty());
  connection.sending = true;
  connection.bytes = bytes;
  connection.lent_to_send = LentMemory::ToSend(bytes);
  Poison(bytes);
}

size_t SimulatedTransport::SendNow(ConnectionId id, std::span<const std::byte> bytes) {
  const Connection& connection = connections_.Get(id);
  assert(!connection.connecting && !connection.sending && !bytes.empty());
  SimulatedConnection& end = *connection.end;
  return end.link().sends_at_once && end.error() == 0 ? end.ClientSend(bytes) : 0;
}

ConnectionState SimulatedTransport::Inspect(ConnectionId id) {
  const SimulatedConnection& end = *connections_.Get(id).end;
  return {.source_port = end.client_port(),
          .last_heard = end.last_heard(),
          .round_trip = 2 * end.link().delay,
          .recent_round_trip = 2 * end.link().delay,
          .received = end.received(),
          .receive_window = end.receive_window()};
}

bool SimulatedTransport::EnlargeReceiveBuffer(ConnectionId id, size_t bytes) {
  if (!network_.privileged()) return false;
  connections_.Get(id).end->set_receive_window(bytes / 2);
  return true;
}

void SimulatedTransport::Close(ConnectionId id) {
  Connection& connection = connections_.Get(id);
  if (connection.receiving) EndReceive(connection);
  if (connection.sending) EndSend(connection);
  if (splice_.connection == id) StopSplice();
  connection.end->ClientClose();
  std::erase_if(gathered_, [id](const Event& event) {
    return !event.is_of_output() && event.connection == id;
  });
  connections_.Release(id);
}

Turn SimulatedTransport::Wait(absl::Time until) {
  CountWait();
  while (network_.RunNext(Now())) {
  }
  Settle();
  const auto keeps_waiting = [this] { return gathered_.empty() && !woken_; };
  while (keeps_waiting() && network_.RunNext(until)) Settle();
  if (keeps_waiting()) {
    if (until == absl::InfiniteFuture()) {
      Stop(Trouble::kNothingToCome, "Wait() for ever, and nothing will ever happen");
    }
    network_.AdvanceTo(until);
  }
  woken_ = false;
  given_.clear();
  std::swap(given_, gathered_);
  return {Now(), given_};
}

void SimulatedTransport::CountWait() {
  if (std::exchange(last_wait_, Now()) != Now()) waits_at_a_time_ = 0;
  if (++waits_at_a_time_ > kMostWaitsAtATime) {
    Stop(Trouble::kStandsStill, "Wait() again and again, and the time stands still");
  }
}

void SimulatedTransport::Report(Trouble trouble, const char* text) {
  if (on_trouble_) return on_trouble_(trouble, text);
  std::fprintf(stderr, "SimulatedTransport: %s\n", text);
  std::abort();
}

void SimulatedTransport::Stop(Trouble trouble, const char* text) {
  Report(trouble, text);
  std::abort();
}

void SimulatedTransport::Settle() {
  connections_.ForEach([this](ConnectionId id, Connection& connection) {
    if (connection.connecting) SettleConnect(id, connection);
    if (connection.receiving) SettleReceive(id, connection);
    if (connection.sending) SettleSend(id, connection);
  });
  SettleWrites();
  if (splice_.active) SettleSplice();
}

void SimulatedTransport::SettleConnect(ConnectionId id, Connection& connection) {
  const std::optional<int> outcome = connection.end->connect_outcome();
  if (!outcome.has_value()) return;
  connection.connecting = false;
  absl::Status status;
  if (*outcome != 0) status = SocketError("connect", *outcome, connection.address);
  AddEvent(Event::Kind::kConnected, id, 0, std::move(status));
}

void SimulatedTransport::SettleReceive(ConnectionId id, Connection& connection) {
  SimulatedConnection& end = *connection.end;
  if (!end.HasArrived() && !end.HasEnded()) return;
  EndReceive(connection);
  size_t left = end.link().max_receive;
  size_t size = 0;
  connection.into.ForEach([&](std::span<std::byte> span) {
    const size_t part = end.ClientReceive(span.first(std::min(span.size(), left)));
    left = part == span.size() ? left - part : 0;
    size += part;
  });
  absl::Status status;
  if (size == 0 && end.error() == 0) status = PeerClosed(connection.address);
  if (size == 0 && end.error() != 0) status = SocketError("recv", end.error(), connection.address);
  AddEvent(Event::Kind::kReceived, id, size, std::move(status));
}

void SimulatedTransport::SettleSend(ConnectionId id, Connection& connection) {
  SimulatedConnection& end = *connection.end;
  Unpoison(connection.bytes);
  const int error = end.error();
  const size_t size = error == 0 ? end.ClientSend(connection.bytes) : 0;
  if (size == 0 && error == 0) return Poison(connection.bytes);
  EndSend(connection);
  absl::Status status;
  if (error != 0) status = SocketError("send", error, connection.address);
  AddEvent(Event::Kind::kSent, id, size, std::move(status));
}

void SimulatedTransport::EndReceive(Connection& connection) {
  connection.receiving = false;
  connection.into.ForEach([](std::span<std::byte> span) { Unpoison(span); });
  for (LentMemory& lent : connection.lent_to_fill) {
    if (!lent.GiveBack()) Report(Trouble::kMemoryTouched, "memory to receive into was touched");
  }
}

void SimulatedTransport::EndSend(Connection& connection) {
  connection.sending = false;
  Unpoison(connection.bytes);
  if (connection.lent_to_send.GiveBack()) return;
  Report(Trouble::kMemoryTouched, "memory that is being sent was touched");
}

void SimulatedTransport::AddEvent(Event::Kind kind, ConnectionId id, size_t bytes,
                                  absl::Status status) {
  gathered_.push_back(
      {.kind = kind, .connection = id, .status = std::move(status), .bytes = bytes});
}

}  // namespace io
