#include <cerrno>
#include <utility>

#include "io/simulated_network.h"
#include "io/simulated_transport.h"
#include "tests/io/harness.h"

namespace io {

namespace {

constexpr int kPipe = 100, kFull = 101, kBroken = 102, kFile = 103;

std::string TextOf(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class ScriptedPeer final : public SimulatedPeer {
 public:
  ScriptedPeer(SimulatedNetwork& network, Address address, Script script)
      : network_(network), address_(address), script_(std::move(script)) {}

  void OnConnected(SimulatedSocket& socket) override {
    socket_ = &socket;
    Advance();
  }

  void OnBytes(std::span<const std::byte> bytes) override {
    received_ += TextOf(bytes);
    Advance();
  }

  const std::string& received() const { return received_; }
  uint16_t client_port() const { return socket_->client_port(); }

 private:
  void Advance() {
    while (next_ < script_.size() && !paused_ && Do(script_[next_])) ++next_;
  }

  // Whether the step is done.
  bool Do(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kSend: return SendPiece(step);
      case Step::Kind::kAwait:
        if (received_.size() - awaited_ < step.size) return false;
        awaited_ += step.size;
        return true;
      case Step::Kind::kClose: socket_->Close(); return true;
      case Step::Kind::kReset: socket_->Reset(); return true;
      case Step::Kind::kIgnore: Ignore(); return true;
    }
    return true;
  }

  // Once the client is connected.
  void Ignore() {
    network_.After(absl::Milliseconds(5),
                   [this] { network_.SetLink(address_, {.answers = false}); });
  }

  bool SendPiece(const Step& step) {
    const std::string piece = step.bytes.substr(sent_, step.size);
    socket_->Send(std::as_bytes(std::span(piece)));
    sent_ += piece.size();
    if (sent_ == step.bytes.size()) {
      sent_ = 0;
      return true;
    }
    paused_ = true;
    network_.After(absl::Milliseconds(1), [this] {
      paused_ = false;
      Advance();
    });
    return false;
  }

  SimulatedNetwork& network_;
  const Address address_;
  const Script script_;
  SimulatedSocket* socket_ = nullptr;
  size_t next_ = 0;      // step
  size_t sent_ = 0;      // of its bytes
  bool paused_ = false;  // between two pieces
  size_t awaited_ = 0;   // of received_
  std::string received_;
};

class SimulatedHarness final : public Harness {
 public:
  SimulatedHarness() {
    transport_.output(kPipe).stalled = true;
    transport_.output(kPipe).is_pipe = transport_.output(kBroken).is_pipe = true;
    transport_.output(kFile).is_file = true;
    transport_.output(kFull).error = ENOSPC;
    transport_.output(kBroken).error = EPIPE;
  }

  Transport& transport() override { return transport_; }

  Address Serve(std::vector<Script> scripts) override {
    const Address address = Address::Loopback(2049);
    network_.SetLink(address, {.delay = absl::Milliseconds(1), .segment_bytes = 1448});
    network_.Listen(address, [this, address, scripts = std::move(scripts)] {
      auto peer = std::make_unique<ScriptedPeer>(network_, address, scripts[peers_.size()]);
      peers_.push_back(peer.get());
      return peer;
    });
    return address;
  }

  Address Refusing() override { return Address::Loopback(9); }

  std::string Received(size_t n) override {
    while (network_.RunNext(absl::InfiniteFuture())) {
    }
    return peers_[n]->received();
  }
  uint16_t ClientPort(size_t n) override { return peers_[n]->client_port(); }

  int OpenPipe() override { return kPipe; }
  void ReadPipe() override { transport_.output(kPipe).stalled = false; }
  std::string EndPipe() override { return TextOf(transport_.output(kPipe).bytes); }
  int OpenFull() override { return kFull; }
  int OpenBroken() override { return kBroken; }
  int OpenFile() override { return kFile; }
  std::string FileContents() override { return TextOf(transport_.output(kFile).bytes); }

 private:
  SimulatedNetwork network_;
  SimulatedTransport transport_{network_};
  std::vector<ScriptedPeer*> peers_;  // the network's
};

}  // namespace

std::unique_ptr<Harness> MakeSimulatedHarness() { return std::make_unique<SimulatedHarness>(); }

}  // namespace io
