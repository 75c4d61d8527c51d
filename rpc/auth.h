// Credentials: AUTH_NONE (RFC 5531, 10.1) and AUTH_SYS (appendix A).
#ifndef RPC_AUTH_H_
#define RPC_AUTH_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "rpc/message.h"
#include "xdr/types.h"

namespace rpc {

// The body of AUTH_SYS credentials, authsys_parms.
struct AuthSysParms {
  uint32_t stamp = 0;
  xdr::String<255> machine_name;
  uint32_t uid = 0;
  uint32_t gid = 0;
  xdr::Array<uint32_t, 16> gids;

  bool operator==(const AuthSysParms&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("stamp", self.stamp);
    coder.Field("machinename", self.machine_name);
    coder.Field("uid", self.uid);
    coder.Field("gid", self.gid);
    coder.Field("gids", self.gids);
  }
};

// Who asks, as the server is told. AUTH_SYS carries no proof of it.
struct Identity {
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;  // supplementary
};

OpaqueAuth AuthNone();

// AUTH_SYS credentials that any server can decode, whatever they are made from:
// the machine's name is cut after 255 bytes, the groups after the first 16, and a
// group (uint32_t)-1 is left out, since servers take it for "unset".
OpaqueAuth AuthSys(const Identity& identity, absl::string_view machine_name, uint32_t stamp);

// The same, with another stamp.
OpaqueAuth Renewed(const OpaqueAuth& auth);

}  // namespace rpc

#endif  // RPC_AUTH_H_
