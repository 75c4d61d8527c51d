#include "rpc/forecast.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/rpc/segmented_feed.h"
#include "tests/rpc/server_bytes.h"

namespace rpc {
namespace {

// Some READs in flight; `bytes` is what each has memory for.
class Calls {
 public:
  explicit Calls(const std::vector<size_t>& bytes) : table_(32, 64, 0) {
    for (const size_t size : bytes) {
      memory_.emplace_back(size);
      slots_.push_back(&table_.Take());
      slots_.back()->locate = &LocateReadData;
      slots_.back()->payload = memory_.back();
    }
  }

  SlotTable& table() { return table_; }
  Slot& slot(size_t i) { return *slots_[i]; }
  // Which of the calls the layout is of.
  std::vector<size_t> IndexesOf(const Staging::Layout& layout) const {
    std::vector<size_t> indexes;
    for (const std::span<std::byte> payload : layout.payloads) {
      const auto owner = std::ranges::find_if(
          memory_, [&](const Bytes& memory) { return memory.data() == payload.data(); });
      indexes.push_back(static_cast<size_t>(owner - memory_.begin()));
    }
    return indexes;
  }

 private:
  SlotTable table_;
  std::vector<Bytes> memory_;
  std::vector<Slot*> slots_;
};

using Indexes = std::vector<size_t>;

Indexes Foresee(Calls& calls, const Slot* at_hand = nullptr) {
  Forecast forecast(16);
  forecast.OnHead(132);
  return calls.IndexesOf(forecast.Next(calls.table(), at_hand, 0));
}

TEST(AForecast, IsThatCallsAreAnsweredInTheirOrder) {
  Calls calls({16, 32, 64});
  EXPECT_EQ(Foresee(calls), Indexes({0, 1, 2}));
  EXPECT_EQ(Foresee(calls, &calls.slot(1)), Indexes({0, 2}));
}

TEST(AForecast, NeedsAReplyToHaveCome) {
  Calls calls({16, 16});
  Forecast forecast(16);
  EXPECT_TRUE(forecast.Next(calls.table(), nullptr, 0).payloads.empty());
  forecast.OnHead(132);
  EXPECT_EQ(forecast.Next(calls.table(), nullptr, 0).head_bytes, 132u);
}

TEST(AForecast, EndsBeforeWhatIsNotLikeTheOthers) {
  enum { kShort, kPadded, kDiverted, kNoRead, kKinds };
  for (int kind = 0; kind < kKinds; ++kind) {
    Calls calls({16, 16, kind == kShort ? 12u : kind == kPadded ? 18u : 16u, 16});
    if (kind == kDiverted) calls.slot(2).may_divert = true;
    if (kind == kNoRead) calls.slot(2).locate = nullptr;
    EXPECT_EQ(Foresee(calls), Indexes({0, 1})) << kind;
  }
}

TEST(AForecast, OfOneReplyIsNotWorthMaking) {
  Calls calls({16});
  EXPECT_EQ(Foresee(calls), Indexes());
}

TEST(AForecast, KeepsToWhatStagingTakes) {
  Calls many(std::vector<size_t>(32, 16));
  EXPECT_EQ(Foresee(many).size(), Staging::kMostPayloads);
  Calls large(std::vector<size_t>(6, Forecast::kMostBytes / 4));
  EXPECT_EQ(Foresee(large).size(), 4u);
}

// How many times there is none, once one has been wrong.
int Pause(Forecast& forecast, Calls& calls, uint64_t misses) {
  int pause = 0;
  while (forecast.Next(calls.table(), nullptr, misses).payloads.empty()) ++pause;
  return pause;
}

TEST(AWrongForecast, IsNotRepeatedForAWhileThatGrows) {
  Calls calls({16, 16});
  Forecast forecast(16);
  forecast.OnHead(132);
  int expected = Forecast::kFirstPause;
  for (uint64_t misses = 1; misses < 20; ++misses) {
    EXPECT_EQ(Pause(forecast, calls, misses), expected);
    expected = std::min(2 * expected, Forecast::kLongestPause);
  }
}

TEST(AWrongForecast, IsForgottenAfterManyRightOnes) {
  Calls calls({16, 16});
  Forecast forecast(16);
  forecast.OnHead(132);
  for (uint64_t misses = 1; misses < 6; ++misses) Pause(forecast, calls, misses);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(Pause(forecast, calls, 5), 0);
  EXPECT_EQ(Pause(forecast, calls, 6), Forecast::kFirstPause);
}

}  // namespace
}  // namespace rpc
