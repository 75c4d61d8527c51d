// Tested by tests/client/connection_test.cc.
#include "client/session/call.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace nfs {

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
    if (pump.now() >= deadline) return absl::DeadlineExceededError("no reply in time");
    pump.Turn(deadline);
  }
}

}  // namespace nfs
