// The client's side of a world: opens the file and takes its bytes as the plan says.
#ifndef TESTS_SIM_CONSUMER_H_
#define TESTS_SIM_CONSUMER_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "io/simulated_transport.h"
#include "tests/sim/any_order_file.h"
#include "tests/sim/ledger.h"
#include "tests/sim/plan.h"
#include "tests/sim/site.h"
#include "tests/sim/timeline.h"
#include "tests/sim/truth.h"

namespace sim {

// Thread-compatible.
class Consumer {
 public:
  enum class End : uint8_t { kNotOpened, kStopped, kError, kAllBytes };

  // All must outlive it.
  Consumer(const Plan& plan, Site& site, Ledger& ledger, Truth& truth, Timeline& timeline);
  ~Consumer();

  // The whole story, until session and stream are gone. Throws Abandoned.
  void Run();

  End end() const { return end_; }
  const absl::Status& status() const { return status_; }
  // "exit 6: READ: ..." (absl's own text has payloads in any order).
  std::string StatusText() const;
  // When the session was open, or was not.
  absl::Time opened() const { return opened_; }
  uint64_t connects() const { return connects_; }
  // Whether a stream waits for the replies to calls.
  bool has_calls_in_flight() const {
    return stream_ != nullptr && !is_over_ && CallsInFlight() != 0;
  }
  // What it saw that must not be; empty when nothing.
  const std::string& violation() const { return violation_; }
  // For every run that has ended: what is wrong with it, given what there was to know.
  void set_judge(std::function<std::string(bool complete)> judge) { judge_ = std::move(judge); }

  // One of its connects begins.
  void OnConnect(const io::Address& address);
  void Violate(const std::string& what);

 private:
  struct Piece {
    std::span<const std::byte> bytes;
    uint64_t checksum = 0;
    nfs::ChunkId chunk = 0;  // when taken in any order
  };

  std::unique_ptr<io::Transport> MakeTransport();
  absl::Status Open();
  absl::Status BeginStream(const nfs::Range& range);
  void Stream();
  // Of the stream, when what came up to be diverted has been decided.
  void Turn(bool waits, absl::Time until);
  void Decide();
  void TakeDiverted();
  // One turn, or one piece.
  void Step();
  bool KeepsPieces();
  void ReleaseUnlessMoreComes();
  int CallsInFlight() const;
  bool TakePiece();
  std::optional<Piece> LendNext();
  std::optional<Piece> LendAny();
  void Deliver(std::span<const std::byte> bytes);
  void ReleaseOne();
  void Pause();
  void SleepUntil(absl::Time time);
  bool SeekIfDue();
  void EndStream(bool complete);
  void CloseAll();
  void CheckCounts();

  const Plan& plan_;
  Site& site_;
  Ledger& ledger_;
  Truth& truth_;
  Timeline& timeline_;
  std::function<std::string(bool)> judge_;
  io::SimulatedTransport* transport_ = nullptr;  // the session's
  std::unique_ptr<nfs::Session> session_;
  std::unique_ptr<nfs::FileStream> stream_;
  std::deque<Piece> lent_;
  AnyOrderFile file_;
  End end_ = End::kNotOpened;
  absl::Status status_;
  absl::Time opened_ = absl::InfiniteFuture();
  bool is_over_ = false;
  uint64_t steps_ = 0;
  uint64_t pieces_ = 0;
  uint64_t decisions_ = 0;
  size_t next_seek_ = 0;
  uint64_t connects_ = 0;
  // By address: the second of the last connect, and how many there were in it.
  std::map<std::string, std::pair<int64_t, uint64_t>> connects_per_second_;
  std::string violation_;
};

}  // namespace sim

#endif  // TESTS_SIM_CONSUMER_H_
