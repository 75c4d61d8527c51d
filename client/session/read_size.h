// How much to ask for in one READ.
#ifndef CLIENT_SESSION_READ_SIZE_H_
#define CLIENT_SESSION_READ_SIZE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "client/connection/connection.h"
#include "client/connection/pump.h"
#include "client/options.h"
#include "client/protocol/nfs3.h"

namespace nfs {

inline constexpr uint32_t kLargestDefaultRsize = 1 << 20;

// Bytes of one READ as options and server agree on them. Pure.
uint32_t ChooseReadSize(const Options& options, const nfs3::Fsinfo3Ok& info);

// The same with the server's FSINFO for `root`. What it says is advice: a server that
// cannot answer, or does not for as long as one reply may take, can still be read from.
// Only a handle that it does not know is an error. REQUIRES: as Call() in
// client/connection/call.h.
absl::StatusOr<uint32_t> AskReadSize(Pump& pump, Connection& connection,
                                     const nfs3::FileHandle3& root, const Options& options);

// Bytes of the longest READ reply that is taken for one, whatever is agreed on: some
// servers give more than they are asked for, and the surplus can be dropped. Pure.
size_t LongestPayload(const Options& options);

}  // namespace nfs

#endif  // CLIENT_SESSION_READ_SIZE_H_
