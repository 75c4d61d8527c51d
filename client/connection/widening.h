// How many connections a stream should have, found out while it goes on. Pure: no I/O, and
// time is an argument.
//
//   bytes in a round trip                  A connection carries no more in a round trip than its
//        ^                                 receive window, or its slots, whatever the path could;
//   path ┤ . . . . . . . ._____            less where losses keep its congestion window small.
//        │           ___/                  Then others side by side carry more, until it is the
//   4 x  ┤ . . . ___/   16                 path that is full, or the server: there they only cost.
//        │      /  4
//   one  ┤ .___/
//        └──────────────────────> time     watching ──> adding ──> watching, with more
//                                             ^            └─────> ... or with what there was
//                                             └─ resting <─┘
//
// Rules, in one place:
//   - More are added when READs wait although asked for, the rest of the file is worth the
//     trouble, no queue has built up on the path (the round trip is what it was at best), and
//     the receive windows, or the slots, are the limit, or will be soon: the rate still grows.
//     When it stands still as many stay as it needs those for.
//   - More are tried when segments get lost while the rate stands still: a congestion window is
//     the limit then. They are kept if it becomes more.
//   - Those that do not help go, and the next wait for longer.
#ifndef CLIENT_CONNECTION_WIDENING_H_
#define CLIENT_CONNECTION_WIDENING_H_

#include <cstdint>

#include "absl/time/time.h"

namespace nfs {

// Thread-compatible. Allocates nothing.
class Widening {
 public:
  // What there is to see of a stream at a time.
  struct Sight {
    absl::Time now;
    int connections = 1;               // that are connected
    uint64_t received = 0;             // bytes, on all of them, since the stream began
    uint64_t in_flight = 0;            // bytes that are asked for and have not come
    uint64_t to_come = 0;              // bytes of the file from here on
    absl::Duration round_trip;         // TCP's, at best; 0: not known, then nothing is tried
    absl::Duration recent_round_trip;  // ... and of late
    uint64_t receive_window = 0;       // bytes: the most that one connection may announce
    uint64_t slots = UINT64_MAX;       // bytes: what one connection's slots can ask for
    uint64_t out_of_order = 0;         // segments so far that came after a gap
  };

  // There are so many already.
  explicit Widening(int most, int connections = 1) : most_(most), wanted_(connections) {}

  // How many connections there should be from now on.
  int wanted() const { return wanted_; }
  // Whether receive windows have been found to hold the stream back, or to be about to.
  bool needs_larger_windows() const { return needs_larger_windows_; }
  // When to look: once in a round trip, and not all the time where that is short.
  absl::Time next_look() const { return next_look_; }
  void OnLook(const Sight& sight);

 private:
  enum class Phase : uint8_t { kWatching, kTrying };

  void Measure(const Sight& sight);
  bool IsWorthIt(const Sight& sight) const;
  bool ReadsWait(const Sight& sight) const;
  bool MayAdd(const Sight& sight) const;
  void Watch(const Sight& sight);
  void Widen(int times);
  void Settle(const Sight& sight);
  void BeginTrial();
  void Try(const Sight& sight);
  void TakeBack(int connections, absl::Time now);
  bool StandsStill() const;

  const int most_;
  Phase phase_ = Phase::kWatching;
  int wanted_ = 1;
  int before_ = 1;            // the trial
  bool has_widened_ = false;  // for receive windows, and it has not settled yet
  bool needs_larger_windows_ = false;
  absl::Time next_look_ = absl::InfinitePast();

  // The last look, and what has come in a round trip since the one before.
  absl::Time looked_at_ = absl::InfinitePast();
  uint64_t received_ = 0;
  uint64_t out_of_order_ = 0;
  double carried_ = 0;
  double carried_before_ = 0;
  double usual_ = 0;   // a mean of the last looks
  double losses_ = 0;  // segments, of the last looks

  // The most that has been carried, and for how many looks it has not grown.
  double most_carried_ = 0;
  int looks_without_growth_ = 0;

  double goal_ = 0;  // of the trial
  int trial_looks_ = 0;
  absl::Duration rest_;
  absl::Time rests_until_ = absl::InfinitePast();
};

}  // namespace nfs

#endif  // CLIENT_CONNECTION_WIDENING_H_
