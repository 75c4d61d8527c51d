// Tested by tests/rpc/slot_table_test.cc.
#include "rpc/slot_table.h"

#include <bit>
#include <cassert>
#include <utility>

namespace rpc {

SlotTable::SlotTable(int slots, size_t record_bytes, uint32_t seed)
    : index_bits_(std::bit_width(static_cast<uint32_t>(slots - 1))),
      memory_(slots * record_bytes),
      slots_(slots) {
  assert(1 <= slots && slots <= kMaxSlots);
  free_.reserve(slots);
  for (int i = slots - 1; i >= 0; --i) {
    slots_[i].index = static_cast<uint32_t>(i);
    slots_[i].generation = seed;
    slots_[i].space = std::span(memory_).subspan(i * record_bytes, record_bytes);
    free_.push_back(static_cast<uint32_t>(i));
  }
}

Slot& SlotTable::Take() {
  assert(HasFree());
  Slot& slot = slots_[free_.back()];
  free_.pop_back();
  slot.state = Slot::State::kCalled;
  ++slot.generation;
  slot.before = std::exchange(last_called_, &slot);
  (slot.before == nullptr ? first_called_ : slot.before->after) = &slot;
  return slot;
}

void SlotTable::Release(Slot& slot) {
  assert(slot.state != Slot::State::kFree);
  Slot* const before = std::exchange(slot.before, nullptr);
  Slot* const after = std::exchange(slot.after, nullptr);
  (before == nullptr ? first_called_ : before->after) = after;
  (after == nullptr ? last_called_ : after->before) = before;
  slot.state = Slot::State::kFree;
  slot.payload = {};
  free_.push_back(slot.index);
}

uint32_t SlotTable::Xid(const Slot& slot) const {
  return slot.generation << index_bits_ | slot.index;
}

Slot* SlotTable::Find(uint32_t xid) {
  const uint32_t index = xid & ((1u << index_bits_) - 1);
  if (index >= slots_.size()) return nullptr;
  Slot& slot = slots_[index];
  const bool waits = slot.state != Slot::State::kFree && Xid(slot) == xid;
  return waits ? &slot : nullptr;
}

}  // namespace rpc
