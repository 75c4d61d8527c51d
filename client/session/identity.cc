// Tested by tests/client/session_test.cc.
#include "client/session/identity.h"

#include <unistd.h>

#include <array>
#include <vector>

#include "absl/strings/string_view.h"
#include "rpc/auth.h"

namespace nfs {

namespace {

std::vector<uint32_t> OwnGroups() {
  std::vector<gid_t> groups(static_cast<size_t>(std::max(0, getgroups(0, nullptr))));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<size_t>(std::max(0, count)));
  return std::vector<uint32_t>(groups.begin(), groups.end());
}

}  // namespace

rpc::Identity IdentityOf(const Options& options) {
  rpc::Identity identity;
  identity.uid = options.uid.value_or(geteuid());
  identity.gid = options.gid.value_or(getegid());
  // Another user's identity does not come with our own groups.
  const bool own = !options.uid.has_value() && !options.gid.has_value();
  identity.groups = options.groups.value_or(own ? OwnGroups() : std::vector<uint32_t>());
  return identity;
}

rpc::OpaqueAuth CredentialsOf(const Options& options, uint32_t stamp) {
  if (options.security == Security::kNone) return rpc::AuthNone();
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  return rpc::AuthSys(IdentityOf(options), absl::string_view(name.data()), stamp);
}

}  // namespace nfs
