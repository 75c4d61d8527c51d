// Who asks: the AUTH_SYS identity of options and process.
#ifndef CLIENT_SESSION_IDENTITY_H_
#define CLIENT_SESSION_IDENTITY_H_

#include <cstdint>

#include "client/options.h"
#include "rpc/auth.h"
#include "rpc/message.h"

namespace nfs {

// Who the options say that we are; the process's own identity where they do not.
rpc::Identity IdentityOf(const Options& options);

// The credentials that every call of a session carries: AUTH_NONE, or AUTH_SYS with this
// stamp, which is any random number.
rpc::OpaqueAuth CredentialsOf(const Options& options, uint32_t stamp);

}  // namespace nfs

#endif  // CLIENT_SESSION_IDENTITY_H_
