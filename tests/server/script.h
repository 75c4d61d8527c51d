// How the embedded server misbehaves, as data.
//
// A script is a list of rules. A rule says which calls it is for, and what happens to
// them. Every rule counts the calls that meet its conditions, over all connections and
// by itself; when the count is one that it names, its actions apply. All rules that
// apply to a call do so together; where two set the same thing, the later rule wins.
//
// script_parser.h has the text form, with what each condition and action is.
#ifndef TESTS_SERVER_SCRIPT_H_
#define TESTS_SERVER_SCRIPT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "rpc/message.h"
#include "tests/server/call.h"
#include "tests/server/file_tree.h"

namespace server {

// From `first` to `last`, both included.
struct Range {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;

  bool Has(uint64_t value) const { return first <= value && value <= last; }
};

struct Conditions {
  // A call, or a connection that is accepted.
  bool is_connect = false;
  std::optional<uint32_t> program;
  std::optional<uint32_t> procedure;
  std::optional<std::string> name;  // Arguments::name
  std::optional<Transport> transport;
  Range connection;
  Range source_port;
  Range uid;     // of AUTH_SYS; that of any other is kNobody
  Range offset;  // of READ: it begins in here
  // Of those that meet all of the above, counted from 1:
  Range nth;
  uint64_t every = 1;   // of the nth, the first of each `every`
  double chance = 1.0;  // of these, so many, by the script's own dice
};

// `field` of the reply (the RFC's names, dots between: "obj_attributes.size", or only
// the end of it: "size") gets `value`. Of something with a length, the length word.
struct Poke {
  std::string field;
  uint64_t value = 0;
};

struct Ending {
  enum class Kind : uint8_t { kFin, kReset };
  Kind kind = Kind::kFin;
  // After so many bytes of the reply's record, mark included; by default all.
  size_t after_bytes = SIZE_MAX;
};

struct Hold {
  size_t replies = 2;
  // Which of them (0 for the first that was held) goes out first, second...; those it
  // does not name follow in the order they came.
  std::vector<size_t> order;
};

struct Verifier {
  uint32_t flavor = 0;
  size_t bytes = 0;  // of 0x11
};

// At most so many bytes are taken from the network in each stretch of so much time.
struct SlowRead {
  size_t bytes = 0;
  absl::Duration each;
};

// What is not set is done as an honest server does it.
struct Actions {
  // The results.
  std::optional<uint32_t> status;            // nfsstat3 or mountstat3
  std::optional<std::string> no_attributes;  // absent: this one; empty: all of them
  std::optional<uint32_t> short_read;        // READ gives so many bytes at most
  std::optional<uint32_t> over;              // ... so many more than it should
  std::optional<bool> eof;                   // what READ says of it
  std::optional<std::vector<Poke>> pokes;
  std::optional<std::string> universal_address;  // of GETADDR
  // Once the call has been executed:
  std::optional<FileChange> file_change;
  std::optional<bool> expire;  // every handle given out so far is stale
  std::optional<bool> boot;    // as Server::Boot()

  // What RPC says.
  std::optional<uint32_t> deny;    // MSG_DENIED, AUTH_ERROR, auth_stat
  std::optional<uint32_t> accept;  // accept_stat
  std::optional<rpc::VersionRange> rpc_mismatch;
  std::optional<rpc::VersionRange> prog_mismatch;
  std::optional<Verifier> verifier;

  // The record.
  std::optional<size_t> junk;                    // so many bytes more at its end
  std::optional<int64_t> cut;                    // its first bytes only; < 0: without its last
  std::optional<std::vector<size_t>> fragments;  // of these sizes, the last one repeated
  std::optional<std::string> raw;                // these bytes instead of mark and record

  // When, and whether.
  std::optional<absl::Duration> delay;  // after the call came
  std::optional<bool> drop;
  std::optional<absl::Duration> duplicate;  // the reply once more, so much later
  std::optional<Hold> hold;

  // The connection.
  std::optional<std::vector<size_t>> split;  // sent in pieces of these sizes, and the rest
  std::optional<Ending> ending;
  std::optional<absl::Duration> refuse;  // with `ending`: no connections for so long
  std::optional<bool> silent;            // of CONNECT: whatever comes is not looked at
  std::optional<absl::Duration> idle;    // of CONNECT: FIN when nothing came for so long
  std::optional<SlowRead> slow_read;     // of CONNECT

  // `later` on top of this.
  void Add(const Actions& later);
};

struct Rule {
  Conditions conditions;
  Actions actions;
};

// Thread-safe: a test may add rules while the server runs.
class Script {
 public:
  // `seed` is that of the dice behind Conditions::chance.
  explicit Script(uint64_t seed = 1) : dice_(seed) {}

  void Add(Rule rule);
  void Clear();

  // `amend` has the last word on what happens to each call: it is given what the rules
  // say, in the thread that serves the call. Set before that.
  void SetAmender(std::function<void(const Call&, Actions&)> amend) { amend_ = std::move(amend); }

  // Counts this call, or this connection, and says what is to happen to it.
  Actions OnCall(const Call& call);
  Actions OnConnect(const Peer& peer);

 private:
  struct Counted {
    Rule rule;
    uint64_t met = 0;
  };

  Actions Collect(auto meets);
  bool IsDue(Counted& counted);

  std::function<void(const Call&, Actions&)> amend_;
  std::mutex mutex_;  // of all that follows
  std::vector<Counted> rules_;
  std::mt19937_64 dice_;
};

// When a hold is not filled, what it has goes out so long after the first of it came.
inline constexpr absl::Duration kLongestHold = absl::Milliseconds(200);
// The pause between the pieces of a split.
inline constexpr absl::Duration kSplitPause = absl::Milliseconds(10);

}  // namespace server

#endif  // TESTS_SERVER_SCRIPT_H_
