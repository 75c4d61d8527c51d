// Tested by tests/client/connection_test.cc.
#include "client/connection/call.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

absl::Status Cancelled() { return absl::CancelledError("cancelled"); }

}  // namespace

absl::Status InContext(const rpc::Procedure& procedure, const absl::Status& status,
                       const Connection& connection) {
  const std::string name = absl::StrCat(procedure.name, ": ");
  const absl::Status named = connection.NamingServer(status);
  return absl::StartsWith(named.message(), name) ? named : Prepend(name, named);
}

absl::StatusOr<rpc::Reply> WaitForReply(Pump& pump, Connection& connection, absl::Time deadline) {
  for (;;) {
    if (std::optional<rpc::Reply> reply = connection.NextReply()) return *std::move(reply);
    if (!connection.status().ok()) return connection.status();
    if (pump.cancelled()) return Cancelled();
    if (pump.now() >= deadline) return absl::DeadlineExceededError("no reply in time");
    pump.Turn(deadline);
  }
}

absl::Status Sleep(Pump& pump, absl::Duration how_long) {
  const absl::Time until = pump.now() + how_long;
  while (pump.now() < until) {
    if (pump.cancelled()) return Cancelled();
    pump.Turn(until);
  }
  return absl::OkStatus();
}

}  // namespace nfs
