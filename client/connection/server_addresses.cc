// Tested by tests/client/address_race_test.cc.
#include "client/connection/server_addresses.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nfs {

ServerAddresses::ServerAddresses(std::string host, io::Addresses addresses,
                                 std::unique_ptr<io::Resolver> resolver)
    : host_(std::move(host)), addresses_(std::move(addresses)), resolver_(std::move(resolver)) {
  assert(!addresses_.empty());
}

void ServerAddresses::Prefer(const io::Address& address) {
  const auto name = [](const io::Address& each) { return each.WithPort(0).ToString(); };
  const auto found = std::ranges::find(addresses_, name(address), name);
  if (found != addresses_.end()) std::rotate(addresses_.begin(), found, found + 1);
}

void ServerAddresses::AskAgain() {
  if (resolver_ == nullptr) return;
  auto answer = resolver_->Poll();
  if (answer.has_value() && answer->ok() && !(*answer)->empty()) addresses_ = **std::move(answer);
}

}  // namespace nfs
