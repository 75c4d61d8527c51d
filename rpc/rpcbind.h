// Asking where a program listens: the port mapper (RFC 1833, section 3) and rpcbind
// (section 2).
//
// Over IPv4 version 2 (GETPORT) comes first and version 4 (GETADDR) second: every server
// has version 2, small and old ones have nothing else, and its answer is the port alone,
// which is all that is used of a universal address anyway. What it cannot say is the
// port of a service on IPv6, which may be another one, or the only one; so over IPv6
// version 4 comes first. GETADDR is asked with the netid of the connection at hand.
#ifndef RPC_RPCBIND_H_
#define RPC_RPCBIND_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "rpc/message.h"
#include "xdr/types.h"

namespace rpc {

inline constexpr uint32_t kRpcbindProgram = 100000;
inline constexpr uint16_t kRpcbindPort = 111;
inline constexpr Procedure kGetport = {kRpcbindProgram, 2, 3, "GETPORT"};
inline constexpr Procedure kGetaddr = {kRpcbindProgram, 4, 3, "GETADDR"};

enum class IpProtocol : uint32_t { kTcp = 6, kUdp = 17 };

// struct mapping: the argument of GETPORT, whose result is a port, 0 for none.
struct Mapping {
  uint32_t program = 0;
  uint32_t version = 0;
  IpProtocol protocol = IpProtocol::kTcp;
  uint32_t port = 0;  // not read by GETPORT

  bool operator==(const Mapping&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("prog", self.program);
    coder.Field("vers", self.version);
    coder.Field("prot", self.protocol);
    coder.Field("port", self.port);
  }
};

struct GetportResult {
  uint32_t port = 0;

  static void Describe(auto& coder, auto& self) { coder.Field("port", self.port); }
};

// The RFC bounds none of rpcb's strings; no address is longer than this.
using RpcbString = xdr::String<1024>;

// struct rpcb: the argument of GETADDR.
struct Rpcb {
  uint32_t program = 0;
  uint32_t version = 0;
  RpcbString netid;    // "tcp", "tcp6", "udp", "udp6"
  RpcbString address;  // a hint, may be empty
  RpcbString owner;

  bool operator==(const Rpcb&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("r_prog", self.program);
    coder.Field("r_vers", self.version);
    coder.Field("r_netid", self.netid);
    coder.Field("r_addr", self.address);
    coder.Field("r_owner", self.owner);
  }
};

// A universal address (RFC 5665, 5.2.3); empty when nothing listens.
struct GetaddrResult {
  RpcbString address;

  static void Describe(auto& coder, auto& self) { coder.Field("uaddr", self.address); }
};

// The port at the end of a universal address: "192.0.2.7.8.1" and "fe80::1.8.1" are
// port 8 * 256 + 1. The host part is not looked at: many servers put a wildcard
// there. Nothing when the text does not end in two numbers from 0 to 255.
std::optional<uint16_t> PortOfUniversalAddress(absl::string_view address);

}  // namespace rpc

#endif  // RPC_RPCBIND_H_
