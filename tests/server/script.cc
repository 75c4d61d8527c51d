// Tested by tests/server/script_test.cc.
#include "tests/server/script.h"

#include <utility>

namespace server {

namespace {

template <typename... Members>
void AddSet(Actions& to, const Actions& from, Members Actions::*... members) {
  const auto add = [&](auto member) {
    if ((from.*member).has_value()) to.*member = from.*member;
  };
  (add(members), ...);
}

bool Meets(const Conditions& conditions, const Peer& peer) {
  if (conditions.transport && *conditions.transport != peer.transport) return false;
  return conditions.connection.Has(peer.connection) && conditions.source_port.Has(peer.source_port);
}

bool Meets(const Conditions& conditions, const Call& call) {
  if (conditions.is_connect || !Meets(conditions, call.peer)) return false;
  if (conditions.program && *conditions.program != call.program) return false;
  if (conditions.procedure && *conditions.procedure != call.procedure) return false;
  if (conditions.name && *conditions.name != call.arguments.name) return false;
  return conditions.uid.Has(call.identity.uid) && conditions.offset.Has(call.arguments.offset);
}

}  // namespace

void Actions::Add(const Actions& later) {
  AddSet(*this, later, &Actions::status, &Actions::no_attributes, &Actions::short_read,
         &Actions::over, &Actions::eof, &Actions::pokes, &Actions::universal_address,
         &Actions::file_change, &Actions::expire, &Actions::boot, &Actions::deny, &Actions::accept,
         &Actions::rpc_mismatch, &Actions::prog_mismatch, &Actions::verifier, &Actions::junk,
         &Actions::cut, &Actions::fragments, &Actions::raw, &Actions::delay, &Actions::drop,
         &Actions::duplicate, &Actions::hold, &Actions::split, &Actions::ending, &Actions::refuse,
         &Actions::silent, &Actions::idle, &Actions::slow_read);
}

void Script::Add(Rule rule) {
  const std::lock_guard lock(mutex_);
  rules_.push_back({std::move(rule)});
}

void Script::Clear() {
  const std::lock_guard lock(mutex_);
  rules_.clear();
}

bool Script::IsDue(Counted& counted) {
  const Conditions& conditions = counted.rule.conditions;
  const uint64_t nth = ++counted.met;
  if (!conditions.nth.Has(nth)) return false;
  const uint64_t first = conditions.nth.first == 0 ? 1 : conditions.nth.first;
  if ((nth - first) % conditions.every != 0) return false;
  if (conditions.chance >= 1.0) return true;
  return static_cast<double>(dice_() >> 11) * 0x1p-53 < conditions.chance;
}

Actions Script::Collect(auto meets) {
  const std::lock_guard lock(mutex_);
  Actions actions;
  for (Counted& counted : rules_) {
    if (meets(counted.rule.conditions) && IsDue(counted)) actions.Add(counted.rule.actions);
  }
  return actions;
}

Actions Script::OnCall(const Call& call) {
  Actions actions = Collect([&](const Conditions& conditions) { return Meets(conditions, call); });
  if (amend_) amend_(call, actions);
  return actions;
}

Actions Script::OnConnect(const Peer& peer) {
  return Collect([&](const Conditions& conditions) {
    return conditions.is_connect && Meets(conditions, peer);
  });
}

}  // namespace server
