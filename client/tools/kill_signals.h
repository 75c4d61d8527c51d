// The signals that ask a program to end, put off while it leaves something half done.
#ifndef CLIENT_TOOLS_KILL_SIGNALS_H_
#define CLIENT_TOOLS_KILL_SIGNALS_H_

#include <array>
#include <csignal>

#include "client/connection/pump.h"

namespace nfs {

// While it lives, the first SIGINT, SIGTERM or SIGHUP cancels `pump`, and ends the program
// when it goes; a second one of a kind ends it at once. Those that are ignored stay so. One
// at a time, whose owner turns the pump.
class KillSignals {
 public:
  // REQUIRES: `pump` outlives it.
  explicit KillSignals(Pump& pump);
  ~KillSignals();
  KillSignals(const KillSignals&) = delete;
  KillSignals& operator=(const KillSignals&) = delete;

  bool any() const;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_KILL_SIGNALS_H_
