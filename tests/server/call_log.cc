// Tested by tests/server/server_connection_test.cc.
#include "tests/server/call_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"

namespace server {

std::vector<Call> CallLog::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<Call> CallLog::calls(const rpc::Procedure& procedure) const {
  const std::lock_guard lock(mutex_);
  std::vector<Call> chosen;
  std::ranges::copy_if(calls_, std::back_inserter(chosen),
                       [&](const Call& call) { return call.Is(procedure); });
  return chosen;
}

CallLog::Counters CallLog::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void CallLog::Clear() {
  const std::lock_guard lock(mutex_);
  calls_.clear();
  const uint64_t in_flight = counters_.reads_in_flight;
  counters_ = Counters();
  counters_.reads_in_flight = counters_.max_reads_in_flight = in_flight;
}

void CallLog::SetListener(std::function<void(const Call&)> listener) {
  listener_ = std::move(listener);
}

void CallLog::OnConnect() {
  const std::lock_guard lock(mutex_);
  ++counters_.connections;
}

void CallLog::OnCall(const Call& call) {
  if (listener_) listener_(call);
  const std::lock_guard lock(mutex_);
  ++counters_.calls;
  if (call.Is(mount3::kMnt)) ++counters_.mounts;
  if (call.Is(mount3::kUmnt)) ++counters_.unmounts;
  if (call.Is(nfs3::kRead)) {
    ++counters_.reads;
    ++counters_.reads_in_flight;
    counters_.max_reads_in_flight =
        std::max(counters_.max_reads_in_flight, counters_.reads_in_flight);
  }
  if (calls_.size() < capacity_) calls_.push_back(call);
}

void CallLog::OnGarbage() {
  const std::lock_guard lock(mutex_);
  ++counters_.garbage_records;
}

void CallLog::OnReplay() {
  const std::lock_guard lock(mutex_);
  ++counters_.replays;
}

void CallLog::OnReadDone() {
  const std::lock_guard lock(mutex_);
  --counters_.reads_in_flight;
}

}  // namespace server
