// Tested by tests/sim/world_test.cc.
#include "tests/sim/site.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <limits>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "rpc/rpcbind.h"
#include "tests/server/contents.h"

namespace sim {

namespace {

constexpr uint16_t kMountPort = 635;
constexpr uint16_t kPorts[] = {rpc::kRpcbindPort, kMountPort, nfs3::kPort};
constexpr uint64_t kLargestFile = 400'000;

// 192.0.2.`last`, of the block for documentation.
io::Address AddressOf(int last) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(0xc0000200u + static_cast<uint32_t>(last));
  return io::Address(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

const io::Address kHome = AddressOf(1);
const io::Address kAway = AddressOf(2);
io::Address Dead(int i) { return AddressOf(10 + i); }
io::Address Refusing(int i) { return AddressOf(20 + i); }

}  // namespace

Site::Site(const Plan& plan, Truth& truth)
    : plan_(plan),
      truth_(truth),
      served_(/*logged_calls=*/0, plan.seed),
      home_(served_, network_),
      away_(served_, network_),
      file_size_(plan.file_size) {
  served_.Register({.program = mount3::kProgram, .version = 3, .port = kMountPort});
  served_.Register({.program = nfs3::kProgram, .version = 3, .port = nfs3::kPort});
  served_.tree().AddFile(kPath, server::PatternContents(file_size_));
  truth_.AddVersion(file_seed_, file_size_, Truth::Change::kOther);
  ListenAt(home_, kHome);
  SetLinks(kHome, true);
  SetLinks(kAway, true);
  for (int i = 0; i < plan.network.dead_addresses; ++i) SetLinks(Dead(i), false);
  for (int i = 0; i < plan.network.refusing_addresses; ++i) SetLinks(Refusing(i), true);
}

absl::StatusOr<std::vector<io::Address>> Site::Resolve() const {
  const io::Address live = moved_ ? kAway : kHome;
  std::vector<io::Address> addresses;
  if (plan_.network.live_address_first) addresses.push_back(live);
  for (int i = 0; i < plan_.network.dead_addresses; ++i) addresses.push_back(Dead(i));
  for (int i = 0; i < plan_.network.refusing_addresses; ++i) addresses.push_back(Refusing(i));
  if (!plan_.network.live_address_first) addresses.push_back(live);
  return addresses;
}

void Site::ListenAt(server::SimulatedServer& server, const io::Address& address) {
  server.Listen(address.WithPort(rpc::kRpcbindPort),
                {.nfs = false, .mount = false, .rpcbind = true});
  server.Listen(address.WithPort(kMountPort), {.nfs = false, .mount = true});
  server.Listen(address.WithPort(nfs3::kPort), {.nfs = true, .mount = false});
}

void Site::SetLinks(const io::Address& address, bool answers) {
  const NetworkPlan& plan = plan_.network;
  io::LinkPolicy policy;
  policy.delay = plan.delay;
  policy.segment_bytes = plan.segment_bytes;
  policy.answers = answers;
  policy.sends_at_once = plan.sends_at_once;
  if (plan.bytes_per_second != 0) policy.bytes_per_second = plan.bytes_per_second;
  policy.receive_window_bytes = plan.receive_window_bytes;
  if (plan.max_receive != 0) policy.max_receive = plan.max_receive;
  for (uint16_t port : kPorts) network_.SetLink(address.WithPort(port), policy);
}

void Site::GoDown() {
  if (downs_++ == 0) (moved_ ? away_ : home_).Stop();
}

void Site::GoUp() {
  if (--downs_ == 0) (moved_ ? away_ : home_).Start();
}

void Site::Move() {
  moved_ = true;
  ListenAt(away_, kAway);
  away_.Stop();
}

void Site::Silence() {
  if (silences_++ != 0) return;
  SetLinks(kHome, false);
  SetLinks(kAway, false);
}

void Site::Speak() {
  if (--silences_ != 0) return;
  SetLinks(kHome, true);
  SetLinks(kAway, true);
}

// --- The file --------------------------------------------------------------

bool Site::Change(const TimedFault& fault) {
  const bool possible = file_is_there_ && (fault.kind != FaultKind::kShrink || file_size_ != 0) &&
                        (fault.kind != FaultKind::kGrow || file_size_ < kLargestFile);
  if (!possible) return false;
  switch (fault.kind) {
    case FaultKind::kGrow: Grow(fault.bytes); break;
    case FaultKind::kShrink: Shrink(fault.bytes % file_size_); break;
    case FaultKind::kRewrite: Rewrite(); break;
    case FaultKind::kReplace: Replace(); break;
    default: Remove(); break;
  }
  return true;
}

void Site::Grow(uint64_t bytes) {
  file_size_ += bytes;
  served_.tree().Change(kPath, {server::FileChange::Kind::kAppend, bytes});
  truth_.AddVersion(file_seed_, file_size_, Truth::Change::kAppended);
}

void Site::Shrink(uint64_t bytes) {
  file_size_ = bytes;
  served_.tree().Change(kPath, {server::FileChange::Kind::kTruncate, bytes});
  truth_.AddVersion(file_seed_, file_size_, Truth::Change::kOther);
}

void Site::Rewrite() {
  served_.tree().Change(kPath, {server::FileChange::Kind::kRewrite});
  truth_.AddVersion(++file_seed_, file_size_, Truth::Change::kOther);
}

void Site::Replace() {
  ++file_seed_;
  served_.tree().Change(kPath, {server::FileChange::Kind::kRemove});
  served_.tree().AddFile(kPath, server::PatternContents(file_size_, file_seed_));
  truth_.AddVersion(file_seed_, file_size_, Truth::Change::kOther);
}

void Site::Remove() {
  file_is_there_ = false;
  served_.tree().Change(kPath, {server::FileChange::Kind::kRemove});
}

}  // namespace sim
