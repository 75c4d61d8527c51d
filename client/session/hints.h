// What may help against a refusal. Pure.
#ifndef CLIENT_SESSION_HINTS_H_
#define CLIENT_SESSION_HINTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "client/options.h"

namespace nfs {

// `status`, and if it says that we may not (ACCES, PERM, a refusal of our credentials),
// as whom and from which port we asked, and which options change that. Servers say the
// same when the user is the wrong one and when the source port is not a privileged one
// ("secure" exports; RFC 2623, section 2.1).
absl::Status WithHint(const absl::Status& status, const Options& options, uint16_t source_port);

}  // namespace nfs

#endif  // CLIENT_SESSION_HINTS_H_
