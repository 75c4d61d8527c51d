// Every call that the embedded server was sent, for tests to look at.
#ifndef TESTS_SERVER_CALL_LOG_H_
#define TESTS_SERVER_CALL_LOG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "rpc/message.h"
#include "tests/server/call.h"

namespace server {

// Thread-safe.
class CallLog {
 public:
  struct Counters {
    uint64_t calls = 0;
    uint64_t connections = 0;
    uint64_t mounts = 0;    // MNT
    uint64_t unmounts = 0;  // UMNT
    uint64_t reads = 0;     // READ
    // What came and was none of the calls that RFC 5531 and the programs describe: lost
    // framing, other messages, and credentials or arguments that cannot be decoded.
    uint64_t garbage_records = 0;
    uint64_t replays = 0;  // replies out of the duplicate request cache
    // READs that had come and whose reply had not been handed to the network in full,
    // over all connections: now, and at most.
    uint64_t reads_in_flight = 0;
    uint64_t max_reads_in_flight = 0;
  };

  // Keeps the first `capacity` calls, and counts all.
  explicit CallLog(size_t capacity = 1 << 16) : capacity_(capacity) {}

  std::vector<Call> calls() const;
  std::vector<Call> calls(const rpc::Procedure& procedure) const;
  Counters counters() const;
  // Forgets the calls and the counts, but for what is in flight.
  void Clear();

  // Is given every call as it comes, in the thread that serves it. Set before that.
  void SetListener(std::function<void(const Call&)> listener);

  void OnConnect();
  void OnCall(const Call& call);
  void OnGarbage();
  void OnReplay();
  // The reply to a READ has been sent, or will never be.
  void OnReadDone();

 private:
  const size_t capacity_;
  std::function<void(const Call&)> listener_;
  mutable std::mutex mutex_;  // of all that follows
  std::vector<Call> calls_;
  Counters counters_;
};

}  // namespace server

#endif  // TESTS_SERVER_CALL_LOG_H_
