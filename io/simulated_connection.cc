// Tested by tests/io/simulated_transport_test.cc.
#include "io/simulated_connection.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

namespace io {

namespace {

absl::Duration TimeToSend(size_t bytes, double bytes_per_second) {
  if (std::isinf(bytes_per_second)) return absl::ZeroDuration();
  return absl::Seconds(static_cast<double>(bytes) / bytes_per_second);
}

}  // namespace

SimulatedConnection::SimulatedConnection(SimulatedNetwork& network, const Address& address,
                                         uint16_t client_port)
    : network_(network),
      link_(network.LinkTo(address)),
      address_(address),
      client_port_(client_port) {
  Transmit(kToPeer, 0, [this] { OnSyn(); });
}

void SimulatedConnection::OnSyn() {
  if (client_closed_) return;
  const SimulatedNetwork::MakePeer* listener = network_.ListenerAt(address_);
  const int outcome = listener != nullptr ? 0 : ECONNREFUSED;
  Transmit(kToClient, 0, [this, outcome] {
    connect_outcome_ = outcome;
    last_heard_ = network_.now();
  });
  if (listener == nullptr) return;
  peer_ = (*listener)();
  peer_->OnConnected(*this);
}

void SimulatedConnection::Transmit(Direction direction, size_t bytes,
                                   std::function<void()> arrive) {
  const LinkPolicy& policy = link_.policy;
  absl::Time& free_at = link_.free_at[direction];
  free_at = std::max(free_at, network_.now()) + TimeToSend(bytes, policy.bytes_per_second);
  const absl::Time sent = direction == kToClient ? PassWindow(free_at, bytes) : free_at;
  network_.At(sent + policy.delay, [this, arrive = std::move(arrive)] {
    is_lost_ |= !link_.policy.answers;
    if (!is_lost_) arrive();
  });
}

absl::Time SimulatedConnection::PassWindow(absl::Time at, size_t bytes) {
  if (receive_window() == 0) return at;
  const double windows = static_cast<double>(bytes) / static_cast<double>(receive_window());
  window_free_at_ = std::max(window_free_at_, at) + windows * 2 * link_.policy.delay;
  return window_free_at_;
}

void SimulatedConnection::TransmitBytes(
    Direction direction, std::span<const std::byte> bytes,
    const std::function<void(std::span<const std::byte>)>& arrive) {
  while (!bytes.empty()) {
    const auto segment = bytes.first(std::min(bytes.size(), link_.policy.segment_bytes));
    bytes = bytes.subspan(segment.size());
    Transmit(direction, segment.size(),
             [arrive, copy = std::vector(segment.begin(), segment.end())] { arrive(copy); });
  }
}

void SimulatedConnection::Send(std::span<const std::byte> bytes) {
  if (peer_closed_) return;
  TransmitBytes(kToClient, bytes, [this](std::span<const std::byte> segment) {
    if (client_closed_) return;
    arrived_.insert(arrived_.end(), segment.begin(), segment.end());
    received_ += segment.size();
    last_heard_ = network_.now();
  });
}

void SimulatedConnection::EndStream(int error) {
  if (std::exchange(peer_closed_, true)) return;
  Transmit(kToClient, 0, [this, error] {
    ended_ = true;
    error_ = error;
  });
}

void SimulatedConnection::OnPeerBytes(std::span<const std::byte> bytes) {
  if (peer_closed_) {
    Transmit(kToClient, 0, [this] {
      ended_ = true;
      error_ = ECONNRESET;
    });
    return;
  }
  if (!peer_->TakesLater()) Taken(bytes.size());
  peer_->OnBytes(bytes);
}

void SimulatedConnection::Taken(size_t bytes) {
  Transmit(kToClient, 0, [this, bytes] { under_way_ -= bytes; });
}

size_t SimulatedConnection::ClientSend(std::span<const std::byte> bytes) {
  const size_t room = link_.policy.window_bytes - std::min(link_.policy.window_bytes, under_way_);
  const auto taken = bytes.first(std::min(room, bytes.size()));
  under_way_ += taken.size();
  TransmitBytes(kToPeer, taken, [this](auto segment) { OnPeerBytes(segment); });
  return taken.size();
}

size_t SimulatedConnection::ClientReceive(std::span<std::byte> into) {
  const size_t size = std::min(into.size(), arrived_.size() - taken_);
  std::copy_n(arrived_.begin() + static_cast<ptrdiff_t>(taken_), size, into.begin());
  taken_ += size;
  if (taken_ == arrived_.size()) {
    arrived_.clear();
    taken_ = 0;
  }
  return size;
}

void SimulatedConnection::ClientClose() {
  client_closed_ = true;
  Transmit(kToPeer, 0, [this] {
    if (peer_ != nullptr) peer_->OnClosed();
  });
}

}  // namespace io
