// What the kernel's refusals mean, in one place, and how they are told:
//
//   connect: ECONNREFUSED (111): Connection refused [192.0.2.7:2049]
#ifndef IO_ERRNO_STATUS_H_
#define IO_ERRNO_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "io/address.h"

namespace io {

// `error` of an operation on a socket, or of one that makes the things of a transport
// (an eventfd, a ring). Codes: Unavailable for what another try may mend,
// PermissionDenied and ResourceExhausted for the machine's own refusals,
// InvalidArgument and Unimplemented for an address that the machine cannot use, and
// Internal for what should not happen. REQUIRES: error is not 0.
absl::Status SocketError(absl::string_view operation, int error);
absl::Status SocketError(absl::string_view operation, int error, const Address& peer);

// The peer has ended its stream: Unavailable.
absl::Status PeerClosed(const Address& peer);

// `error` of a write to the output. Codes: Aborted when nobody reads it any more
// (EPIPE), ResourceExhausted when it is full, PermissionDenied, InvalidArgument when
// it cannot be written to (at that offset), DataLoss when the device fails, and
// Internal.
absl::Status OutputError(int error);
// The same for another operation on the output: "open", "close".
absl::Status OutputError(absl::string_view operation, int error);

}  // namespace io

#endif  // IO_ERRNO_STATUS_H_
