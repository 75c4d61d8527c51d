// One call and its reply, for the stories that are told in order: finding ports,
// mounting, walking a path.
#ifndef CLIENT_SESSION_CALL_H_
#define CLIENT_SESSION_CALL_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/errors.h"
#include "client/session/connection.h"
#include "client/session/pump.h"
#include "rpc/channel.h"
#include "xdr/decoder.h"

namespace nfs {

// Results in which an error may end right after its status, as some servers' do: what
// could not be read after the first field stays empty.
template <typename Result>
concept HasStatus = requires(Result result) { result.status; };

template <typename Result>
absl::Status DecodeResult(xdr::ByteView bytes, Result& result) {
  xdr::Decoder decoder(bytes);
  result = decoder.Get<Result>();
  if constexpr (HasStatus<Result>) {
    const bool failed_on_server = static_cast<uint32_t>(result.status) != 0;
    if (failed_on_server && bytes.size() >= 4) return absl::OkStatus();
  }
  return decoder.status();
}

// "READ: ... [192.0.2.7:2049]": the error with the procedure before it and the server
// after it, where it does not have them yet.
absl::Status InContext(const rpc::Procedure& procedure, const absl::Status& status,
                       const Connection& connection);

// Turns `pump` until the reply of the connection's only call has come. A channel's or
// transport's error, or DeadlineExceeded at `deadline`, when none does.
absl::StatusOr<rpc::Reply> WaitForReply(Pump& pump, Connection& connection, absl::Time deadline);

// Calls `procedure` and waits. The status says that the call could not be made or not
// be understood; what the server says in its results is in the result. REQUIRES: the
// connection has no other call in flight, and nobody else waits on the pump (only the
// top level of a program or thread may).
template <typename Result, typename Args>
absl::StatusOr<Result> Call(Pump& pump, Connection& connection, const rpc::Procedure& procedure,
                            const Args& args, absl::Time deadline = absl::InfiniteFuture()) {
  connection.Call({.procedure = procedure}, args);
  const absl::StatusOr<rpc::Reply> reply = WaitForReply(pump, connection, deadline);
  if (!reply.ok()) return InContext(procedure, reply.status(), connection);
  Result result;
  absl::Status status = reply->status;
  if (status.ok()) status = DecodeResult(reply->results, result);
  if (!status.ok()) return InContext(procedure, status, connection);
  return result;
}

}  // namespace nfs

#endif  // CLIENT_SESSION_CALL_H_
