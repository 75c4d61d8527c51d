// Tested by tests/server/simulated_server_test.cc.
#include "tests/server/simulated_server.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tests/server/server_connection.h"

namespace server {

namespace {

class ServerEnd;

}  // namespace

// Where it listens, and who is connected.
struct SimulatedPlaces : std::enable_shared_from_this<SimulatedPlaces> {
  struct Place {
    io::Address address;
    Programs programs;
  };

  SimulatedPlaces(Server& server, io::SimulatedNetwork& simulated)
      : served(server), network(simulated) {}

  void ListenAt(const Place& place);
  void Refuse(const Place& place, absl::Duration how_long);
  void ResetAll();

  Server& served;
  io::SimulatedNetwork& network;
  std::vector<Place> places;
  bool stopped = false;
  std::set<ServerEnd*> peers;  // that are connected
};

namespace {

// The server's end of one connection.
class ServerEnd final : public io::SimulatedPeer {
 public:
  using State = SimulatedPlaces;

  ServerEnd(std::shared_ptr<State> state, State::Place place)
      : state_(std::move(state)), place_(std::move(place)) {}
  ~ServerEnd() override { state_->peers.erase(this); }

  void OnConnected(io::SimulatedSocket& socket) override {
    if (state_->stopped) return socket.Reset();
    socket_ = &socket;
    state_->peers.insert(this);
    // The one client that this network has.
    const Peer peer = {.source_port = socket.client_port(), .address = "127.0.0.1"};
    connection_.emplace(state_->served, place_.programs, peer, state_->network.now());
    Turn();
  }

  bool TakesLater() const override { return true; }
  void OnBytes(std::span<const std::byte> bytes) override {
    if (!connection_) return;
    arrived_.insert(arrived_.end(), bytes.begin(), bytes.end());
    Turn();
  }

  void OnClosed() override { Forget(); }

  void Reset() {
    socket_->Reset();
    Forget();
  }

 private:
  void Forget() {
    connection_.reset();
    state_->peers.erase(this);
  }

  // As much of what has arrived as the server takes now.
  void TakeArrived() {
    const absl::Time now = state_->network.now();
    size_t taken = 0;
    while (taken < arrived_.size() && connection_->CanReceive(now)) {
      const std::span<std::byte> into = connection_->GetReceiveSpan();
      const size_t size = std::min(arrived_.size() - taken, into.size());
      std::memcpy(into.data(), arrived_.data() + taken, size);
      connection_->OnReceived(size, now);
      taken += size;
    }
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<ptrdiff_t>(taken));
    if (taken != 0) socket_->Taken(taken);
  }

  void Turn() {
    if (!connection_) return;
    TakeArrived();
    SendAll();
    const Verdict verdict = connection_->verdict();
    if (verdict.kind != Verdict::Kind::kOpen) return End(verdict);
    const absl::Time next = connection_->NextTime();
    if (next == absl::InfiniteFuture() || next >= woken_at_) return;
    woken_at_ = next;
    state_->network.At(next, [this] {
      woken_at_ = absl::InfiniteFuture();
      Turn();
    });
  }

  void SendAll() {
    const absl::Time now = state_->network.now();
    for (;;) {
      const std::vector<xdr::ByteView> parts = connection_->Sendable(now);
      if (parts.empty()) return;
      size_t size = 0;
      for (xdr::ByteView part : parts) {
        socket_->Send(part);
        size += part.size();
      }
      connection_->OnSent(size, now);
    }
  }

  void End(const Verdict& verdict) {
    if (verdict.kind == Verdict::Kind::kFin) socket_->Close();
    if (verdict.kind == Verdict::Kind::kReset) socket_->Reset();
    Forget();
    if (verdict.refuse > absl::ZeroDuration()) state_->Refuse(place_, verdict.refuse);
  }

  const std::shared_ptr<State> state_;
  const State::Place place_;
  io::SimulatedSocket* socket_ = nullptr;
  std::vector<std::byte> arrived_;  // and was not taken yet
  std::optional<ServerConnection> connection_;
  absl::Time woken_at_ = absl::InfiniteFuture();
};

}  // namespace

void SimulatedPlaces::ListenAt(const Place& place) {
  network.Listen(place.address, [state = weak_from_this(), place] {
    return std::make_unique<ServerEnd>(state.lock(), place);
  });
}

void SimulatedPlaces::Refuse(const Place& place, absl::Duration how_long) {
  network.StopListening(place.address);
  network.After(how_long, [state = weak_from_this(), place] {
    const std::shared_ptr<SimulatedPlaces> self = state.lock();
    if (self && !self->stopped) self->ListenAt(place);
  });
}

void SimulatedPlaces::ResetAll() {
  const std::set<ServerEnd*> connected = peers;  // Reset() takes each one out
  for (ServerEnd* peer : connected) peer->Reset();
}

SimulatedServer::SimulatedServer(Server& served, io::SimulatedNetwork& network)
    : state_(std::make_shared<SimulatedPlaces>(served, network)) {}

SimulatedServer::~SimulatedServer() { Stop(); }

void SimulatedServer::Listen(const io::Address& address, const Programs& programs) {
  state_->places.push_back({address, programs});
  state_->ListenAt(state_->places.back());
}

void SimulatedServer::Stop() {
  if (std::exchange(state_->stopped, true)) return;
  for (const SimulatedPlaces::Place& place : state_->places)
    state_->network.StopListening(place.address);
  state_->ResetAll();
}

void SimulatedServer::Start() {
  state_->served.Boot();
  state_->stopped = false;
  for (const SimulatedPlaces::Place& place : state_->places) state_->ListenAt(place);
}

}  // namespace server
