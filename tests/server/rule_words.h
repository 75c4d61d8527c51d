// The words that a rule is made of, one line of a table each.
#ifndef TESTS_SERVER_RULE_WORDS_H_
#define TESTS_SERVER_RULE_WORDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/server/script.h"

namespace server {

// A rule while it is parsed, with what can be put in place only at its end.
struct RuleLine {
  Rule rule;
  std::optional<uint64_t> jukebox;
  std::vector<size_t> order;
};

// What a word can have an effect on.
enum class Scope : uint8_t {
  kAll,      // calls and connections
  kConnect,  // connections
  kCall,     // calls
  kNfs,      // calls of NFS
  kPostOp,   // calls of NFS whose results have a post_op_attr
  kStatus,   // calls whose results have a status
  kFile,     // calls that have the handle of a file: GETATTR, ACCESS and READ
  kNamed,    // LOOKUP, MNT, UMNT, GETPORT and GETADDR
  kRead,     // READ
  kGetaddr,  // GETADDR
};

// Whether any call or connection that `conditions` are about is in `scope`.
bool CanApply(Scope scope, const Conditions& conditions);

struct RuleWord {
  enum class Form : uint8_t {
    kValue,     // with a value, once
    kRepeated,  // with a value, as often as wanted
    kBare,      // without one
    kEither,    // with one or without
  };
  const char* name;
  Scope scope;
  Form form;
  // What the value is, for error texts.
  const char* value;
  // False: the value is wrong. Without a value it is empty.
  bool (*parse)(absl::string_view value, RuleLine& line);
};

// Null when there is no such word.
const RuleWord* FindRuleWord(absl::string_view name);

}  // namespace server

#endif  // TESTS_SERVER_RULE_WORDS_H_
