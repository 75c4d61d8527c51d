// How many connections a stream comes to have, over models of a path on which each connection
// has its own windows.
#include "client/connection/widening.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

constexpr double kMiB = 1 << 20;
constexpr int kMost = 16;

// TCP as far as it matters: each connection doubles what it has under way in a round trip, up to
// its windows, and together they carry no more than the path; what is beyond waits in its queue.
struct Path {
  absl::Duration round_trip = absl::Milliseconds(400);
  double bytes_per_second = 117e6;
  double receive_window = 3 * kMiB;
  double congestion_window = 1e18;  // losses keep it there
  double server = 1e18;             // bytes a second that it gives
  double readahead = 256 * kMiB;    // bytes in flight, when nothing else limits them
  double slots = 1e18;              // bytes, of one connection
};

class Stream {
 public:
  Stream(const Path& path, double bytes) : path_(path), to_come_(bytes) {}

  // Goes on for a time; what came in it, in bytes a second.
  double GoOn(absl::Duration duration) {
    const double before = received_;
    for (const absl::Time end = now_ + duration; now_ < end;) Step();
    return (received_ - before) / absl::ToDoubleSeconds(duration);
  }
  int wanted() const { return widening_.wanted(); }
  int most_wanted() const { return most_wanted_; }
  int trials() const { return trials_; }
  bool needs_larger_windows() const { return widening_.needs_larger_windows(); }
  void Become(const Path& path) { path_ = path; }

 private:
  void Step() {
    const absl::Duration step = std::max(path_.round_trip, absl::Milliseconds(1));
    under_way_.resize(static_cast<size_t>(widening_.wanted()), 14600);
    const double seconds = absl::ToDoubleSeconds(step);
    double carried = Offered() * (step / path_.round_trip);
    carried =
        std::min({carried, path_.bytes_per_second * seconds, path_.server * seconds, to_come_});
    for (double& window : under_way_) window = std::min(2 * window, WindowOfOne());
    received_ += carried;
    to_come_ -= carried;
    now_ += step;
    if (path_.congestion_window < path_.receive_window) lost_ += 3;
    if (now_ >= widening_.next_look()) Look();
  }

  double WindowOfOne() const { return std::min(path_.receive_window, path_.congestion_window); }
  double Offered() const {
    double offered = 0;
    for (double window : under_way_) offered += window;
    return std::min(offered, InFlight());
  }

  double InFlight() const {
    const auto connections = static_cast<double>(under_way_.size());
    return std::min({path_.readahead, path_.slots * connections, to_come_});
  }

  void Look() {
    const double full = path_.bytes_per_second * absl::ToDoubleSeconds(path_.round_trip);
    const double queue = std::max(0.0, Offered() - full);
    const int before = widening_.wanted();
    widening_.OnLook(
        {.now = now_,
         .connections = static_cast<int>(under_way_.size()),
         .received = static_cast<uint64_t>(received_),
         .in_flight = static_cast<uint64_t>(InFlight()),
         .to_come = static_cast<uint64_t>(to_come_),
         .round_trip = path_.round_trip,
         .recent_round_trip = path_.round_trip + absl::Seconds(queue / path_.bytes_per_second),
         .receive_window = static_cast<uint64_t>(path_.receive_window),
         .slots = static_cast<uint64_t>(path_.slots),
         .out_of_order = lost_});
    most_wanted_ = std::max(most_wanted_, widening_.wanted());
    trials_ += widening_.wanted() > before ? 1 : 0;
  }

  Path path_;
  double to_come_;
  double received_ = 0;
  uint64_t lost_ = 0;
  absl::Time now_ = absl::UnixEpoch();
  std::vector<double> under_way_ = {14600};  // by connection
  Widening widening_{kMost};
  int most_wanted_ = 1;
  int trials_ = 0;
};

constexpr double kLongFile = 1e12;

TEST(Connections, AreAddedWhereReceiveWindowsKeepALongPathEmpty) {
  const Path path;
  Stream stream(path, kLongFile);
  stream.GoOn(22 * path.round_trip);
  EXPECT_EQ(stream.wanted(), kMost);
  EXPECT_GE(stream.GoOn(3 * path.round_trip), 0.95 * path.bytes_per_second);
  EXPECT_TRUE(stream.needs_larger_windows());
}

// 64 READs of 512 KiB, where a receive window has 100 MiB.
constexpr double kSlots = 32 * kMiB;

TEST(Connections, AreAddedWhereSlotsKeepALongPathEmpty) {
  const Path path = {.receive_window = 100 * kMiB, .slots = kSlots};
  Stream stream(path, kLongFile);
  stream.GoOn(40 * path.round_trip);
  EXPECT_GT(stream.wanted(), 1);
  EXPECT_GE(stream.GoOn(3 * path.round_trip), 0.95 * path.bytes_per_second);
  EXPECT_FALSE(stream.needs_larger_windows());
}

TEST(Connections, AreNotAddedForSlotsThatAServerKeepsFull) {
  Stream stream({.round_trip = absl::Milliseconds(100), .server = 15e6, .slots = kSlots},
                kLongFile);
  stream.GoOn(absl::Minutes(2));
  EXPECT_EQ(stream.wanted(), 1);
  EXPECT_LE(stream.trials(), 3);
}

