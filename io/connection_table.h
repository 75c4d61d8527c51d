// The connections of a transport, and their names.
#ifndef IO_CONNECTION_TABLE_H_
#define IO_CONNECTION_TABLE_H_

#include <array>
#include <cassert>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "io/transport.h"

namespace io {

// A transport has at most so many connections at a time: sixteen of a stream, of which each
// may be trying eight addresses at once, and some to other ports.
inline constexpr uint32_t kMaxConnections = 160;

// What Connect() says beyond that.
inline absl::Status TooManyConnections() {
  return absl::ResourceExhaustedError(
      absl::StrCat("connect: there are ", kMaxConnections, " connections already"));
}

// A fixed number of slots. An id is
//
//   | generation | slot |
//
// and the generation of a slot goes up with every connection in it, so that an id
// that is out of date is not taken for the connection that has the slot now (before
// the slot was used 2^24 times). Slots never move. Thread-compatible.
template <typename T>
class ConnectionTable {
 public:
  // A slot with a fresh T in it; nothing when all are taken.
  std::optional<ConnectionId> Take() {
    for (uint32_t i = 0; i < kMaxConnections; ++i) {
      if (slots_[i].taken) continue;
      slots_[i].taken = true;
      return slots_[i].generation * kMaxConnections + i;
    }
    return std::nullopt;
  }

  // REQUIRES: Has(id).
  T& Get(ConnectionId id) {
    assert(Has(id) && "this connection was closed, or never was");
    return slots_[id % kMaxConnections].value;
  }
  void Release(ConnectionId id) {
    assert(Has(id));
    Slot& slot = slots_[id % kMaxConnections];
    slot.value = T();
    slot.taken = false;
    ++slot.generation;
  }

  bool Has(ConnectionId id) const {
    const Slot& slot = slots_[id % kMaxConnections];
    const uint32_t generation = slot.generation * kMaxConnections;
    return slot.taken && id - id % kMaxConnections == generation;
  }

  // Calls visit(id, connection) for each; `visit` may release the one it is given.
  void ForEach(auto&& visit) {
    for (uint32_t i = 0; i < kMaxConnections; ++i) {
      Slot& slot = slots_[i];
      if (slot.taken) visit(slot.generation * kMaxConnections + i, slot.value);
    }
  }

 private:
  struct Slot {
    uint32_t generation = 0;
    bool taken = false;
    T value;
  };
  std::array<Slot, kMaxConnections> slots_;
};

}  // namespace io

#endif  // IO_CONNECTION_TABLE_H_
