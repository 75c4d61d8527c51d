// Tested by tests/sim/world_test.cc.
#include "tests/sim/havoc.h"

#include <algorithm>
#include <optional>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "rpc/rpcbind.h"

namespace sim {

namespace {

using absl::Milliseconds;
using absl::Seconds;
using server::Actions;
using server::Call;

uint32_t Number(nfs3::Status status) { return static_cast<uint32_t>(status); }

// Kinds that do not look into the results.
bool IsForAnyProgram(FaultKind kind) {
  switch (kind) {
    case FaultKind::kReset:
    case FaultKind::kFin:
    case FaultKind::kSplit:
    case FaultKind::kFragments:
    case FaultKind::kDelay:
    case FaultKind::kLate:
    case FaultKind::kReorder:
    case FaultKind::kDuplicate:
    case FaultKind::kDrop:
    case FaultKind::kJunk:
    case FaultKind::kVerifier: return true;
    default: return false;
  }
}

bool IsForReadsOnly(FaultKind kind) {
  switch (kind) {
    case FaultKind::kShortRead:
    case FaultKind::kEmptyRead:
    case FaultKind::kEarlyEof:
    case FaultKind::kNoEof:
    case FaultKind::kOver:
    case FaultKind::kGarbage:
    case FaultKind::kCut:
    case FaultKind::kStale:
    case FaultKind::kJukeboxForever: return true;
    default: return false;
  }
}

bool CostsTimeouts(FaultKind kind) {
  return kind == FaultKind::kDrop || kind == FaultKind::kLate || kind == FaultKind::kRefuse;
}

}  // namespace

Havoc::Havoc(const Plan& plan, Site& site, Ledger& ledger, Timeline& timeline)
    : plan_(plan),
      site_(site),
      ledger_(ledger),
      timeline_(timeline),
      dice_(plan.seed ^ 0x6d69736368696566),
      left_(plan.reply_faults) {}

void Havoc::Amend(const Call& call, Actions& actions) {
  if (left_.empty()) return;
  const Place place = PlaceOf(call);
  for (ReplyFault& fault : left_) {
    const bool goes_on = fault.kind == FaultKind::kJukeboxForever && jukebox_forever_;
    if (fault.most == 0 || !CanHappen(fault.kind, call, place)) continue;
    if (!goes_on && !dice_.Chance(fault.chance)) continue;
    --fault.most;
    timeline_.Add(site_.now(), "    fault: ", Describe(fault.kind).name);
    Happen(fault.kind, call, place, actions);
  }
}

Havoc::Place Havoc::PlaceOf(const Call& call) const {
  Place place;
  if (!call.Is(nfs3::kRead)) return place;
  nfs3::Fattr3 attributes;
  place.good_handle =
      site_.served().tree().Getattr(call.arguments.handle, attributes) == nfs3::Status::kOk;
  place.size = attributes.size;
  return place;
}

bool Havoc::CanHappen(FaultKind kind, const Call& call, const Place& place) const {
  // Rpcbind is not waited for as long as the others, and then ports are guessed.
  if (call.program == rpc::kRpcbindProgram && CostsTimeouts(kind)) return false;
  if (call.program != nfs3::kProgram) {
    return plan_.bends_opening && IsForAnyProgram(kind) && !call.Is(mount3::kUmnt);
  }
  if (IsForAnyProgram(kind) || kind == FaultKind::kRefuse) return true;
  if (kind == FaultKind::kNoAttributes) return !call.Is(nfs3::kGetattr);
  const bool is_read = call.Is(nfs3::kRead);
  if (is_read && !place.good_handle) return false;
  if (!is_read) return !IsForReadsOnly(kind) && call.Is(nfs3::kLookup);
  const uint64_t offset = call.arguments.offset;
  const uint64_t left = place.size > offset ? place.size - offset : 0;
  switch (kind) {
    case FaultKind::kShortRead: return std::min<uint64_t>(left, call.arguments.count) > 1;
    case FaultKind::kEmptyRead:
    case FaultKind::kError: return left != 0;
    case FaultKind::kEarlyEof: return left > 1;
    case FaultKind::kNoEof: return left <= call.arguments.count;
    case FaultKind::kOver: return left > call.arguments.count;
    default: return true;
  }
}

void Havoc::Happen(FaultKind kind, const Call& call, const Place& place, Actions& actions) {
  if (kind <= FaultKind::kRefuse) return BendConnection(kind, actions);
  if (kind <= FaultKind::kDrop) return BendTime(kind, actions);
  if (kind <= FaultKind::kOver) return BendRead(kind, call, place, actions);
  if (kind <= FaultKind::kCut) return BendReply(kind, actions);
  Refuse(kind, actions);
}

void Havoc::BendConnection(FaultKind kind, Actions& actions) {
  const bool fin = kind == FaultKind::kFin;
  actions.ending = {fin ? server::Ending::Kind::kFin : server::Ending::Kind::kReset,
                    dice_.Chance(0.3) ? 0 : dice_.Spread(1, plan_.chunk_bytes() + 200)};
  absl::Duration stall = Seconds(2) + 3 * plan_.round_trip();
  if (kind == FaultKind::kRefuse) {
    actions.refuse = dice_.Spread(Milliseconds(1), plan_.patience() / 2);
    stall += *actions.refuse + Seconds(2);
  }
  ledger_.Inject(kind, stall, again());
}

void Havoc::BendTime(FaultKind kind, Actions& actions) {
  const absl::Duration timeout = plan_.client.timeout;
  const absl::Duration resent = timeout + timeout / 4 + Seconds(2) + 3 * plan_.round_trip();
  switch (kind) {
    case FaultKind::kSplit: {
      std::vector<size_t> pieces(dice_.Between(1, 5));
      for (size_t& piece : pieces) piece = dice_.Spread(1, 300);
      actions.split = pieces;
      return ledger_.Inject(kind);
    }
    case FaultKind::kFragments: {
      std::vector<size_t> sizes(dice_.Between(1, 4));
      for (size_t& size : sizes) size = dice_.Spread(1, 2000);
      sizes.back() = std::max<size_t>(sizes.back(), plan_.chunk_bytes() / 500 + 1);
      actions.fragments = sizes;
      return ledger_.Inject(kind);
    }
    case FaultKind::kDelay:
      // Of EXPORT no more than five seconds are waited for.
      actions.delay = dice_.Spread(absl::Microseconds(10), std::min(timeout / 8, Seconds(2)));
      return ledger_.Inject(kind);
    case FaultKind::kLate:
      actions.delay = timeout + dice_.Spread(Milliseconds(1), timeout / 2);
      return ledger_.Inject(kind, resent, again());
    case FaultKind::kReorder:
      actions.hold = server::Hold{dice_.Between(2, 5), {dice_.Below(5), dice_.Below(5)}};
      return ledger_.Inject(kind);
    case FaultKind::kDuplicate:
      actions.duplicate = dice_.Spread(absl::Microseconds(1), 2 * timeout);
      return ledger_.Inject(kind);
    default: actions.drop = true; return ledger_.Inject(kind, resent, again());
  }
}

void Havoc::BendRead(FaultKind kind, const Call& call, const Place& place, Actions& actions) {
  const uint64_t left = place.size - std::min(place.size, call.arguments.offset);
  const uint64_t honest = std::min<uint64_t>(left, call.arguments.count);
  switch (kind) {
    case FaultKind::kShortRead:
      actions.short_read = static_cast<uint32_t>(dice_.Spread(1, honest - 1));
      break;
    case FaultKind::kEmptyRead:
      actions.short_read = 0;
      actions.eof = false;
      break;
    case FaultKind::kEarlyEof:
      actions.short_read = static_cast<uint32_t>(dice_.Below(std::min(honest, left - 1) + 1));
      actions.eof = true;
      break;
    case FaultKind::kNoEof: actions.eof = false; break;
    default:
      actions.over = static_cast<uint32_t>(
          std::min<uint64_t>(left - call.arguments.count, dice_.Spread(1, 4096)));
      break;
  }
  // What is asked again after a doubt waits up to five seconds, and asks GETATTR.
  ledger_.Spend(kind == FaultKind::kOver ? absl::ZeroDuration() : Seconds(6));
  ledger_.Inject(kind, absl::ZeroDuration(), 4);
}

void Havoc::BendReply(FaultKind kind, Actions& actions) {
  const bool certain = dice_.Chance(0.5);
  switch (kind) {
    case FaultKind::kNoAttributes: actions.no_attributes.emplace(); break;
    case FaultKind::kJunk: actions.junk = dice_.Spread(1, 200); break;
    case FaultKind::kVerifier:
      actions.verifier = server::Verifier{static_cast<uint32_t>(dice_.Below(7)), dice_.Below(401)};
      break;
    case FaultKind::kGarbage: actions.raw = Garbage(certain); break;
    default: actions.cut = static_cast<int64_t>(dice_.Spread(1, plan_.chunk_bytes() + 100) - 1);
  }
  // Garbage that passes for a mark is followed by silence.
  const bool is_lost = kind == FaultKind::kCut || (kind == FaultKind::kGarbage && !certain);
  ledger_.Inject(kind, is_lost ? plan_.patience() : absl::ZeroDuration(), again());
}

std::string Havoc::Garbage(bool certain) {
  const char* known = dice_.Pick({"HTTP/1.1 400 Bad Request\r\n\r\n", "\xff\xff\xff\xff"});
  if (certain) return known;
  std::string bytes(dice_.Between(1, 64), '\0');
  for (char& byte : bytes) byte = static_cast<char>(dice_.Below(256));
  return bytes;
}

void Havoc::Refuse(FaultKind kind, Actions& actions) {
  using nfs3::Status;
  switch (kind) {
    case FaultKind::kStale:
      actions.status = Number(dice_.Pick({Status::kStale, Status::kBadHandle}));
      ledger_.Spend(Seconds(2) + 12 * plan_.round_trip());
      return ledger_.Inject(kind, absl::ZeroDuration(), 2 * again() + 12);
    case FaultKind::kJukebox:
      actions.status = Number(Status::kJukebox);
      return ledger_.Inject(kind, Seconds(6), 3);
    case FaultKind::kJukeboxForever:
      actions.status = Number(Status::kJukebox);
      ledger_.Inject(kind, jukebox_forever_ ? absl::ZeroDuration() : plan_.patience(), 2);
      jukebox_forever_ = true;
      return;
    case FaultKind::kError:
      actions.status = Number(dice_.Pick({Status::kIo, Status::kAcces, Status::kServerFault,
                                          Status::kPerm, Status::kNxIo, Status::kInval}));
      return ledger_.Inject(kind);
    default:
      if (dice_.Chance(0.5)) {
        actions.deny = static_cast<uint32_t>(rpc::AuthState::kTooWeak);
      } else {
        actions.accept = static_cast<uint32_t>(rpc::AcceptState::kProcUnavail);
      }
      return ledger_.Inject(kind, absl::ZeroDuration(), 2);
  }
}

}  // namespace sim
