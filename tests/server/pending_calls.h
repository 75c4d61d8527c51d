// Calls on their way from the message that brought them to their reply, on one
// connection or one UDP port.
//
// A call is logged, the script says what is to happen to it, and then it waits: for the
// calls that it is held together with, and for its delay, which counts from when it
// came, so calls in flight wait beside each other and not in a row.
#ifndef TESTS_SERVER_PENDING_CALLS_H_
#define TESTS_SERVER_PENDING_CALLS_H_

#include <map>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "tests/server/call.h"
#include "tests/server/script.h"
#include "tests/server/server.h"
#include "xdr/types.h"

namespace server {

// A call whose time has come, and what its reply is to be like.
struct DueCall {
  Call call;
  Actions actions;
  bool is_duplicate = false;

  // Whether the log counts it as a READ in flight.
  bool IsInFlight() const;
};

// Thread-compatible.
class PendingCalls {
 public:
  // `server` must outlive it.
  explicit PendingCalls(Server& server) : server_(server) {}
  // What still waits will never be answered, says the log.
  ~PendingCalls();
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  // False when the message, which has no record mark, is no call at all. The log counts
  // it as garbage then, and also when no honest client would send it.
  bool OnMessage(xdr::ByteView message, const Peer& from, absl::Time now);

  // The next call to execute. The log's OnReadDone() is the caller's from then on.
  std::optional<DueCall> TakeDue(absl::Time now);
  // When TakeDue() may have something although no message has come.
  absl::Time NextTime() const;
  bool empty() const { return waiting_.empty() && held_.empty(); }

 private:
  void Schedule(DueCall call, absl::Time now);
  void HoldBack(DueCall call, absl::Time now);
  void ReleaseHeld(absl::Time now);

  Server& server_;
  std::multimap<absl::Time, DueCall> waiting_;  // by when it is due
  std::vector<DueCall> held_;
  absl::Time held_until_ = absl::InfiniteFuture();
};

}  // namespace server

#endif  // TESTS_SERVER_PENDING_CALLS_H_
