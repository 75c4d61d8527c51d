// Transaction ids: which call a reply belongs to.
#include "rpc/slot_table.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rpc/segmented_feed.h"

namespace rpc {
namespace {

constexpr int kSlotCounts[] = {1, 2, 3, 5, 64, 100, SlotTable::kMaxSlots};

TEST(Slots, AreFreeAtFirstAndAllCanBeTaken) {
  for (int slots : kSlotCounts) {
    SlotTable table(slots, 64, 5);
    std::set<uint32_t> xids;
    for (int i = 0; i < slots; ++i) {
      ASSERT_TRUE(table.HasFree());
      EXPECT_EQ(table.in_use(), i);
      Slot& slot = table.Take();
      EXPECT_EQ(slot.state, Slot::State::kCalled);
      EXPECT_TRUE(xids.insert(table.Xid(slot)).second);
      EXPECT_EQ(table.Find(table.Xid(slot)), &slot);
    }
    EXPECT_FALSE(table.HasFree());
    EXPECT_EQ(table.in_use(), slots);
    EXPECT_EQ(table.all().size(), static_cast<size_t>(slots));
  }
}

TEST(Slots, HaveMemoryOfTheirOwn) {
  SlotTable table(3, 64, 0);
  std::set<const std::byte*> begins;
  for (Slot& slot : table.all()) {
    EXPECT_EQ(slot.space.size(), 64u);
    EXPECT_TRUE(begins.insert(slot.space.data()).second);
  }
  EXPECT_EQ(*begins.rbegin() - *begins.begin(), 2 * 64);
}

TEST(AnXid, IsNoOnesBeforeItIsTakenAndAfterItIsReleased) {
  for (int slots : kSlotCounts) {
    SlotTable table(slots, 64, 5);
    Slot& slot = table.Take();
    const uint32_t xid = table.Xid(slot);
    table.Release(slot);
    EXPECT_EQ(table.Find(xid), nullptr);
    EXPECT_EQ(table.in_use(), 0);
    Slot& again = table.Take();
    EXPECT_NE(table.Xid(again), xid);
    EXPECT_EQ(table.Find(xid), nullptr) << "a late reply found the slot's next call";
    EXPECT_EQ(table.Find(table.Xid(again)), &again);
  }
}

TEST(AnXid, IsFoundWhileItsReplyIsReceived) {
  SlotTable table(3, 64, 5);
  Slot& slot = table.Take();
  slot.state = Slot::State::kReceiving;
  EXPECT_EQ(table.Find(table.Xid(slot)), &slot);
}

TEST(AnXid, ThatNamesNoSlotIsNoOnes) {
  SlotTable table(5, 64, 0);  // three bits of index, of which 5, 6 and 7 are no slot
  for (int i = 0; i < 5; ++i) table.Take();
  int found = 0;
  for (uint32_t xid = 0; xid < 64; ++xid) found += table.Find(xid) != nullptr;
  EXPECT_EQ(found, 5);
}

// C13: the generation wraps around within the xid's 32 bits.
TEST(AnXid, IsUnlikeTheOthersWhereTheyWrapAround) {
  for (int slots : kSlotCounts) {
    SlotTable table(slots, 64, 0xfffffffe);
    std::set<uint32_t> xids;
    for (int i = 0; i < 1000; ++i) {
      Slot& slot = table.Take();
      EXPECT_TRUE(xids.insert(table.Xid(slot)).second);
      EXPECT_EQ(table.Find(table.Xid(slot)), &slot);
      table.Release(slot);
    }
  }
}

TEST(AnXid, DependsOnTheSeedInEveryBitOfTheGeneration) {
  for (int bit = 0; bit < 26; ++bit) {
    SlotTable one(64, 64, 0);
    SlotTable other(64, 64, 1u << bit);
    EXPECT_NE(one.Xid(one.Take()), other.Xid(other.Take())) << bit;
  }
}

TEST(AReleasedSlot, ForgetsTheMemoryOfItsPayload) {
  SlotTable table(1, 64, 0);
  Bytes memory(8);
  Slot& slot = table.Take();
  slot.payload = memory;
  table.Release(slot);
  EXPECT_TRUE(slot.payload.empty());
}

std::vector<Slot*> InOrderOfCalls(SlotTable& table) {
  std::vector<Slot*> slots;
  for (Slot* slot = table.first_called(); slot != nullptr; slot = slot->after) {
    slots.push_back(slot);
  }
  return slots;
}

TEST(SlotsInUse, AreInTheOrderOfTheirCallsWhateverSlotsTheyHave) {
  SlotTable table(4, 16, 0);
  EXPECT_TRUE(InOrderOfCalls(table).empty());
  Slot& first = table.Take();
  Slot& second = table.Take();
  Slot& third = table.Take();
  EXPECT_THAT(InOrderOfCalls(table), testing::ElementsAre(&first, &second, &third));
  table.Release(first);
  Slot& fourth = table.Take();
  ASSERT_EQ(&fourth, &first);
  third.state = Slot::State::kReceiving;
  EXPECT_THAT(InOrderOfCalls(table), testing::ElementsAre(&second, &third, &fourth));
  for (Slot* slot : {&third, &second, &fourth}) table.Release(*slot);
  EXPECT_TRUE(InOrderOfCalls(table).empty());
}

// Random takes and releases against a plain list of what is in use.
TEST(Slots, AreFoundAfterAnyRowOfTakesAndReleases) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const int slots = static_cast<int>(Draw(random, 1, 20));
    SlotTable table(slots, 16, static_cast<uint32_t>(random()));
    std::vector<Slot*> used;
    std::vector<uint32_t> released;
    for (int step = 0; step < 500; ++step) {
      if (table.HasFree() && Draw(random, 0, 1) == 0) {
        used.push_back(&table.Take());
      } else if (!used.empty()) {
        const auto leaves = used.begin() + static_cast<long>(Draw(random, 0, used.size() - 1));
        released.push_back(table.Xid(**leaves));
        table.Release(**leaves);
        used.erase(leaves);
      }
      ASSERT_EQ(table.in_use(), static_cast<int>(used.size())) << "seed " << seed;
      for (Slot* slot : used) ASSERT_EQ(table.Find(table.Xid(*slot)), slot) << "seed " << seed;
      ASSERT_EQ(InOrderOfCalls(table), used) << "seed " << seed;
    }
    for (uint32_t xid : released) ASSERT_EQ(table.Find(xid), nullptr) << "seed " << seed;
  }
}

}  // namespace
}  // namespace rpc
