// How many bytes to ask for ahead: enough to keep the path full, and no more, without anybody
// having to know the path. Pure: no I/O, and time is an argument.
//
//     bytes a second                          One READ alone takes `round trip`: the path both
//        ^                                    ways, the server's work and its own bytes. With more
//   rate ┤ . . . . ._________________         in flight more is delivered, up to the rate of the
//        │        /¦        ¦                 narrowest place. What is asked for beyond that
//        │      /  ¦        ¦                 waits there, and costs memory and cache here.
//        │    /    ¦        ¦
//        │  /      ¦        ¦                 The knee is at rate x round trip; the window is
//        └/────────┴────────┴───────> window  kHeadRoom of that, so that it still opens by
//                rate x   window              as much in a round trip when the path could carry
//                more.
//              round trip
//
//   opening ──> draining ──> cruising <──> trying more, trying less
//                  ^             │
//                  └─────────────┘ when the round trip is old
//
// Rules, in one place:
//   - The rate is what was delivered, the largest of the last rounds (delivery_rate.h). So the
//     window follows a consumer that becomes slower, a path that is shared, and both back.
//   - The round trip is the least that a READ has taken. With a full window READs wait for each
//     other, and none takes as little: so when the least is old (and once after the opening,
//     when TCP was slow at first) the window is made smaller than the knee for a round, and
//     again as long as that does no harm.
//   - A server whose READs take now less, now more time has its knee further on than the least
//   says.
//     Now and then twice the window is tried, and kept only if more comes. The window so found
//     is kept as the time that it lasts at the rate.
//   - It is made smaller again likewise: if no less comes. Trials that fail become rarer.
//   - On a path that is faster than memory is cheap (a server on the same machine, 100 Gbit/s) less
//     than `least` is tried as well, down to one READ: what is in flight has to lie in the cache.
//   - Trials and openings count while it is the window that limits; not while the consumer, the
//     slots or the end of the file do.
//   - Over several connections there is nothing to try, and draining one would starve others: the
//     window is kSpread times the knee.
//   - From `least`, which lies in a processor's cache as a rule, to `most`, whatever the server
//   does.
#ifndef CLIENT_STREAM_READAHEAD_H_
#define CLIENT_STREAM_READAHEAD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "client/stream/delivery_rate.h"
#include "client/stream/paired_trial.h"
#include "client/stream/rate_meter.h"

namespace nfs {

// Thread-compatible. Allocates nothing.
class Readahead {
 public:
  static constexpr double kHeadRoom = 2;
  static constexpr double kSpread = 8;

  // In bytes. With `most` no more than `least` the window is `least`, and nothing is looked at.
  struct Options {
    uint32_t chunk_bytes = 1;  // of one READ
    uint64_t least = 0;
    uint64_t most = 0;
  };

  explicit Readahead(const Options& options);

  // The window as it should be now, in bytes.
  uint64_t window() const { return window_; }
  bool is_fixed() const { return options_.most <= options_.least; }

  // A READ goes out, for so many bytes; what is returned is given back with its answer, or
  // never, when nothing more is to come.
  using Flight = DeliveryRate::Flight;
  Flight OnAsk(uint32_t bytes, absl::Time now);
  // It is answered and has brought so many.
  void OnAnswer(const Flight& flight, uint32_t bytes, absl::Time now);

  // READs go over several connections from now on, which may carry so many times as much as
  // before. Each has as many in flight as suit it (client/connection/trunk.h), so the window only
  // has to hold what comes on the fast ones while the first of the file is on a slow one.
  void Spread(double times);
  // ... over one again.
  void Gather();

  // Why no more READs go out at this time.
  enum class Limit : uint8_t {
    kWindow,    // it is full, and the consumer would like to have more
    kConsumer,  // it is full of what the consumer has not taken
    kOther,     // slots, the end of the file
  };
  void OnStopped(Limit limit) { ++stops_[static_cast<size_t>(limit)]; }

