// A network in one process with a clock of its own, for tests. Nothing sleeps, nothing
// is random, and the same test always gives the same bytes at the same times.
//
//   client                        link                          peer
//   SimulatedTransport   ──  delay, rate, segments  ──>   SimulatedPeer
//   (io/simulated_transport.h)                            answers by SimulatedSocket
//
// Time goes on only in SimulatedTransport::Wait(), from one action to the next: the
// arrival of a segment, an answer to a connect, whatever a test has put down with At().
#ifndef IO_SIMULATED_NETWORK_H_
#define IO_SIMULATED_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "io/address.h"

namespace io {

class SimulatedConnection;

// How the way to an address behaves. Faults are data: a test sets them, by hand or
// from a seed, before or in the middle of things.
struct LinkPolicy {
  // One way. A connect takes two of these.
  absl::Duration delay = absl::ZeroDuration();
  // Each way, shared by the connections of this link.
  double bytes_per_second = std::numeric_limits<double>::infinity();
  // What is sent arrives in segments of at most so many bytes, each at its own time.
  size_t segment_bytes = 64 * 1024;
  // A sender has at most so many bytes under way and not acknowledged.
  size_t window_bytes = 4 * 1024 * 1024;
  // ... and on each connection the peer at most so many in a round trip. 0: any number.
  size_t receive_window_bytes = 0;
  // A receive gives at most so many bytes.
  size_t max_receive = std::numeric_limits<size_t>::max();
  // Whether SendNow() sends anything.
  bool sends_at_once = true;
  // If not, nothing arrives and nothing is refused. A connection that has lost
  // something to this stays silent for ever.
  bool answers = true;
};

// The peer's end of a connection. Lives as long as the network.
class SimulatedSocket {
 public:
  virtual ~SimulatedSocket() = default;
  // Queues a copy of `bytes`; never refuses. Without effect after Close(), Reset(), or
  // the client's close.
  virtual void Send(std::span<const std::byte> bytes) = 0;
  // Ends the stream after what was sent. What arrives later is answered by a reset.
  virtual void Close() = 0;
  // The same, but the client sees ECONNRESET instead of the end.
  virtual void Reset() = 0;
  // Of a peer that takes its bytes later: so many of those that OnBytes brought are
  // taken now, and no longer under way.
  virtual void Taken(size_t bytes) = 0;
  // The port that the client has connected from.
  virtual uint16_t client_port() const = 0;
};

// What a test's server does. Called inside of Wait(), at the virtual time of arrival.
class SimulatedPeer {
 public:
  virtual ~SimulatedPeer() = default;
  virtual void OnConnected(SimulatedSocket& socket) = 0;
  virtual void OnBytes(std::span<const std::byte> bytes) = 0;
  // Whether bytes stay under way, and fill the client's window, until the peer says
  // Taken(); else OnBytes takes them.
  virtual bool TakesLater() const { return false; }
  virtual void OnClosed() {}  // by the client; no more bytes will come
};

// Not thread-safe. Outlives its transports.
class SimulatedNetwork {
 public:
  using MakePeer = std::function<std::unique_ptr<SimulatedPeer>()>;

  SimulatedNetwork();
  ~SimulatedNetwork();

  // From now on connects to `address` get a peer by `make_peer`, and are refused where
  // nothing listens.
  void Listen(const Address& address, MakePeer make_peer);
  void StopListening(const Address& address);

  // Of connections to `address`, those there are as well as new ones. A link that was
  // never set has the defaults above.
  void SetLink(const Address& address, const LinkPolicy& policy);

  // Whether the client is privileged: may it use ports below 1024?
  void set_privileged(bool privileged) { privileged_ = privileged; }
  bool privileged() const { return privileged_; }

  absl::Time now() const { return now_; }
  // Does `action` when that time has come (now, if it has passed). Actions of the same
  // time are done in the order in which they were put down.
  void At(absl::Time time, std::function<void()> action);
  void After(absl::Duration delay, std::function<void()> action) {
    At(now_ + delay, std::move(action));
  }

  // For the transport. Goes to the time of the next actions and does all of that time,
  // unless they are later than `until`: then does nothing and says false.
  bool RunNext(absl::Time until);
  // Goes to `time`. REQUIRES: no action before it.
  void AdvanceTo(absl::Time time);
  SimulatedConnection& Connect(const Address& address, uint16_t client_port);

 private:
  friend class SimulatedConnection;

  struct Link {
    LinkPolicy policy;
    absl::Time free_at[2] = {absl::InfinitePast(), absl::InfinitePast()};  // by direction
  };

  Link& LinkTo(const Address& address) { return links_[address.ToString()]; }
  const MakePeer* ListenerAt(const Address& address) const;

  absl::Time now_;
  bool privileged_ = true;
  std::map<std::string, Link> links_;  // by address, as a text; they never move
  std::map<std::string, MakePeer> listeners_;
  std::map<std::pair<absl::Time, uint64_t>, std::function<void()>> actions_;
  uint64_t next_action_ = 0;
  std::vector<std::unique_ptr<SimulatedConnection>> connections_;  // all there ever were
};

}  // namespace io

#endif  // IO_SIMULATED_NETWORK_H_
