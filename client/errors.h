// What went wrong, so that a program (and a shell) can act on it.
//
// Every error of this library is an absl::Status whose message names the procedure,
// the protocol's own status name and number, and the server. KindOf() sorts them into
// the classes that nfscat exits with; NfsStatusOf() gives the server's own word.
#ifndef CLIENT_ERRORS_H_
#define CLIENT_ERRORS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_status.h"

namespace nfs {

// The numbers are nfscat's exit statuses.
enum class ErrorKind : int {
  kNone = 0,
  kLocal = 1,         // output file, pipe, memory
  kUsage = 2,         // bad option, bad URL
  kUnreachable = 3,   // no such host, no connection, no such RPC service or version
  kMountRefused = 4,  // no such export, access denied, wrong authentication flavor
  kNfs = 5,           // the server answered an NFS error
  kTimedOut = 6,      // the server stopped answering
  kFileChanged = 7,   // the file changed or shrank while it was read
  kProtocol = 8,      // the server broke the protocol
};

ErrorKind KindOf(const absl::Status& status);

// The nfsstat3 that a server answered, if that is what the error is about.
std::optional<nfs3::Status> NfsStatusOf(const absl::Status& status);

// Whether it is that a file handle is not good, or not any more.
bool IsStale(const absl::Status& status);

// "LOOKUP: NFS3ERR_NOENT (2): No such file or directory".
absl::Status NfsError(absl::string_view procedure, nfs3::Status status);
// An NFS error that the client finds itself, such as reading a directory: the text
// after the status's words says how.
absl::Status NfsError(absl::string_view procedure, nfs3::Status status, absl::string_view detail);

// The path cannot be followed to a file, for a reason that no nfsstat3 names.
absl::Status PathError(absl::string_view text);

absl::Status MountError(mount3::Status status);
// MOUNT, or finding an export, failed for a reason that no mountstat3 names.
absl::Status MountError(absl::string_view text);

// A failure on this machine (output, memory), with the same code and message.
absl::Status LocalError(const absl::Status& status);

absl::Status FileChangedError(absl::string_view text);

// The same error with `text` at the end of its message; the kind stays.
absl::Status Append(const absl::Status& status, absl::string_view text);
// ... and at its beginning.
absl::Status Prepend(absl::string_view text, const absl::Status& status);

}  // namespace nfs

#endif  // CLIENT_ERRORS_H_
