// Tested by tests/io/address_test.cc.
#include "io/address.h"

#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "io/errno_status.h"

namespace io {

namespace {

struct Lookup {
  const char* name;  // of the error
  absl::StatusCode code;
};

Lookup LookupOf(int error) {
  switch (error) {
    case EAI_NONAME: return {"EAI_NONAME", absl::StatusCode::kNotFound};
#ifdef EAI_NODATA
    case EAI_NODATA: return {"EAI_NODATA", absl::StatusCode::kNotFound};
#endif
#ifdef EAI_ADDRFAMILY
    case EAI_ADDRFAMILY: return {"EAI_ADDRFAMILY", absl::StatusCode::kNotFound};
#endif
    case EAI_AGAIN: return {"EAI_AGAIN", absl::StatusCode::kUnavailable};
    case EAI_FAIL: return {"EAI_FAIL", absl::StatusCode::kUnavailable};
    case EAI_MEMORY: return {"EAI_MEMORY", absl::StatusCode::kResourceExhausted};
    default: return {"EAI", absl::StatusCode::kInternal};
  }
}

absl::Status LookupError(int error, absl::string_view host) {
  if (error == EAI_SYSTEM) return SocketError(absl::StrCat("getaddrinfo of ", host), errno);
  const Lookup lookup = LookupOf(error);
  return absl::Status(lookup.code, absl::StrCat("getaddrinfo: ", lookup.name, " (", error,
                                                "): ", gai_strerror(error), " [", host, "]"));
}

bool IsSame(const Address& a, const Address& b) {
  return a.raw_size() == b.raw_size() && std::memcmp(a.raw(), b.raw(), a.raw_size()) == 0;
}

struct FreeAddrinfo {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

std::vector<Address> WithoutDuplicates(const addrinfo* list) {
  std::vector<Address> addresses;
  for (; list != nullptr; list = list->ai_next) {
    if (list->ai_family != AF_INET && list->ai_family != AF_INET6) continue;
    const Address address(list->ai_addr, list->ai_addrlen);
    const auto same = [&](const Address& other) { return IsSame(other, address); };
    if (std::ranges::none_of(addresses, same)) addresses.push_back(address);
  }
  return addresses;
}

}  // namespace

Address::Address(const sockaddr* address, socklen_t size) : size_(size) {
  assert(size <= sizeof(storage_));
  std::memcpy(&storage_, address, size);
}

Address Address::Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return Address(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

uint16_t Address::port() const {
  switch (family()) {
    case AF_INET: return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
    case AF_INET6: return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
    default: return 0;
  }
}

Address Address::WithPort(uint16_t port) const {
  Address address = *this;
  if (family() == AF_INET) {
    reinterpret_cast<sockaddr_in*>(&address.storage_)->sin_port = htons(port);
  } else if (family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&address.storage_)->sin6_port = htons(port);
  }
  return address;
}

std::string Address::ToString() const {
  char host[NI_MAXHOST];
  const int error =
      getnameinfo(raw(), size_, host, sizeof(host), nullptr, 0, NI_NUMERICHOST | NI_NUMERICSERV);
  if (error != 0) return "(no address)";
  if (family() == AF_INET6) return absl::StrCat("[", host, "]:", port());
  return absl::StrCat(host, ":", port());
}

absl::StatusOr<std::vector<Address>> Resolve(absl::string_view host, uint16_t port) {
  // An empty name would mean "this host" to getaddrinfo, and a NUL would end the name.
  if (host.empty() || host.find('\0') != host.npos) return LookupError(EAI_NONAME, host);
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error =
      getaddrinfo(std::string(host).c_str(), std::to_string(port).c_str(), &hints, &list);
  const std::unique_ptr<addrinfo, FreeAddrinfo> owned(list);
  if (error != 0) return LookupError(error, host);
  std::vector<Address> addresses = WithoutDuplicates(list);
  if (addresses.empty()) return LookupError(EAI_NONAME, host);
  return addresses;
}

}  // namespace io
