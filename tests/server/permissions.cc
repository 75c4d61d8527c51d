// Tested by tests/server/service_test.cc.
#include "tests/server/permissions.h"

#include <algorithm>

#include "tests/server/call.h"

namespace server {

namespace {

// ACCESS3_READ is nfs3::kAccessRead.
constexpr uint32_t kAccessLookup = 0x02;
constexpr uint32_t kAccessModify = 0x04;
constexpr uint32_t kAccessExtend = 0x08;
constexpr uint32_t kAccessDelete = 0x10;
constexpr uint32_t kAccessExecute = 0x20;

bool IsMember(const rpc::Identity& identity, uint32_t gid) {
  return identity.gid == gid || std::ranges::count(identity.groups, gid) != 0;
}

}  // namespace

bool Permits(const nfs3::Fattr3& attributes, const rpc::Identity& identity, uint32_t wanted) {
  if (identity.uid == 0) return true;
  uint32_t bits = attributes.mode;
  if (identity.uid == attributes.uid) {
    bits >>= 6;
  } else if (IsMember(identity, attributes.gid)) {
    bits >>= 3;
  }
  return (bits & wanted) == wanted;
}

uint32_t AccessBits(const nfs3::Fattr3& attributes, const rpc::Identity& identity) {
  const bool is_directory = attributes.type == nfs3::FileType3::kDir;
  uint32_t bits = 0;
  if (Permits(attributes, identity, kRead)) bits |= nfs3::kAccessRead;
  if (Permits(attributes, identity, kWrite)) {
    bits |= kAccessModify | kAccessExtend | (is_directory ? kAccessDelete : 0);
  }
  if (Permits(attributes, identity, kExecute))
    bits |= is_directory ? kAccessLookup : kAccessExecute;
  return bits;
}

rpc::Identity Squashed(const rpc::Identity& identity, bool root_squash) {
  if (!root_squash || identity.uid != 0) return identity;
  return {kNobody, kNobody, {}};
}

}  // namespace server
