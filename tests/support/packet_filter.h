// A firewall's rules on the test's own machine, to cut connections that nobody closes.
//
//   PacketFilter cut({"tcp dport 2049 drop", "tcp sport 2049 drop"});
//   ...                                  // nothing goes to or from port 2049
//   cut.Lift();
#ifndef TESTS_SUPPORT_PACKET_FILTER_H_
#define TESTS_SUPPORT_PACKET_FILTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace support {

// Thread-compatible; one at a time. REQUIRES: EnterPrivateMachine() succeeded, here and
// for the functions below.
class PacketFilter {
 public:
  // OK if rules can be set here. An error says why not: nft(8) is not installed, or the
  // kernel has no nf_tables.
  static absl::Status Check();

  // Rules in nft's words, applied to what arrives at this machine, which over loopback
  // is everything twice: once at either end. They are in force until Lift() or destruction.
  explicit PacketFilter(const std::vector<std::string>& rules);
  ~PacketFilter() { Lift(); }
  PacketFilter(const PacketFilter&) = delete;
  PacketFilter& operator=(const PacketFilter&) = delete;

  // Whether the rules were accepted, and why not.
  const absl::Status& status() const { return status_; }
  void Lift();

 private:
  absl::Status status_;
  bool in_force_ = false;
};

// The ports here from which connections to `server_port`, at an IPv4 address, are open.
std::vector<uint16_t> PortsConnectedTo(uint16_t server_port);

}  // namespace support

#endif  // TESTS_SUPPORT_PACKET_FILTER_H_
