// READs that brought nothing: when each is sent again, and how often.
#include "client/stream/read_retries.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "client/connection/patient_wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Until = ReadRetries::Until;

constexpr absl::Duration kPatience = absl::Seconds(180);

absl::Time At(absl::Duration since_start) {
  return absl::FromUnixSeconds(1'000'000'000) + since_start;
}

// --- PatientWait -------------------------------------------------------------------

std::vector<absl::Duration> AllOf(PatientWait wait) {
  std::vector<absl::Duration> waits;
  while (const auto next = wait.Next()) waits.push_back(*next);
  return waits;
}

TEST(PatientWait, DoublesUpToTheLongestAndStopsWhenPatienceHasBeenUsedUp) {
  const auto s = [](double seconds) { return absl::Seconds(seconds); };
  EXPECT_THAT(AllOf(PatientWait(s(1), s(5), s(20))),
              ElementsAre(s(1), s(2), s(4), s(5), s(5), s(5)));
  EXPECT_THAT(AllOf(PatientWait(s(1), s(5), s(7))), ElementsAre(s(1), s(2), s(4)));
  EXPECT_THAT(AllOf(PatientWait(s(1), s(5), s(0.1))), ElementsAre(s(1)));
  EXPECT_THAT(AllOf(PatientWait(s(1), s(5), s(0))), IsEmpty());
  EXPECT_THAT(AllOf(PatientWait(s(1), s(5), s(-1))), IsEmpty());
  EXPECT_THAT(AllOf(PatientWait(s(5), s(5), s(11))), ElementsAre(s(5), s(5), s(5)));
}

TEST(PatientWait, OfAJukeboxIsOneTwoFourAndThenFiveSeconds) {
  const std::vector<absl::Duration> waits = AllOf(JukeboxWait(kPatience));
  ASSERT_THAT(waits, SizeIs(38));
  EXPECT_EQ(waits[0], absl::Seconds(1));
  EXPECT_EQ(waits[1], absl::Seconds(2));
  EXPECT_EQ(waits[2], absl::Seconds(4));
  EXPECT_EQ(waits[3], absl::Seconds(5));
  EXPECT_EQ(waits[37], absl::Seconds(5));
}

TEST(PatientWait, WithoutAnEndNeverEnds) {
  PatientWait wait = JukeboxWait(absl::InfiniteDuration());
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_LE(wait.Next().value(), absl::Seconds(5));
  }
}

TEST(PatientWait, IsAValue) {
  PatientWait one = JukeboxWait(kPatience);
  EXPECT_EQ(one.Next(), absl::Seconds(1));
  PatientWait other = one;
  EXPECT_EQ(one.Next(), absl::Seconds(2));
  EXPECT_EQ(other.Next(), absl::Seconds(2));
}

// --- ReadRetries -------------------------------------------------------------------

TEST(ReadRetries, NothingIsDueAtFirst) {
  ReadRetries retries(4, kPatience);
  EXPECT_EQ(retries.TakeDue(absl::InfiniteFuture()), std::nullopt);
  EXPECT_EQ(retries.NextDue(), absl::InfiniteFuture());
  for (const Until until : {Until::kTime, Until::kAttributes, Until::kHandle}) {
    EXPECT_FALSE(retries.Has(until));
  }
}

TEST(ReadRetries, AJukeboxReadIsDueAfterItsWaitAndNotBefore) {
  ReadRetries retries(4, kPatience);
  EXPECT_TRUE(retries.ParkForJukebox(2, At(absl::Seconds(10))));
  EXPECT_EQ(retries.NextDue(), At(absl::Seconds(11)));
  EXPECT_EQ(retries.TakeDue(At(absl::Seconds(11)) - absl::Nanoseconds(1)), std::nullopt);
  EXPECT_EQ(retries.TakeDue(At(absl::Seconds(11))), 2u);
  EXPECT_EQ(retries.TakeDue(At(absl::Seconds(11))), std::nullopt) << "it is taken once";
  EXPECT_EQ(retries.NextDue(), absl::InfiniteFuture());
}

// Parks and takes until it may not be parked any more; the waits.
std::vector<absl::Duration> WaitsOf(ReadRetries& retries, ChunkId chunk, auto park) {
  std::vector<absl::Duration> waits;
  absl::Time now = At(absl::ZeroDuration());
  while ((retries.*park)(chunk, now)) {
    waits.push_back(retries.NextDue() - now);
    now = retries.NextDue();
    EXPECT_EQ(retries.TakeDue(now), chunk);
  }
  return waits;
}

