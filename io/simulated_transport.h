// The transport of the simulated network, for tests.
#ifndef IO_SIMULATED_TRANSPORT_H_
#define IO_SIMULATED_TRANSPORT_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "io/connection_table.h"
#include "io/lent_memory.h"
#include "io/simulated_connection.h"
#include "io/simulated_network.h"
#include "io/transport.h"

namespace io {

// What StartWrite() writes to. A test looks into it, and makes it behave.
struct SimulatedOutput {
  std::vector<std::byte> bytes;  // all that was written
  double bytes_per_second = std::numeric_limits<double>::infinity();
  size_t max_write = std::numeric_limits<size_t>::max();
  bool stalled = false;                              // the reader takes nothing: no write ends
  int error = 0;                                     // an errno: every write fails with it
  size_t room = std::numeric_limits<size_t>::max();  // bytes of it: ENOSPC beyond
  bool is_file = false;                              // can be written to at offsets
  bool is_pipe = false;         // can be spliced to, at most max_write bytes at a time,
  int refuses_splice_with = 0;  // unless the kernel would not: an errno,
  bool has_refused = false;     // as the first splice finds out
  // When the bytes spliced last have been read, and there is room again.
  absl::Time has_room_at = absl::InfinitePast();
};

// Keeps to the contract in the strictest way, so that a caller who does not is found:
// a receive gives whatever has arrived, however little was `promised`; under
// AddressSanitizer, memory of an operation under way is poisoned; starting a second
// operation of a kind is an assertion. Other mistakes of a caller are Troubles.
class SimulatedTransport : public Transport {
 public:
  enum class Trouble : uint8_t {
    kNothingToCome,  // a Wait() for ever when nothing will ever happen
    kStandsStill,    // Wait() over and over, and no time passes
    kMemoryTouched,  // memory was written to while it was the transport's
  };
  // Must not return from the first two, which it leaves by an exception; may be called
  // in Close() for the third.
  using TroubleHandler = std::function<void(Trouble, absl::string_view text)>;

  // `network` is not owned.
  explicit SimulatedTransport(SimulatedNetwork& network) : network_(network) {}
  ~SimulatedTransport() override;

  absl::StatusOr<ConnectionId> Connect(const Address& address,
                                       const ConnectOptions& options) override;
  void StartReceive(ConnectionId connection, const ReceiveInto& into) override;
  void StartSend(ConnectionId connection, std::span<const std::byte> bytes) override;
  size_t SendNow(ConnectionId connection, std::span<const std::byte> bytes) override;
  ConnectionState Inspect(ConnectionId connection) override;
  bool EnlargeReceiveBuffer(ConnectionId connection, size_t bytes) override;
  void Close(ConnectionId connection) override;
  void StartWrite(int fd, std::span<const std::byte> bytes) override;
  bool CanWriteAt(int fd) override { return outputs_[fd].is_file; }
  void StartWriteAt(int fd, std::span<const std::byte> bytes, uint64_t offset,
                    WriteTag tag) override;
  absl::Status CanSplice(int fd) override;
  void StartSplice(ConnectionId connection, int fd, size_t bytes) override;
  void StopSplice() override { splice_.active = false; }
  Turn Wait(absl::Time until) override;
  void Wake() override { woken_ = true; }
  absl::Time Now() override { return network_.now(); }
  const char* name() const override { return "simulated"; }

  // Without one, a trouble ends the program and says so.
  void SetTroubleHandler(TroubleHandler handler) { on_trouble_ = std::move(handler); }

  // How many connections there are, whatever their state.
  size_t open_connections();

  // By file descriptor number, which need not be open.
  SimulatedOutput& output(int fd) { return outputs_[fd]; }

 private:
  struct Connection {
    SimulatedConnection* end = nullptr;  // the network's
    Address address;
    bool connecting = true;
    bool receiving = false;
    bool sending = false;
    ReceiveInto into;
    std::span<const std::byte> bytes;
    std::vector<LentMemory> lent_to_fill;
    LentMemory lent_to_send;
  };
  struct Write {
    bool active = false;
    SimulatedOutput* output = nullptr;
    std::span<const std::byte> bytes;
    std::optional<uint64_t> offset;
    absl::Time ends;
    LentMemory lent;
  };
  struct Splice {
    bool active = false;
    ConnectionId connection = 0;
    SimulatedOutput* output = nullptr;
    size_t bytes = 0;
  };

  uint16_t NextPort(SourcePort source_port);
  void CountWait();
  void Report(Trouble trouble, const char* text);
  [[noreturn]] void Stop(Trouble trouble, const char* text);
  // Ends what can end now; outcomes go to gathered_.
  void Settle();
  void SettleConnect(ConnectionId id, Connection& connection);
  void SettleReceive(ConnectionId id, Connection& connection);
  void SettleSend(ConnectionId id, Connection& connection);
  Write BeginWrite(int fd, std::span<const std::byte> bytes, std::optional<uint64_t> offset);
  // The event of a write whose time has come; nothing before that.
  std::optional<Event> EndWrite(Write& write, Event::Kind kind);
  void SettleWrites();
  void SettleSplice();
  void EndSplice(size_t bytes, absl::Status status, OutputState output);
  // How long the output's reader takes for so many bytes.
  static absl::Duration TimeOf(const SimulatedOutput& output, size_t bytes);
  void EndReceive(Connection& connection);
  void EndSend(Connection& connection);
  void AddEvent(Event::Kind kind, ConnectionId id, size_t bytes, absl::Status status);

  SimulatedNetwork& network_;
  ConnectionTable<Connection> connections_;
  std::map<int, SimulatedOutput> outputs_;
  Write write_;
  std::array<Write, kMostWritesAt> writes_at_;
  Splice splice_;
  uint16_t reserved_ports_used_ = 0;
  uint16_t other_ports_used_ = 0;
  std::atomic<bool> woken_ = false;
  std::vector<Event> gathered_;  // for the next Wait() to give
  std::vector<Event> given_;     // by the last one
  TroubleHandler on_trouble_;
  absl::Time last_wait_ = absl::InfinitePast();
  int waits_at_a_time_ = 0;
};

}  // namespace io

#endif  // IO_SIMULATED_TRANSPORT_H_
