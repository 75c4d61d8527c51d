// Tested by tests/server/script_parser_test.cc.
#include "tests/server/rule_words.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "rpc/rpcbind.h"
#include "tests/server/rule_values.h"

namespace server {

namespace {

// Puts a value, if there is one, where it belongs.
template <typename Parsed, typename Target>
bool Set(Parsed parsed, Target& target) {
  if (!parsed) return false;
  target = *std::move(parsed);
  return true;
}

// A range of things that are counted from 1.
bool SetCounted(absl::string_view value, Range& target) {
  if (!Set(ParseRange(value), target) || target.last == 0) return false;
  target.first = std::max<uint64_t>(target.first, 1);
  return true;
}

bool SetEvery(absl::string_view value, RuleLine& line) {
  return Set(ParseNumber(value), line.rule.conditions.every) && line.rule.conditions.every != 0;
}

bool SetJukebox(absl::string_view value, RuleLine& line) {
  line.rule.actions.status = static_cast<uint32_t>(nfs3::Status::kJukebox);
  return Set(ParseNumber(value), line.jukebox) && *line.jukebox != 0;
}

bool SetChange(FileChange::Kind kind, absl::string_view value, RuleLine& line) {
  FileChange change = {kind};
  const bool ok = value.empty() || Set(ParseNumber(value), change.bytes);
  line.rule.actions.file_change = change;
  return ok;
}

bool AddPoke(absl::string_view value, RuleLine& line) {
  std::optional<Poke> poke = ParsePoke(value);
  if (!poke) return false;
  std::optional<std::vector<Poke>>& pokes = line.rule.actions.pokes;
  if (!pokes) pokes.emplace();
  pokes->push_back(*std::move(poke));
  return true;
}

// The last size is repeated, and must get on.
bool SetFragments(absl::string_view value, RuleLine& line) {
  return Set(ParseSizes(value), line.rule.actions.fragments) &&
         line.rule.actions.fragments->back() != 0;
}

bool SetSplit(absl::string_view value, RuleLine& line) {
  return Set(ParseSizes(value), line.rule.actions.split) &&
         std::ranges::count(*line.rule.actions.split, 0u) == 0;
}

bool SetEnding(Ending::Kind kind, absl::string_view value, RuleLine& line) {
  Ending ending = {kind};
  const bool ok = value.empty() || Set(ParseUint32(value), ending.after_bytes);
  line.rule.actions.ending = ending;
  return ok;
}

bool SetHold(absl::string_view value, RuleLine& line) {
  return Set(ParseNumber(value), line.rule.actions.hold.emplace().replies);
}

bool SetUniversalAddress(absl::string_view value, RuleLine& line) {
  constexpr size_t kMost = 1024;  // rpc::RpcbString
  std::optional<std::string>& address = line.rule.actions.universal_address;
  return Set(ParseBytes(value), address) && address->size() <= kMost;
}

std::optional<bool> Flag() { return true; }

using Form = RuleWord::Form;
using Kind = FileChange::Kind;
using V = absl::string_view;
using L = RuleLine;

constexpr char kNumber[] = "a number";
constexpr char kRange[] = "a number or a range, N..M";
constexpr char kTime[] = "a time, like 50ms";
constexpr char kSizes[] = "numbers with commas between";
constexpr char kVersions[] = "two numbers, LOW:HIGH";
constexpr char kBytes[] = "text, %20 for a space and so on";

// clang-format off
constexpr RuleWord kWords[] = {
    {"transport", Scope::kCall, Form::kValue, "tcp or udp",
     [](V v, L& l) { return Set(ParseTransport(v), l.rule.conditions.transport); }},
    {"connection", Scope::kAll, Form::kValue, kRange,
     [](V v, L& l) { return SetCounted(v, l.rule.conditions.connection); }},
    {"port", Scope::kAll, Form::kValue, kRange,
     [](V v, L& l) { return Set(ParseRange(v), l.rule.conditions.source_port); }},
    {"name", Scope::kNamed, Form::kValue, kBytes,
     [](V v, L& l) { return Set(ParseBytes(v), l.rule.conditions.name); }},
    {"uid", Scope::kCall, Form::kValue, kRange,
     [](V v, L& l) { return Set(ParseRange(v), l.rule.conditions.uid); }},
    {"offset", Scope::kRead, Form::kValue, kRange,
     [](V v, L& l) { return Set(ParseRange(v), l.rule.conditions.offset); }},
    {"nth", Scope::kAll, Form::kValue, kRange,
     [](V v, L& l) { return SetCounted(v, l.rule.conditions.nth); }},
    {"every", Scope::kAll, Form::kValue, kNumber,
     [](V v, L& l) { return SetEvery(v, l); }},
    {"chance", Scope::kAll, Form::kValue, "a number from 0 to 1",
     [](V v, L& l) { return Set(ParseChance(v), l.rule.conditions.chance); }},
    {"status", Scope::kStatus, Form::kValue, "a status, like 70 or STALE",
     [](V v, L& l) { return Set(ParseStatus(v), l.rule.actions.status); }},
    {"stale", Scope::kNfs, Form::kBare, nullptr,
     [](V, L& l) { return Set(ParseStatus("STALE"), l.rule.actions.status); }},
    {"jukebox", Scope::kNfs, Form::kValue, kNumber,
     [](V v, L& l) { return SetJukebox(v, l); }},
    {"noattr", Scope::kPostOp, Form::kEither, "the name of a post_op_attr",
     [](V v, L& l) { return Set(ParseBytes(v), l.rule.actions.no_attributes); }},
    {"poke", Scope::kCall, Form::kRepeated, "FIELD:NUMBER",
     [](V v, L& l) { return AddPoke(v, l); }},
    {"short", Scope::kRead, Form::kValue, kNumber,
     [](V v, L& l) { return Set(ParseUint32(v), l.rule.actions.short_read); }},
    {"over", Scope::kRead, Form::kValue, kNumber,
     [](V v, L& l) { return Set(ParseUint32(v), l.rule.actions.over); }},
    {"eof", Scope::kRead, Form::kValue, "true or false",
     [](V v, L& l) { return Set(ParseBool(v), l.rule.actions.eof); }},
    {"uaddr", Scope::kGetaddr, Form::kValue, "text, at most 1024 bytes of it",
     [](V v, L& l) { return SetUniversalAddress(v, l); }},
    {"append", Scope::kFile, Form::kValue, kNumber,
     [](V v, L& l) { return SetChange(Kind::kAppend, v, l); }},
    {"truncate", Scope::kFile, Form::kValue, kNumber,
     [](V v, L& l) { return SetChange(Kind::kTruncate, v, l); }},
    {"rewrite", Scope::kFile, Form::kBare, nullptr,
     [](V v, L& l) { return SetChange(Kind::kRewrite, v, l); }},
    {"replace", Scope::kFile, Form::kBare, nullptr,
     [](V v, L& l) { return SetChange(Kind::kReplace, v, l); }},
    {"remove", Scope::kFile, Form::kBare, nullptr,
     [](V v, L& l) { return SetChange(Kind::kRemove, v, l); }},
    {"expire", Scope::kCall, Form::kBare, nullptr,
     [](V, L& l) { return Set(Flag(), l.rule.actions.expire); }},
    {"boot", Scope::kCall, Form::kBare, nullptr,
     [](V, L& l) { return Set(Flag(), l.rule.actions.boot); }},
    {"deny", Scope::kCall, Form::kValue, "an auth_stat, like 5 or AUTH_TOOWEAK",
     [](V v, L& l) { return Set(ParseAuthState(v), l.rule.actions.deny); }},
    {"rpc_mismatch", Scope::kCall, Form::kValue, kVersions,
     [](V v, L& l) { return Set(ParseVersions(v), l.rule.actions.rpc_mismatch); }},
    {"accept", Scope::kCall, Form::kValue, "an accept_stat, like 4 or GARBAGE_ARGS",
     [](V v, L& l) { return Set(ParseAcceptState(v), l.rule.actions.accept); }},
    {"prog_mismatch", Scope::kCall, Form::kValue, kVersions,
     [](V v, L& l) { return Set(ParseVersions(v), l.rule.actions.prog_mismatch); }},
    {"verifier", Scope::kCall, Form::kValue, "two numbers, FLAVOR:BYTES",
     [](V v, L& l) { return Set(ParseVerifier(v), l.rule.actions.verifier); }},
    {"junk", Scope::kCall, Form::kValue, kNumber,
     [](V v, L& l) { return Set(ParseUint32(v), l.rule.actions.junk); }},
    {"cut", Scope::kCall, Form::kValue, "a number of bytes, < 0 from the end",
     [](V v, L& l) { return Set(ParseCut(v), l.rule.actions.cut); }},
    {"frag", Scope::kCall, Form::kValue, kSizes,
     [](V v, L& l) { return SetFragments(v, l); }},
    {"raw", Scope::kAll, Form::kValue, kBytes,
     [](V v, L& l) { return Set(ParseBytes(v), l.rule.actions.raw); }},
    {"delay", Scope::kAll, Form::kValue, kTime,
     [](V v, L& l) { return Set(ParseTime(v), l.rule.actions.delay); }},
    {"drop", Scope::kCall, Form::kBare, nullptr,
     [](V, L& l) { return Set(Flag(), l.rule.actions.drop); }},
    {"dup", Scope::kCall, Form::kValue, kTime,
     [](V v, L& l) { return Set(ParseTime(v), l.rule.actions.duplicate); }},
    {"hold", Scope::kCall, Form::kValue, kNumber,
     [](V v, L& l) { return SetHold(v, l); }},
    {"order", Scope::kCall, Form::kValue, kSizes,
     [](V v, L& l) { return Set(ParseSizes(v), l.order); }},
    {"split", Scope::kAll, Form::kValue, kSizes,
     [](V v, L& l) { return SetSplit(v, l); }},
    {"fin", Scope::kAll, Form::kEither, kNumber,
     [](V v, L& l) { return SetEnding(Ending::Kind::kFin, v, l); }},
    {"rst", Scope::kAll, Form::kEither, kNumber,
     [](V v, L& l) { return SetEnding(Ending::Kind::kReset, v, l); }},
    {"refuse", Scope::kAll, Form::kValue, kTime,
     [](V v, L& l) { return Set(ParseTime(v), l.rule.actions.refuse); }},
    {"silent", Scope::kConnect, Form::kBare, nullptr,
     [](V, L& l) { return Set(Flag(), l.rule.actions.silent); }},
    {"idle", Scope::kConnect, Form::kValue, kTime,
     [](V v, L& l) { return Set(ParseTime(v), l.rule.actions.idle); }},
    {"slow_read", Scope::kConnect, Form::kValue, "a number of bytes and a time, N:TIME",
     [](V v, L& l) { return Set(ParseSlowRead(v), l.rule.actions.slow_read); }},
};
// clang-format on

bool IsOneOf(const KnownProcedure& known, std::initializer_list<rpc::Procedure> procedures) {
  return std::ranges::any_of(procedures, [&](const rpc::Procedure& procedure) {
    return known.procedure.program == procedure.program &&
           known.procedure.number == procedure.number;
  });
}

bool IsIn(Scope scope, const KnownProcedure& known) {
  switch (scope) {
    case Scope::kAll:
    case Scope::kCall: return true;
    case Scope::kConnect: return false;
    case Scope::kNfs: return known.procedure.program == nfs3::kProgram && known.has_status;
    case Scope::kPostOp: return IsIn(Scope::kNfs, known) && !IsOneOf(known, {nfs3::kGetattr});
    case Scope::kStatus: return known.has_status;
    case Scope::kFile: return IsOneOf(known, {nfs3::kGetattr, nfs3::kAccess, nfs3::kRead});
    case Scope::kNamed:
      return IsOneOf(known, {nfs3::kLookup, mount3::kMnt, mount3::kUmnt, rpc::kGetaddr});
    case Scope::kRead: return IsOneOf(known, {nfs3::kRead});
    case Scope::kGetaddr: return IsOneOf(known, {rpc::kGetaddr});
  }
  return false;
}

}  // namespace

bool CanApply(Scope scope, const Conditions& conditions) {
  if (conditions.is_connect) return scope == Scope::kAll || scope == Scope::kConnect;
  return std::ranges::any_of(KnownProcedures(), [&](const KnownProcedure& known) {
    const bool meant = (!conditions.program || *conditions.program == known.procedure.program) &&
                       (!conditions.procedure || *conditions.procedure == known.procedure.number);
    return meant && IsIn(scope, known);
  });
}

const RuleWord* FindRuleWord(absl::string_view name) {
  for (const RuleWord& word : kWords) {
    if (name == word.name) return &word;
  }
  return nullptr;
}

}  // namespace server