TEST(ReadRetries, AJukeboxIsGivenUpAfterPatience) {
  ReadRetries retries(1, kPatience);
  EXPECT_EQ(WaitsOf(retries, 0, &ReadRetries::ParkForJukebox), AllOf(JukeboxWait(kPatience)));
  EXPECT_FALSE(retries.ParkForJukebox(0, At(absl::ZeroDuration()))) << "for good";
  EXPECT_FALSE(retries.Has(Until::kTime));
}

TEST(ReadRetries, ADoubtfulReadIsReadFiveTimesAgainWithinThreeSeconds) {
  ReadRetries retries(1, absl::InfiniteDuration());
  const auto ms = [](int n) { return absl::Milliseconds(n); };
  EXPECT_THAT(WaitsOf(retries, 0, &ReadRetries::ParkForDoubt),
              ElementsAre(ms(100), ms(200), ms(400), ms(800), ms(1600)));
}

TEST(ReadRetries, JukeboxAndDoubtAreCountedByThemselves) {
  ReadRetries retries(1, kPatience);
  EXPECT_THAT(WaitsOf(retries, 0, &ReadRetries::ParkForDoubt), SizeIs(5));
  EXPECT_THAT(WaitsOf(retries, 0, &ReadRetries::ParkForJukebox), SizeIs(38));
}

TEST(ReadRetries, EachChunkIsCountedByItself) {
  ReadRetries retries(2, kPatience);
  EXPECT_THAT(WaitsOf(retries, 0, &ReadRetries::ParkForDoubt), SizeIs(5));
  EXPECT_THAT(WaitsOf(retries, 1, &ReadRetries::ParkForDoubt), SizeIs(5));
}

TEST(ReadRetries, ProgressForgetsWhatWasCounted) {
  ReadRetries retries(2, kPatience);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(WaitsOf(retries, 1, &ReadRetries::ParkForDoubt), SizeIs(5));
    EXPECT_THAT(WaitsOf(retries, 1, &ReadRetries::ParkForJukebox), SizeIs(38));
    retries.Forget(1);
  }
}

TEST(ReadRetries, WhatWaitsForAttributesOrAHandleIsDueOnceItIsReleased) {
  ReadRetries retries(4, kPatience);
  retries.Park(0, Until::kAttributes);
  retries.Park(1, Until::kHandle);
  retries.Park(3, Until::kHandle);
  EXPECT_TRUE(retries.Has(Until::kAttributes));
  EXPECT_TRUE(retries.Has(Until::kHandle));
  EXPECT_FALSE(retries.Has(Until::kTime));
  EXPECT_EQ(retries.TakeDue(absl::InfiniteFuture()), std::nullopt);
  EXPECT_EQ(retries.NextDue(), absl::InfiniteFuture());
  std::vector<ChunkId> waiting;
  retries.ForEach(Until::kHandle, [&](ChunkId chunk) { waiting.push_back(chunk); });
  EXPECT_THAT(waiting, ElementsAre(1, 3));
  retries.Release(Until::kHandle);
  EXPECT_FALSE(retries.Has(Until::kHandle));
  EXPECT_TRUE(retries.Has(Until::kAttributes));
  EXPECT_EQ(retries.NextDue(), absl::InfinitePast());
  EXPECT_EQ(retries.TakeDue(At(absl::ZeroDuration())), 1u);
  EXPECT_EQ(retries.TakeDue(At(absl::ZeroDuration())), 3u);
  EXPECT_EQ(retries.TakeDue(At(absl::ZeroDuration())), std::nullopt);
}

TEST(ReadRetries, WhatIsParkedAgainForSomethingElseIsOneStill) {
  ReadRetries retries(1, kPatience);
  retries.Park(0, Until::kAttributes);
  retries.Park(0, Until::kHandle);
  EXPECT_FALSE(retries.Has(Until::kAttributes));
  retries.Unpark(0);
  EXPECT_FALSE(retries.Has(Until::kHandle));
  EXPECT_EQ(retries.NextDue(), absl::InfiniteFuture());
}

// --- Against a model ---------------------------------------------------------------

