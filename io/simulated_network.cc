// Tested by tests/io/simulated_transport_test.cc.
#include "io/simulated_network.h"

#include <algorithm>
#include <cassert>

#include "io/simulated_connection.h"

namespace io {

SimulatedNetwork::SimulatedNetwork() : now_(absl::FromUnixSeconds(1'000'000'000)) {}

SimulatedNetwork::~SimulatedNetwork() = default;

void SimulatedNetwork::Listen(const Address& address, MakePeer make_peer) {
  listeners_[address.ToString()] = std::move(make_peer);
}

void SimulatedNetwork::StopListening(const Address& address) {
  listeners_.erase(address.ToString());
}

const SimulatedNetwork::MakePeer* SimulatedNetwork::ListenerAt(const Address& address) const {
  const auto found = listeners_.find(address.ToString());
  return found == listeners_.end() ? nullptr : &found->second;
}

void SimulatedNetwork::SetLink(const Address& address, const LinkPolicy& policy) {
  LinkTo(address).policy = policy;
}

void SimulatedNetwork::At(absl::Time time, std::function<void()> action) {
  actions_.emplace(std::pair(std::max(time, now_), next_action_++), std::move(action));
}

bool SimulatedNetwork::RunNext(absl::Time until) {
  if (actions_.empty() || actions_.begin()->first.first > until) return false;
  now_ = actions_.begin()->first.first;
  while (!actions_.empty() && actions_.begin()->first.first == now_) {
    const auto action = actions_.extract(actions_.begin());
    action.mapped()();
  }
  return true;
}

void SimulatedNetwork::AdvanceTo(absl::Time time) {
  assert(actions_.empty() || actions_.begin()->first.first >= time);
  now_ = std::max(now_, time);
}

SimulatedConnection& SimulatedNetwork::Connect(const Address& address, uint16_t client_port) {
  connections_.push_back(std::make_unique<SimulatedConnection>(*this, address, client_port));
  return *connections_.back();
}

}  // namespace io
