// Socket addresses and how they are written.
#ifndef IO_ADDRESS_H_
#define IO_ADDRESS_H_

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace io {

// An IPv4 or IPv6 address with a TCP port. A value: copied freely.
class Address {
 public:
  Address() = default;
  Address(const sockaddr* address, socklen_t size);

  // The loopback address 127.0.0.1 with this port.
  static Address Loopback(uint16_t port);

  int family() const { return storage_.ss_family; }
  uint16_t port() const;
  Address WithPort(uint16_t port) const;

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t raw_size() const { return size_; }

  // "192.0.2.7:2049", "[2001:db8::7]:2049", "[fe80::7%eth0]:2049".
  std::string ToString() const;

 private:
  sockaddr_storage storage_ = {};
  socklen_t size_ = 0;
};

// The addresses of `host` (a name, or a literal without brackets, with its %scope if
// any), each with `port`, in the order the resolver prefers. Blocks as long as the
// resolver does. NotFound: no such host; Unavailable: the resolver has no answer now.
absl::StatusOr<std::vector<Address>> Resolve(absl::string_view host, uint16_t port);

}  // namespace io

#endif  // IO_ADDRESS_H_
