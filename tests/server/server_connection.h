// The server's side of one connection, without a socket and without a clock.
//
//   bytes come     GetReceiveSpan() -> memory       OnReceived(n, now)
//   bytes go       Sendable(now) -> spans           OnSent(n, now)
//   time passes    NextTime() -> when to look again
//
// The life of a call: its record has come; it waits until it is due (pending_calls.h);
// it is executed; its reply is cut and bent as the script says and queued; it is sent. A
// call is executed only when it is due and when not much is queued before it: a thousand
// calls do not make a thousand replies in memory.
#ifndef TESTS_SERVER_SERVER_CONNECTION_H_
#define TESTS_SERVER_SERVER_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "absl/time/time.h"
#include "rpc/record_reader.h"
#include "tests/server/call.h"
#include "tests/server/outgoing.h"
#include "tests/server/pending_calls.h"
#include "tests/server/server.h"

namespace server {

// What the owner of a connection does when nothing is left to send.
struct Verdict {
  enum class Kind : uint8_t { kOpen, kFin, kReset };
  Kind kind = Kind::kOpen;
  // With kFin and kReset: the port takes no connections for so long.
  absl::Duration refuse = absl::ZeroDuration();
};

// Thread-compatible.
class ServerConnection {
 public:
  // `server` must outlive the connection. Its number in `peer` is given by `server`.
  ServerConnection(Server& server, const Programs& programs, const Peer& peer, absl::Time now);
  ~ServerConnection();
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  // Whether bytes are to be taken from the client now. If not, they stay where they are,
  // so that it can send no more; see NextTime().
  bool CanReceive(absl::Time now);
  // Memory for the next receive, valid until OnReceived. REQUIRES: CanReceive().
  std::span<std::byte> GetReceiveSpan();
  // The next `size` bytes from the client are in it.
  void OnReceived(size_t size, absl::Time now);

  // What can be sent now, in order; the views stay valid until OnSent, or until the
  // connection is gone. Empty: nothing to send yet; see verdict() and NextTime().
  std::vector<xdr::ByteView> Sendable(absl::Time now);
  void OnSent(size_t size, absl::Time now);

  // Other than kOpen once everything before the end has been sent; the connection is
  // to be closed then.
  Verdict verdict() const { return verdict_; }

  // Whether the socket should buffer little of what the client sends.
  bool reads_slowly() const { return slow_read_.has_value(); }

  // When CanReceive() may change although nothing has come.
  absl::Time NextReceive() const { return portion_ == 0 ? next_portion_ : absl::InfiniteFuture(); }
  // When Sendable(), CanReceive() or verdict() may change although nothing has come or been sent.
  absl::Time NextTime() const;

 private:
  void TakeRecords(absl::Time now);
  bool IsIdle() const;
  void Execute(DueCall due);
  void Queue(Outgoing outgoing);
  void OnWhollySent();
  void Fail();
  void CheckTimers(absl::Time now);

  Server& server_;
  const Programs programs_;
  Peer peer_;
  rpc::RecordReader reader_;
  bool silent_ = false;
  std::optional<SlowRead> slow_read_;
  size_t portion_ = SIZE_MAX;  // may be received until
  absl::Time next_portion_ = absl::InfiniteFuture();
  absl::Duration idle_ = absl::InfiniteDuration();
  absl::Time last_active_;

  PendingCalls calls_;
  std::deque<Outgoing> outgoing_;
  size_t outgoing_bytes_ = 0;
  absl::Time paused_until_ = absl::InfinitePast();
  std::vector<ReplyBuffer> spare_;
  Verdict verdict_;
};

}  // namespace server

#endif  // TESTS_SERVER_SERVER_CONNECTION_H_