TEST(Connections, StayWhereTheyHaveHelped) {
  const Path path;
  Stream stream(path, kLongFile);
  stream.GoOn(absl::Minutes(1));
  EXPECT_EQ(stream.wanted(), kMost);
  EXPECT_EQ(stream.trials(), 2) << "from 1 to 4 and from there to 16";
}

TEST(Connections, AreNotMoreThanOneOnALocalNetwork) {
  Stream stream({.round_trip = absl::Microseconds(200), .bytes_per_second = 12.5e9}, kLongFile);
  stream.GoOn(absl::Seconds(10));
  EXPECT_EQ(stream.most_wanted(), 1);
}

TEST(Connections, AreNotMoreThanOneWhereOneFillsThePath) {
  Stream stream({.round_trip = absl::Milliseconds(10), .bytes_per_second = 25e6}, kLongFile);
  stream.GoOn(absl::Minutes(1));
  EXPECT_EQ(stream.most_wanted(), 1);
}

TEST(Connections, ThatTheServerHasNoUseForAreTakenBackAndAddedMoreAndMoreRarely) {
  Stream stream({.round_trip = absl::Milliseconds(100), .server = 15e6}, kLongFile);
  stream.GoOn(absl::Minutes(2));
  EXPECT_GT(stream.most_wanted(), 1);
  EXPECT_EQ(stream.wanted(), 1);
  EXPECT_LE(stream.trials(), 3);
}

TEST(Connections, AreAsManyAsTheirReceiveWindowsAreNeededFor) {
  // Five and a half windows in a round trip.
  Stream stream({.bytes_per_second = 5.5 * 3 * kMiB / 0.4}, kLongFile);
  stream.GoOn(absl::Minutes(1));
  EXPECT_GE(stream.wanted(), 6);
  EXPECT_LE(stream.wanted(), 10);
}

TEST(Connections, AreAddedWhereLossesKeepOneSmall) {
  Stream stream({.round_trip = absl::Milliseconds(100), .congestion_window = 100e3}, kLongFile);
  const double alone = stream.GoOn(absl::Milliseconds(600));
  stream.GoOn(absl::Seconds(20));
  EXPECT_EQ(stream.wanted(), kMost);
  EXPECT_GE(stream.GoOn(absl::Seconds(1)), 10 * alone);
}

TEST(Connections, AreNotAddedForTheRestOfAShortFile) {
  Stream stream({}, 4 * kMiB);
  stream.GoOn(absl::Seconds(20));
  EXPECT_EQ(stream.most_wanted(), 1);
}

// Its READs do not wait for the network.
TEST(Connections, AreNotKeptForASlowConsumer) {
  Stream stream({.server = 3e6, .readahead = 1.3e6}, kLongFile);
  stream.GoOn(absl::Minutes(1));
  EXPECT_EQ(stream.wanted(), 1);
  EXPECT_LE(stream.trials(), 1);
}

TEST(Connections, AreAddedWhenThePathHasBecomeLonger) {
  Stream stream({.round_trip = absl::Milliseconds(10), .bytes_per_second = 25e6}, kLongFile);
  stream.GoOn(absl::Seconds(30));
  stream.Become({.round_trip = absl::Milliseconds(300), .bytes_per_second = 100e6});
  stream.GoOn(absl::Seconds(30));
  EXPECT_GT(stream.wanted(), 1);
}

TEST(Connections, AreNotAddedWhileNobodyKnowsTheRoundTrip) {
  Stream stream({.round_trip = absl::ZeroDuration() + absl::Nanoseconds(1)}, kLongFile);
  stream.GoOn(absl::Seconds(1));
  EXPECT_EQ(stream.most_wanted(), 1);
}

// --- Whatever a machine says ---------------------------------------------------------------

TEST(Connections, AreNeverMoreThanMayBeNorNoneWhateverIsSeen) {
  uint64_t state = 20101;
  const auto random = [&state] {
    return state = state * 6364136223846793005u + 1442695040888963407u;
  };
  for (int run = 0; run < 200; ++run) {
    Widening widening(kMost);
    absl::Time now = absl::UnixEpoch();
    for (int look = 0; look < 500; ++look) {
      now += absl::Nanoseconds(static_cast<int64_t>(random() >> (34 + random() % 30)));
      widening.OnLook({.now = now,
                       .connections = static_cast<int>(random() % 20),
                       .received = random() >> (random() % 64),
                       .in_flight = random() >> (random() % 64),
                       .to_come = random() >> (random() % 64),
                       .round_trip = absl::Nanoseconds(static_cast<int64_t>(random() >> 33)),
                       .recent_round_trip = absl::Nanoseconds(static_cast<int64_t>(random() >> 33)),
                       .receive_window = random() >> (random() % 64),
                       .slots = random() >> (random() % 64),
                       .out_of_order = random() >> (random() % 64)});
      ASSERT_GE(widening.wanted(), 1);
      ASSERT_LE(widening.wanted(), kMost);
      ASSERT_GT(widening.next_look(), now);
    }
  }
}

}  // namespace
}  // namespace nfs