// The same in the simplest way.
struct Model {
  struct Parked {
    Until until;
    absl::Time due;
  };
  std::map<ChunkId, Parked> parked;
  std::map<ChunkId, int> jukebox;
  std::map<ChunkId, int> doubt;

  bool Has(Until until) const {
    return std::ranges::any_of(parked, [&](const auto& p) { return p.second.until == until; });
  }
  absl::Time NextDue() const {
    absl::Time next = absl::InfiniteFuture();
    for (const auto& [chunk, p] : parked) {
      if (p.until == Until::kTime) next = std::min(next, p.due);
    }
    return next;
  }
  // 1, 2, 4, 5, 5, 5... in a patience of 20; 0.1, 0.2, 0.4, 0.8, 1.6.
  bool ParkForJukebox(ChunkId chunk, absl::Time now) {
    const int n = jukebox[chunk]++;
    if (n < 6) parked[chunk] = {Until::kTime, now + absl::Seconds(n < 3 ? 1 << n : 5)};
    return n < 6;
  }
  bool ParkForDoubt(ChunkId chunk, absl::Time now) {
    const int n = doubt[chunk]++;
    if (n < 5) parked[chunk] = {Until::kTime, now + absl::Milliseconds(100 << n)};
    return n < 5;
  }
};

class RandomRetries {
 public:
  explicit RandomRetries(uint32_t seed) : random_(seed) {}

  void Step() {
    const auto chunk = static_cast<ChunkId>(random_() % kChunks);
    const auto until = static_cast<Until>(random_() % 3);
    const bool is_parked = model_.parked.contains(chunk);
    switch (random_() % 8) {
      case 0:
        if (!is_parked) {
          EXPECT_EQ(retries_.ParkForJukebox(chunk, now_), model_.ParkForJukebox(chunk, now_));
        }
        break;
      case 1:
        if (!is_parked) {
          EXPECT_EQ(retries_.ParkForDoubt(chunk, now_), model_.ParkForDoubt(chunk, now_));
        }
        break;
      case 2:
        retries_.Park(chunk, until);
        model_.parked[chunk] = {until, absl::InfinitePast()};
        break;
      case 3: Release(until); break;
      case 4:
        if (is_parked) retries_.Unpark(chunk);
        model_.parked.erase(chunk);
        break;
      case 5:
        if (is_parked) break;
        retries_.Forget(chunk);
        model_.jukebox.erase(chunk);
        model_.doubt.erase(chunk);
        break;
      case 6: Take(); break;
      case 7: now_ += absl::Milliseconds(random_() % 3000); break;
    }
    Compare();
  }

 private:
  static constexpr ChunkId kChunks = 6;

  void Release(Until until) {
    retries_.Release(until);
    for (auto& [chunk, parked] : model_.parked) {
      if (parked.until == until) parked = {Until::kTime, absl::InfinitePast()};
    }
  }

  // Any that is due will do.
  void Take() {
    const std::optional<ChunkId> taken = retries_.TakeDue(now_);
    EXPECT_EQ(taken.has_value(), model_.NextDue() <= now_);
    if (!taken.has_value()) return;
    ASSERT_TRUE(model_.parked.contains(*taken));
    EXPECT_EQ(model_.parked[*taken].until, Until::kTime);
    EXPECT_LE(model_.parked[*taken].due, now_);
    model_.parked.erase(*taken);
  }

  void Compare() {
    EXPECT_EQ(retries_.NextDue(), model_.NextDue());
    for (const Until until : {Until::kTime, Until::kAttributes, Until::kHandle}) {
      EXPECT_EQ(retries_.Has(until), model_.Has(until));
      retries_.ForEach(until, [&](ChunkId chunk) {
        EXPECT_TRUE(model_.parked.contains(chunk));
        EXPECT_EQ(model_.parked[chunk].until, until);
      });
    }
  }

  std::mt19937 random_;
  ReadRetries retries_{kChunks, absl::Seconds(20)};
  Model model_;
  absl::Time now_ = At(absl::ZeroDuration());
};

TEST(ReadRetries, DoesAsItsModelWhateverHappens) {
  const uint32_t first = std::random_device()();
  for (uint32_t seed = first; seed < first + 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomRetries retries(seed);
    for (int i = 0; i < 1000 && !testing::Test::HasFailure(); ++i) retries.Step();
  }
}

}  // namespace
}  // namespace nfs
