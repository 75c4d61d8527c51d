// Who may do what, by mode bits, as the embedded server judges it.
#ifndef TESTS_SERVER_PERMISSIONS_H_
#define TESTS_SERVER_PERMISSIONS_H_

#include <cstdint>

#include "client/protocol/nfs3.h"
#include "rpc/auth.h"

namespace server {

// The bits of one class of a mode.
inline constexpr uint32_t kExecute = 1;  // of a directory: to look names up in it
inline constexpr uint32_t kWrite = 2;
inline constexpr uint32_t kRead = 4;

// Whether all of `wanted` is permitted. Root may do everything.
bool Permits(const nfs3::Fattr3& attributes, const rpc::Identity& identity, uint32_t wanted);

// What ACCESS (RFC 1813, 3.3.4) answers when it is asked for everything.
uint32_t AccessBits(const nfs3::Fattr3& attributes, const rpc::Identity& identity);

// Who the server takes the caller for: with `root_squash` root is nobody.
rpc::Identity Squashed(const rpc::Identity& identity, bool root_squash);

}  // namespace server

#endif  // TESTS_SERVER_PERMISSIONS_H_
