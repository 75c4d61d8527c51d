// Tested by tests/client/nfscat_output_test.cc.
#include "client/tools/kill_signals.h"

#include <atomic>
#include <cassert>
#include <cerrno>

namespace nfs {

namespace {

std::atomic<Pump*> cancels = nullptr;
std::atomic<int> caught = 0;

void Catch(int signal) {
  const int error = errno;
  caught = signal;
  if (Pump* const pump = cancels) pump->Cancel();  // a flag, and a write to an eventfd
  errno = error;
}

}  // namespace

KillSignals::KillSignals(Pump& pump) {
  assert(cancels == nullptr);
  caught = 0;
  cancels = &pump;
  struct sigaction action = {};
  action.sa_handler = Catch;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

KillSignals::~KillSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  cancels = nullptr;
  if (caught != 0) std::raise(caught);
}

bool KillSignals::any() const { return caught != 0; }

}  // namespace nfs
