// Tested by tests/server/script_parser_test.cc.
#include "tests/server/script_parser.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/protocol/nfs3.h"
#include "tests/server/known_fields.h"
#include "tests/server/rule_values.h"
#include "tests/server/rule_words.h"

namespace server {

namespace {

absl::Status Wrong(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("script: \"", text, "\" ", what));
}

// The first word: whom the rule is for.
absl::Status ParseWho(absl::string_view word, Conditions& conditions) {
  if (word == "*") return absl::OkStatus();
  conditions.is_connect = word == "CONNECT";
  if (conditions.is_connect) return absl::OkStatus();
  conditions.program = FindProgram(word);
  if (conditions.program) return absl::OkStatus();
  const KnownProcedure* known = FindProcedure(word);
  if (known == nullptr) {
    return Wrong(word, "is no procedure (READ, MOUNT.NULL...), program (NFS...), * or CONNECT");
  }
  conditions.program = known->procedure.program;
  conditions.procedure = known->procedure.number;
  return absl::OkStatus();
}

class RuleParser {
 public:
  absl::StatusOr<Rule> Parse(absl::string_view line) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) return Wrong(line, "says nothing");
    absl::Status status = ParseWho(words[0], line_.rule.conditions);
    for (size_t i = 1; status.ok() && i < words.size(); ++i) status = ParseWord(words[i]);
    if (status.ok()) status = Finish();
    if (!status.ok()) return status;
    return std::move(line_.rule);
  }

 private:
  absl::Status ParseWord(absl::string_view text) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits('=', 1));
    const RuleWord* word = FindRuleWord(parts.first);
    if (word == nullptr) return Wrong(text, "is neither a condition nor an action");
    const bool is_new = seen_.insert(std::string(parts.first)).second;
    if (!is_new && word->form != RuleWord::Form::kRepeated) return Wrong(text, "is there already");
    if (!CanApply(word->scope, line_.rule.conditions)) return Wrong(text, "has no effect on these");
    const bool has_value = text.size() != parts.first.size();
    if (!has_value && NeedsValue(*word)) return Wrong(text, absl::StrCat("needs ", word->value));
    if (has_value && word->form == RuleWord::Form::kBare) return Wrong(text, "takes no value");
    if (has_value && parts.second.empty() && word->form == RuleWord::Form::kEither) {
      return Wrong(text, "has an empty value");
    }
    if (!word->parse(parts.second, line_)) {
      return Wrong(text, absl::StrCat("is not right: it takes ", word->value));
    }
    return absl::OkStatus();
  }

  static bool NeedsValue(const RuleWord& word) {
    return word.form == RuleWord::Form::kValue || word.form == RuleWord::Form::kRepeated;
  }

  // What can be judged only when the whole line is known.
  absl::Status Finish() {
    Conditions& conditions = line_.rule.conditions;
    const Actions& actions = line_.rule.actions;
    if (conditions.transport == Transport::kUdp && IsOfStreams(line_.rule)) {
      return Wrong("transport=udp", "has neither connections nor frag, split, fin, rst, refuse");
    }
    if (line_.jukebox && !AddJukebox(conditions.nth)) {
      return Wrong("jukebox", "takes only where it begins from nth, not a range");
    }
    if (conditions.is_connect && (actions.delay || actions.split) && !actions.raw &&
        !actions.ending) {
      return Wrong("CONNECT", "delays and splits only with raw, fin or rst beside it");
    }
    if (actions.refuse && !actions.ending) return Wrong("refuse", "needs fin or rst beside it");
    if (!line_.order.empty() && !actions.hold) return Wrong("order", "needs hold beside it");
    if (actions.hold) line_.rule.actions.hold->order = line_.order;
    if (!IsAttributesField(actions.no_attributes.value_or(""))) {
      return Wrong("noattr", "names no post_op_attr of these replies");
    }
    for (const Poke& poke : actions.pokes.value_or(std::vector<Poke>())) {
      if (!IsKnownField(conditions.program, conditions.procedure, poke.field)) {
        return Wrong(poke.field, "is no field of these replies");
      }
    }
    return absl::OkStatus();
  }

  // Of these replies; or empty, which stands for all of them.
  bool IsAttributesField(const std::string& name) const {
    const Conditions& conditions = line_.rule.conditions;
    return name.empty() || (absl::EndsWith(name, "_attributes") &&
                            IsKnownField(conditions.program, conditions.procedure, name));
  }

  static bool IsOfStreams(const Rule& rule) {
    const Actions& actions = rule.actions;
    return actions.fragments || actions.split || actions.ending || actions.refuse ||
           rule.conditions.connection.first != 0 || rule.conditions.connection.last != UINT64_MAX;
  }

  bool AddJukebox(Range& nth) {
    if (nth.last != UINT64_MAX && nth.last != nth.first) return false;
    nth.first = std::max<uint64_t>(nth.first, 1);
    nth.last = nth.first + *line_.jukebox - 1;
    return true;
  }

  RuleLine line_;
  std::set<std::string> seen_;
};

}  // namespace

absl::StatusOr<Rule> ParseRule(absl::string_view line) { return RuleParser().Parse(line); }

absl::StatusOr<std::vector<Rule>> ParseScript(absl::string_view text) {
  std::vector<Rule> rules;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    absl::StatusOr<Rule> rule = ParseRule(line);
    if (!rule.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": ", rule.status().message()));
    }
    rules.push_back(*std::move(rule));
  }
  return rules;
}

}  // namespace server