  // What is thought of the path: bytes a second, and what one READ alone takes. Zero: nothing.
  double rate() const { return delivery_.rate(); }
  absl::Duration round_trip() const;

 private:
  enum class Phase : uint8_t {
    kOpening,   // the rate still grows
    kDraining,  // the round trip is being measured
    kCruising,
    kTryingMore,
    kTryingLess,
  };

  double Knee() const;   // in bytes, as all of these
  double Base() const;   // ... with head room; at least options_.least
  double Found() const;  // ... and at least what trials have found to be needed, or to be enough
  void SetWindow();

  void OnRound(absl::Time now);
  // What has kept READs from going out most often lately.
  Limit TakeLimit();
  void StaySpread(Limit limit, absl::Time now);
  // A window of so many bytes lasts no longer than a turn of the scheduler; and the least does not.
  bool IsShort(double bytes) const;
  bool IsFast() const;
  void BeginOpening();
  void Open(bool is_limited, absl::Time now);
  void Cruise(bool is_limited, absl::Time now);
  void NoticeOther(double rate);
  void EnterCruise(absl::Time now);

  void ObserveRoundTrip(absl::Duration took, absl::Time now);
  void KeepRoundTrip(absl::Duration took, absl::Time now);
  bool IsRoundTripOld(absl::Time now) const;
  void BeginDrain();
  void Drain(const Flight& flight, absl::Time now);
  void EndDrain(absl::Time now);

  bool IsWorthTrying(double less) const;
  double Less() const;
  void BeginTrial(Phase phase, double bytes);
  void Try(bool is_limited, absl::Time now);
  double TrialWindow() const;
  void TryBoth(absl::Time now);
  void EndTrial(double gain, absl::Time now);
  bool IsHarmful() const;
  double WorthIt(bool is_more) const;
  void Keep(double bytes);
  void MeasureOver(uint64_t reads);
  uint64_t Rarer(uint64_t wait) const;

  const Options options_;
  DeliveryRate delivery_;
  uint64_t window_;
  Phase phase_ = Phase::kOpening;
  std::array<double, 3> stops_ = {};  // by Limit, of the last rounds
  uint64_t rounds_ = 0;
  absl::Time round_began_ = absl::InfiniteFuture();
  absl::Duration round_took_;

  // The round trip, and when it was last seen.
  absl::Duration least_took_ = absl::InfiniteDuration();
  absl::Time least_seen_;
  uint64_t least_seen_round_ = 0;
  // So long the window has to last, if that is more than with head room.
  absl::Duration needed_;
  // On a fast path: so many bytes have been found to bring as much as more would. 0: nothing.
  double enough_ = 0;

  // Over several connections.
  bool is_spread_ = false;
  double spread_bytes_ = 0;  // the window has at least so many, until the consumer is the limit
  absl::Duration least_took_lately_ = absl::InfiniteDuration();

  // Opening.
  double opened_rate_ = 0;
  double opened_bytes_ = 0;  // that brought this rate
  double opening_bytes_ = 0;
  int flat_rounds_ = 0;

  // Draining.
  double drain_bytes_ = 0;
  bool is_drained_ = false;                           // READs have been asked for since it is, from
  absl::Time drained_at_;                             // ... then on
  uint64_t drained_from_ = 0;                         // bytes delivered by then
  absl::Time first_answer_ = absl::InfiniteFuture();  // to those
  absl::Duration drained_took_;                       // the least of them

  // Trials, and the rounds of cruising between them.
  RateMeter meter_;
  PairedTrial pair_;  // on a fast path
  uint64_t measured_reads_;
  double rate_before_ = 0;
  double rate_tried_ = 0;  // when the last trial failed
  double trial_bytes_ = 0;
  bool needs_more_than_base_ = false;  // less has been tried, and did harm
  uint64_t trial_rounds_ = 0;
  uint64_t limited_rounds_ = 0;
  absl::Time rests_until_ = absl::InfinitePast();
  uint64_t wait_more_;  // so many of them before the next trial
  uint64_t wait_less_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_READAHEAD_H_
