// Tested by tests/rpc/message_test.cc and, against libtirpc, tests/oracle/.
#include "rpc/auth.h"

#include <array>
#include <cassert>

#include "xdr/encoder.h"

namespace rpc {

OpaqueAuth AuthNone() { return OpaqueAuth(); }

OpaqueAuth AuthSys(const Identity& identity, absl::string_view machine_name, uint32_t stamp) {
  AuthSysParms parms;
  parms.stamp = stamp;
  parms.machine_name = xdr::String<255>(machine_name.substr(0, 255));
  parms.uid = identity.uid;
  parms.gid = identity.gid;
  for (uint32_t group : identity.groups) {
    if (parms.gids.elements.size() == 16) break;
    if (group != UINT32_MAX) parms.gids.elements.push_back(group);
  }
  std::array<std::byte, kMaxAuthBytes> space;
  xdr::Encoder encoder(space);
  encoder.Put(parms);
  assert(encoder.ok());  // at most 4 + (4 + 256) + 8 + (4 + 64) = 340 bytes
  OpaqueAuth auth;
  auth.flavor = AuthFlavor::kSys;
  auth.body.Assign(encoder.written());
  return auth;
}

}  // namespace rpc
