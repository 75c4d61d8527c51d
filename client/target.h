// What a user types to name a file on a server.
#ifndef CLIENT_TARGET_H_
#define CLIENT_TARGET_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/options.h"

namespace nfs {

struct Target {
  std::string text;   // as typed, for messages
  std::string host;   // a name, or a literal without brackets, "fe80::1%eth0"
  uint16_t port = 0;  // of NFS; 0 when not given
  // The whole path on the server, from "/". Slashes are single, none at the end.
  // Names are bytes: whatever the percent-escapes said, but never a NUL.
  std::string path;
  std::vector<std::pair<std::string, std::string>> keys;  // of the query, decoded
};

// Reads one of
//   nfs://[user@]host[:port]/path[?key=value&...]   (RFC 2224 with libnfs's keys)
//   host:/path, [v6addr]:/path                      (as mount(8) takes it)
// In the first form percent-escapes are decoded in each part after the parts have been
// taken apart, so %2F in a name is refused and %3F is a question mark; a ':' in the
// path is a ':'. In the second nothing is decoded. InvalidArgument says what is wrong
// and what is right.
absl::StatusOr<Target> ParseTarget(absl::string_view text);

// Sets in `options` what the target's port and keys say. Takes our options by their
// names (client/options.h) and libnfs's keys. A key of libnfs's that means nothing
// here is told to options.warn; an unknown one is InvalidArgument.
absl::Status ApplyTarget(const Target& target, Options& options);

}  // namespace nfs

#endif  // CLIENT_TARGET_H_
