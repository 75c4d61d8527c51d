#include "tests/support/packet_filter.h"

#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/support/subprocess.h"

namespace support {
namespace {

// As /proc/net/tcp has it.
constexpr char kEstablished[] = "01";

absl::Status Nft(const std::string& commands) {
  const std::string nft = FindProgram("nft");
  if (nft.empty()) return absl::FailedPreconditionError("nft is not installed");
  const Outcome outcome = RunProgram({.argv = {nft, commands}});
  if (outcome.exit_status == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("nft: ", outcome.err));
}

// All of it or nothing: nft makes one transaction of one command line.
std::string Table(const std::vector<std::string>& rules) {
  return absl::StrCat("table inet cut { chain input { type filter hook input priority 0; ",
                      absl::StrJoin(rules, "; "), "; }; }");
}

// "0100007F:0801" is a port of 2049.
uint16_t PortOf(absl::string_view address) {
  uint32_t port = 0;
  const std::vector<absl::string_view> parts = absl::StrSplit(address, ':');
  return absl::SimpleHexAtoi(parts.back(), &port) ? static_cast<uint16_t>(port) : 0;
}

}  // namespace

absl::Status PacketFilter::Check() {
  return PacketFilter({"tcp dport 1 reject with tcp reset", "tcp sport 1 drop"}).status();
}

PacketFilter::PacketFilter(const std::vector<std::string>& rules) : status_(Nft(Table(rules))) {
  in_force_ = status_.ok();
}

void PacketFilter::Lift() {
  if (std::exchange(in_force_, false)) status_.Update(Nft("delete table inet cut"));
}

std::vector<uint16_t> PortsConnectedTo(uint16_t server_port) {
  std::vector<uint16_t> ports;
  std::ifstream table("/proc/thread-self/net/tcp");
  for (std::string line; std::getline(table, line);) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (fields.size() < 4 || fields[3] != kEstablished) continue;
    if (PortOf(fields[2]) == server_port) ports.push_back(PortOf(fields[1]));
  }
  return ports;
}

}  // namespace support
