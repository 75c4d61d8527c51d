// The server's side of a world: its addresses, the ways to them, and its one file.
#ifndef TESTS_SIM_SITE_H_
#define TESTS_SIM_SITE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "io/address.h"
#include "io/simulated_network.h"
#include "tests/server/server.h"
#include "tests/server/simulated_server.h"
#include "tests/sim/plan.h"
#include "tests/sim/truth.h"

namespace sim {

// rpcbind, MOUNT and NFS, exporting "/export" with the file kPath. Thread-compatible.
class Site {
 public:
  static constexpr char kPath[] = "/export/dir/file";

  // Both must outlive it.
  Site(const Plan& plan, Truth& truth);

  io::SimulatedNetwork& network() { return network_; }
  server::Server& served() { return served_; }
  absl::Time now() const { return network_.now(); }

  // What the resolver says at this time.
  absl::StatusOr<std::vector<io::Address>> Resolve() const;

  // The server's process ends, and begins. Each GoDown() needs a GoUp().
  void GoDown();
  void GoUp();
  bool is_up() const { return downs_ == 0; }
  // While it is down: it comes up at another address, which the resolver knows.
  void Move();
  // The ways to the server fall silent, and speak. Each Silence() needs a Speak().
  void Silence();
  void Speak();
  bool is_silent() const { return silences_ != 0; }

  // Changes the file, and tells the truth of it; false when there is nothing to change.
  bool Change(const TimedFault& fault);
  uint64_t file_size() const { return file_size_; }

 private:
  void ListenAt(server::SimulatedServer& server, const io::Address& address);
  void SetLinks(const io::Address& address, bool answers);
  void Grow(uint64_t bytes);
  void Shrink(uint64_t bytes);
  void Rewrite();
  void Replace();
  void Remove();

  const Plan& plan_;
  Truth& truth_;
  io::SimulatedNetwork network_;
  server::Server served_;
  server::SimulatedServer home_;
  server::SimulatedServer away_;
  bool moved_ = false;
  int downs_ = 0;
  int silences_ = 0;
  bool file_is_there_ = true;
  uint64_t file_seed_ = 0;
  uint64_t file_size_ = 0;
};

}  // namespace sim

#endif  // TESTS_SIM_SITE_H_
