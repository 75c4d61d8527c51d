// Tested by tests/rpc/message_test.cc and, against libtirpc, tests/oracle/.
#include "rpc/auth.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "xdr/encoder.h"
#include "xdr/wire.h"

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

OpaqueAuth Renewed(const OpaqueAuth& auth) {
  constexpr size_t kStampBytes = 4;  // the first of the body
  const xdr::ByteView body = auth.body.view();
  if (auth.flavor != AuthFlavor::kSys || body.size() < kStampBytes) return auth;
  std::array<std::byte, kMaxAuthBytes> space;
  std::ranges::copy(body, space.begin());
  xdr::StoreUint32(space.data(), xdr::LoadUint32(space.data()) + 1);
  OpaqueAuth renewed = auth;
  renewed.body.Assign(std::span(space).first(body.size()));
  return renewed;
}

}  // namespace rpc
