// A path, a server and a consumer in virtual time, for tests of how far ahead to ask.
//
//   asks ──rtt/2──> [server: so many at a time, each takes `think`] ──> [link: one reply behind the
//                    other, at the rate that TCP and who else is there leave] ──rtt/2──> answers
//
// Whole READs, not bytes. The window slides as client/stream/window.h does: from the first byte
// that the consumer has not taken.
#ifndef TESTS_CLIENT_PATH_MODEL_H_
#define TESTS_CLIENT_PATH_MODEL_H_

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "client/stream/readahead.h"

namespace nfs {

// Times in seconds, rates in bytes a second.
struct PathModel {
  double rtt = 0.001;
  double rate = 1e9;
  // Each READ takes up to so much of a round trip longer.
  double jitter = 0;
  // The first READs find TCP in slow start; it carries no more than the receive window in a
  // round trip, which grows as the application reads.
  bool slow_start = false;
  double receive_window = 1e18;
  // Now and then a packet is lost: the link stands still for so long, one time in so many READs.
  double stall = 0;
  int stall_every = 0;
  // What the server does for a READ: at least, and up to so much more by chance.
  double think = 0;
  double think_more = 0;
  // ... and one in so many READs so much longer.
  double tail = 0;
  int tail_every = 0;
  int server_threads = 1 << 20;
  // Another stream takes half of the link, `share_period` on and as long off.
  double share_period = 0;
  // What the consumer takes; 0: all at once.
  double consumer = 0;
  // The client notices answers at multiples of this only.
  double tick = 0;

  // From some time on the path is another.
  double changes_at = 1e18;
  double rtt_later = 0;
  double rate_later = 0;

  std::string Describe() const;
};

// How it went. The second half is that of the READs, in the order of the file.
struct PathOutcome {
  double second_half_rate = 0;
  double last_quarter_rate = 0;
  uint64_t largest_window = 0;  // that was asked for in the second half
  double mean_window = 0;       // likewise
  // When some READs in a row first came at the rate that was the goal.
  double reached_after = 1e18;
};

// One stream over it.
class PathRun {
 public:
  static constexpr uint32_t kChunk = 1 << 20;

  PathRun(const PathModel& model, uint32_t seed) : model_(model), seed_(seed) {}

  // So many READs, with a window of so many bytes, or as `readahead` says.
  PathOutcome Run(uint64_t reads, uint64_t window);
  PathOutcome Run(uint64_t reads, Readahead& readahead, double goal = 0);

 private:
  enum class What : uint8_t { kServed, kAnswered, kTaken };
  struct Event {
    double at;
    uint64_t order;
    What what;
    uint64_t read;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  PathOutcome Play(uint64_t reads, double goal);
  PathOutcome Outcome(double goal) const;
  double RateOfLast(uint64_t reads) const;
  uint64_t WindowReads() const;
  void ObserveWindow();
  void Ask();
  void Schedule(double at, What what, uint64_t read) { events_.push({at, order_++, what, read}); }
  void Serve(double at, uint64_t read);
  void Send(double at, uint64_t read);
  double LinkTime(double at);
  void OnAnswer(double at, uint64_t read);
  void Take(double at);
  // The same for a READ whatever the window is, so that windows can be compared.
  enum class Dice : uint8_t { kThink, kTail, kStall, kJitter };
  double Chance(Dice dice, uint64_t read) const;

  PathModel model_;
  const uint32_t seed_;
  Readahead* readahead_ = nullptr;
  uint64_t window_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0;
  std::priority_queue<double, std::vector<double>, std::greater<>> threads_;  // free at
  double now_ = 0;
  double link_free_ = 0;
  double congestion_ = 14600;
  double consumer_free_ = 0;
  uint64_t reads_ = 0;
  uint64_t asked_ = 0;
  uint64_t in_flight_ = 0;
  uint64_t next_ = 0;   // the first that is not on its way to the consumer
  uint64_t taken_ = 0;  // by the consumer
  std::vector<bool> answered_;
  std::vector<double> taken_at_;
  std::vector<Readahead::Flight> flights_;
  double window_seconds_ = 0, window_since_ = 0, second_half_ = 0;
  uint64_t largest_window_ = 0;
};

}  // namespace nfs

#endif  // TESTS_CLIENT_PATH_MODEL_H_
