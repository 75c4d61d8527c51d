// One call and its reply, for the stories that are told in order: finding ports,
// mounting, walking a path.
#ifndef CLIENT_CONNECTION_CALL_H_
#define CLIENT_CONNECTION_CALL_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"
#include "client/connection/patient_wait.h"
#include "client/connection/pump.h"
#include "client/errors.h"
#include "client/protocol/nfs3_status.h"
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

// Whether the server asks for patience: the same, as a new call, is to be tried later.
template <typename Result>
bool IsJukebox(const Result& result) {
  if constexpr (requires { result.status == nfs3::Status::kJukebox; }) {
    return result.status == nfs3::Status::kJukebox;
  }
  return false;
}

// "READ: ... [192.0.2.7:2049]": the error with the procedure before it and the server
// after it, where it does not have them yet.
absl::Status InContext(const rpc::Procedure& procedure, const absl::Status& status,
                       const Connection& connection);

// Turns `pump` until the reply of the connection's only call has come. A channel's or
// transport's error, DeadlineExceeded at `deadline`, or Cancelled, when none does.
absl::StatusOr<rpc::Reply> WaitForReply(Pump& pump, Connection& connection, absl::Time deadline);

// Turns `pump` for so long. Cancelled before that if the pump is.
absl::Status Sleep(Pump& pump, absl::Duration how_long);

// As Call(), but takes the server's first word.
template <typename Result, typename Args>
absl::StatusOr<Result> CallOnce(Pump& pump, Connection& connection, const rpc::Procedure& procedure,
                                const Args& args, absl::Time deadline = absl::InfiniteFuture()) {
  connection.Call({.procedure = procedure}, args);
  absl::StatusOr<rpc::Reply> reply = WaitForReply(pump, connection, deadline);
  if (reply.ok() && reply->wants_new_credentials) {
    connection.RenewCredentials();
    connection.Call({.procedure = procedure}, args);
    reply = WaitForReply(pump, connection, deadline);
  }
  if (!reply.ok()) return InContext(procedure, reply.status(), connection);
  Result result;
  absl::Status status = reply->status;
  if (status.ok()) status = DecodeResult(reply->results, result);
  if (!status.ok()) return InContext(procedure, status, connection);
  return result;
}

// Calls `procedure` and waits; for a server that says NFS3ERR_JUKEBOX it waits longer,
// up to the connection's patience. The status says that the call could not be made or not
// be understood; what the server says in its results is in the result. REQUIRES: the
// connection has no other call in flight, and nobody else waits on the pump (only the
// top level of a program or thread may).
template <typename Result, typename Args>
absl::StatusOr<Result> Call(Pump& pump, Connection& connection, const rpc::Procedure& procedure,
                            const Args& args, absl::Time deadline = absl::InfiniteFuture()) {
  PatientWait jukebox = JukeboxWait(connection.patience());
  for (;;) {
    absl::StatusOr<Result> result = CallOnce<Result>(pump, connection, procedure, args, deadline);
    if (!result.ok() || !IsJukebox(*result)) return result;
    const std::optional<absl::Duration> wait = jukebox.Next();
    if (!wait.has_value()) return result;
    const absl::Status slept = Sleep(pump, *wait);
    if (!slept.ok()) return slept;
  }
}

}  // namespace nfs

#endif  // CLIENT_CONNECTION_CALL_H_
