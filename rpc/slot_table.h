// The calls in flight.
//
// A slot is the right to have one call in flight. There is a fixed number of them.
// The call's transaction id says which slot it has:
//
//   xid   | generation | slot index |
//
// so a reply finds its call by an index, not by a search, and a reply to an earlier
// call in the same slot (late, or sent twice) is told by its generation. Generations
// start at random: a server that remembers what it answered before a restart of
// ours (its duplicate request cache) must not take a new call for an old one. A call
// that is sent again keeps its xid, for the same reason.
#ifndef RPC_SLOT_TABLE_H_
#define RPC_SLOT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/time/time.h"
#include "rpc/message.h"
#include "rpc/raw_bytes.h"
#include "xdr/types.h"

namespace rpc {

// Where the payload of a reply lies, as far as its first bytes tell.
struct PayloadPlace {
  // The results take at least so many bytes before the payload.
  size_t results_bytes = 0;
  // Whether that is all of them: payload_bytes of payload follow.
  bool found = false;
  size_t payload_bytes = 0;
};

// Looks for the payload in the results of a reply, given their first bytes. Asks for
// more of them by a larger results_bytes; results that have no payload (an error)
// are told by results_bytes == kNoPayload.
using PayloadLocator = PayloadPlace (*)(xdr::ByteView results);
inline constexpr size_t kNoPayload = SIZE_MAX;

struct Slot {
  enum class State : uint8_t {
    kFree,
    kCalled,     // queued or sent; no part of the reply has been seen
    kReceiving,  // the reply's first bytes have come
  };

  State state = State::kFree;
  uint32_t index = 0;
  uint32_t generation = 0;
  Procedure procedure;
  uint64_t tag = 0;                 // the caller's, given back with the reply
  PayloadLocator locate = nullptr;  // null: the reply has no payload
  std::span<std::byte> payload;     // the caller's memory for it
  bool may_divert = false;          // whether it may go past that memory
  absl::Time called;                // when it was first queued
  absl::Time deadline;              // when its reply is overdue; never, until it has been sent
  int resends_left = 0;             // on one and the same connection
  uint64_t queue_end = 0;           // where its call ends in the send queue's total
  uint64_t first_queue_end = 0;  // ... where it ended when it was first queued on this connection
  std::span<std::byte> space;    // this slot's memory for its call
  size_t record_bytes = 0;       // of space: the call with its record mark
  // Among those in use, in the order of their calls.
  Slot* before = nullptr;
  Slot* after = nullptr;

  xdr::ByteView record() const { return space.first(record_bytes); }
};

// Thread-compatible. Allocates at construction only.
class SlotTable {
 public:
  static constexpr int kMaxSlots = 1024;

  // REQUIRES: 1 <= slots <= kMaxSlots. `record_bytes` bounds one call with its
  // record mark. `seed` is any random number.
  SlotTable(int slots, size_t record_bytes, uint32_t seed);
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;

  bool HasFree() const { return !free_.empty(); }
  int in_use() const { return static_cast<int>(slots_.size() - free_.size()); }

  // Takes a free slot, with a new xid. REQUIRES: HasFree().
  Slot& Take();
  // REQUIRES: `slot` is in use.
  void Release(Slot& slot);

  uint32_t Xid(const Slot& slot) const;
  // The slot that waits for this xid; nullptr when none does.
  Slot* Find(uint32_t xid);

  // Every slot, whatever its state.
  std::span<Slot> all() { return slots_; }
  // Of those in use the one that was taken first; the others follow by Slot::after.
  Slot* first_called() { return first_called_; }
  const Slot* first_called() const { return first_called_; }

 private:
  const int index_bits_;
  RawBytes memory_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;  // indexes; the last is taken next
  Slot* first_called_ = nullptr;
  Slot* last_called_ = nullptr;
};

}  // namespace rpc

#endif  // RPC_SLOT_TABLE_H_
