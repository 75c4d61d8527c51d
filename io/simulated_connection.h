// A connection of the simulated network: both of its ends, and what is between them.
#ifndef IO_SIMULATED_CONNECTION_H_
#define IO_SIMULATED_CONNECTION_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "io/address.h"
#include "io/simulated_network.h"

namespace io {

// The client's end of a connection, and what is under way.
class SimulatedConnection final : public SimulatedSocket {
 public:
  SimulatedConnection(SimulatedNetwork& network, const Address& address, uint16_t client_port);

  // Of the peer:
  void Send(std::span<const std::byte> bytes) override;
  void Close() override { EndStream(0); }
  void Reset() override { EndStream(ECONNRESET); }
  void Taken(size_t bytes) override;
  uint16_t client_port() const override { return client_port_; }

  // Of the client: the outcome of the connect as an errno, 0 for success; nothing yet.
  std::optional<int> connect_outcome() const { return connect_outcome_; }
  // Takes as many bytes as the window has room for; how many.
  size_t ClientSend(std::span<const std::byte> bytes);
  // Gives bytes that have arrived; how many.
  size_t ClientReceive(std::span<std::byte> into);
  bool HasArrived() const { return taken_ < arrived_.size(); }
  // Whether there will be no more bytes to receive.
  bool HasEnded() const { return !HasArrived() && ended_; }
  // ECONNRESET when the connection was reset, 0 when not.
  int error() const { return error_; }
  // When bytes last arrived; before the first, when the connect ended.
  absl::Time last_heard() const { return last_heard_; }
  uint64_t received() const { return received_; }
  size_t receive_window() const {
    return receive_window_ != 0 ? receive_window_ : link_.policy.receive_window_bytes;
  }
  void set_receive_window(size_t bytes) { receive_window_ = bytes; }
  void ClientClose();
  const LinkPolicy& link() const { return link_.policy; }

 private:
  enum Direction { kToPeer, kToClient };

  void OnSyn();
  void EndStream(int error);
  void OnPeerBytes(std::span<const std::byte> bytes);
  // When the receive window lets so many bytes go that the link is ready for at that time.
  absl::Time PassWindow(absl::Time at, size_t bytes);
  // Does `arrive` when `bytes` have gone over the link after all that went before.
  void Transmit(Direction direction, size_t bytes, std::function<void()> arrive);
  // The same for each segment of `bytes`.
  void TransmitBytes(Direction direction, std::span<const std::byte> bytes,
                     const std::function<void(std::span<const std::byte>)>& arrive);

  SimulatedNetwork& network_;
  SimulatedNetwork::Link& link_;
  const Address address_;
  const uint16_t client_port_;
  std::unique_ptr<SimulatedPeer> peer_;
  std::optional<int> connect_outcome_;
  bool is_lost_ = false;  // something of it was, so it stays silent
  bool client_closed_ = false;
  bool peer_closed_ = false;
  size_t under_way_ = 0;  // from the client, not acknowledged
  absl::Time last_heard_ = absl::InfinitePast();
  std::vector<std::byte> arrived_;  // for the client,
  uint64_t received_ = 0;           // bytes that have ever arrived
  size_t receive_window_ = 0;       // 0: as the link has it
  absl::Time window_free_at_ = absl::InfinitePast();
  size_t taken_ = 0;    // of which it has taken so many
  bool ended_ = false;  // after that, for the client
  int error_ = 0;       // why, if not by the peer's Close()
};

}  // namespace io

#endif  // IO_SIMULATED_CONNECTION_H_
