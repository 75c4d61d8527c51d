// Which records have left, and what becomes of those that have not.
#include "rpc/send_queue.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"

namespace rpc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<uint32_t> TakeSentRecords(SendQueue& queue) {
  std::vector<uint32_t> slots;
  while (const auto slot = queue.TakeSentRecord()) slots.push_back(*slot);
  return slots;
}

TEST(ARecord, HasLeftWithItsLastByteAndIsToldOnce) {
  SendQueue queue(2, 100);
  queue.Append(Pattern(30), 7);
  queue.Append(Pattern(20), 5);
  EXPECT_EQ(queue.Bytes().size(), 50u);
  EXPECT_THAT(TakeSentRecords(queue), IsEmpty());
  queue.OnSent(29);
  EXPECT_THAT(TakeSentRecords(queue), IsEmpty());
  queue.OnSent(1);
  EXPECT_THAT(TakeSentRecords(queue), ElementsAre(7));
  EXPECT_THAT(TakeSentRecords(queue), IsEmpty());
  EXPECT_TRUE(queue.HasUnsent());
  queue.OnSent(20);
  EXPECT_THAT(TakeSentRecords(queue), ElementsAre(5));
  EXPECT_FALSE(queue.HasUnsent());
}

TEST(AClearedQueue, HasNothingToSendAndTellsOfNothingThatWasInIt) {
  for (size_t sent : {0, 1, 30, 31, 50}) {
    SendQueue queue(3, 100);
    queue.Append(Pattern(30), 0);
    queue.Append(Pattern(20), 1);
    ASSERT_EQ(queue.Bytes().size(), 50u);
    queue.OnSent(sent);
    queue.Append(Pattern(10), 2);
    queue.Clear();
    EXPECT_FALSE(queue.HasUnsent());
    EXPECT_THAT(queue.Bytes(), IsEmpty());
    EXPECT_THAT(TakeSentRecords(queue), IsEmpty());
    EXPECT_EQ(queue.total_sent(), 60u);
    EXPECT_EQ(queue.total_given(), 60u);

    queue.Append(Pattern(40, 3), 3);
    EXPECT_EQ(queue.total_given(), 60u);
    EXPECT_EQ(Bytes(queue.Bytes().begin(), queue.Bytes().end()), Pattern(40, 3));
    EXPECT_EQ(queue.total_given(), 100u);
    queue.OnSent(40);
    EXPECT_THAT(TakeSentRecords(queue), ElementsAre(3));
  }
}

// Random appends, sends and losses against plain lists.
TEST(AQueue, TellsEachRecordInItsTurn) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    SendQueue queue(4, 20);
    std::deque<std::pair<uint64_t, uint32_t>> records;  // where they end, and their slots
    Bytes expected;                                     // what is to be sent yet
    for (int step = 0; step < 500; ++step) {
      const size_t dice = Draw(random, 0, 99);
      const auto waiting = std::ranges::count_if(
          records, [&](const auto& record) { return record.first > queue.total_given(); });
      if (dice < 50 && waiting < 4) {
        const Bytes record = Pattern(Draw(random, 1, 20), static_cast<uint32_t>(step));
        queue.Append(record, static_cast<uint32_t>(step));
        Append(expected, record);
        records.emplace_back(queue.total_appended(), step);
      } else if (dice < 97) {
        const xdr::ByteView bytes = queue.Bytes();
        ASSERT_LE(bytes.size(), expected.size());
        ASSERT_TRUE(std::ranges::equal(bytes, xdr::ByteView(expected).first(bytes.size())));
        const size_t sent = Draw(random, 0, bytes.size());
        queue.OnSent(sent);
        expected.erase(expected.begin(), expected.begin() + static_cast<long>(sent));
        for (uint32_t slot : TakeSentRecords(queue)) {
          ASSERT_EQ(slot, records.front().second) << "seed " << seed;
          records.pop_front();
        }
        ASSERT_TRUE(records.empty() || records.front().first > queue.total_sent());
      } else {
        queue.Clear();
        expected.clear();
        records.clear();
      }
      ASSERT_EQ(queue.HasUnsent(), !expected.empty()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace rpc
