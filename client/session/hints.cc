// Tested by tests/client/session_test.cc.
#include "client/session/hints.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/errors.h"
#include "client/session/identity.h"

namespace nfs {

namespace {

constexpr uint16_t kFirstUnprivilegedPort = 1024;

bool IsRefusal(const absl::Status& status) {
  return (absl::IsPermissionDenied(status) && KindOf(status) != ErrorKind::kLocal) ||
         absl::IsUnauthenticated(status);
}

std::string Asker(const Options& options) {
  if (options.security == Security::kNone) return "as nobody (--sec=none)";
  const rpc::Identity identity = IdentityOf(options);
  return absl::StrCat("as uid ", identity.uid, ", gid ", identity.gid,
                      " (see --uid, --gid, --groups)");
}

}  // namespace

absl::Status WithHint(const absl::Status& status, const Options& options, uint16_t source_port) {
  if (!IsRefusal(status)) return status;
  std::string hint = absl::StrCat("; asked ", Asker(options));
  if (source_port >= kFirstUnprivilegedPort) {
    absl::StrAppend(&hint, ", from port ", source_port,
                    ": if the server wants one below 1024, run this with the privilege for it"
                    " (--resvport), or export with \"insecure\"");
  }
  // Linux says so of everything in an export that is withdrawn while it is in use.
  if (absl::StrContains(status.message(), "AUTH_BADCRED")) {
    absl::StrAppend(&hint, "; the server may not export this to us any more");
  }
  return Append(status, hint);
}

}  // namespace nfs
