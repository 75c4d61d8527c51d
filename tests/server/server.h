// An in-memory NFSv3, MOUNT v3 and rpcbind server, for tests: what it serves, how it
// misbehaves, and what it was asked. How bytes get to it is the business of
// loopback_server.h (TCP on loopback) and simulated_server.h (virtual time).
//
//   server::Server served;
//   served.tree().AddFile("/export/hello", server::BytesContents("hello\n"));
//   CHECK(served.AddRules("READ nth=3 status=STALE").ok());
#ifndef TESTS_SERVER_SERVER_H_
#define TESTS_SERVER_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tests/server/call.h"
#include "tests/server/call_log.h"
#include "tests/server/duplicate_request_cache.h"
#include "tests/server/file_tree.h"
#include "tests/server/reply_writer.h"
#include "tests/server/script.h"
#include "tests/server/service.h"

namespace server {

// The programs that one port speaks.
struct Programs {
  bool nfs = true;
  bool mount = true;
  bool rpcbind = false;

  bool Has(uint32_t program) const;
};

// Thread-safe: a test may look and change while it is served. (Here and elsewhere with
// std::mutex: ThreadSanitizer does not see what Debian's absl::Mutex does.) Must outlive whatever
// serves it.
class Server {
 public:
  // Exports "/export", which is there already. The log keeps so many calls, and the
  // script's dice begin at `seed`.
  explicit Server(size_t logged_calls = 1 << 16, uint64_t seed = 1);

  FileTree& tree() { return tree_; }
  Script& script() { return script_; }
  CallLog& log() { return log_; }

  // As script().Add() for each rule of a text (script_parser.h).
  absl::Status AddRules(absl::string_view text);

  void SetExports(std::vector<Export> exports);
  void SetNfs(const NfsSettings& settings);
  // What rpcbind answers; LoopbackServer adds where it listens by itself.
  void SetRegistrations(std::vector<Registration> table);
  // Takes the place of one for the same program, version and netid.
  void Register(const Registration& line);

  // From now on a call whose client and xid are among the last `entries` gets the same
  // reply again and is not executed (duplicate_request_cache.h). 0, as at first: none does.
  void SetDuplicateRequestCache(size_t entries);
  // What a restart does to the state of the server: the cache is empty. Handles stay good.
  void Boot();

  // The reply to `call`, without a record mark, at the end of `buffer`.
  void Answer(const Call& call, const Programs& programs, const Actions& actions,
              ReplyBuffer& buffer);

  uint64_t NextConnection();

 private:
  bool Replay(const Call& call, ReplyBuffer& buffer);
  void Execute(const Call& call, const Programs& programs, const Actions& actions,
               ReplyBuffer& buffer);
  void Serve(const Call& call, ReplyWriter& reply);

  FileTree tree_;
  Script script_;
  CallLog log_;
  std::mutex mutex_;  // of all that follows
  std::vector<Export> exports_;
  NfsSettings nfs_;
  std::vector<Registration> registrations_;
  DuplicateRequestCache cache_;
  uint64_t connections_ = 0;
};

}  // namespace server

#endif  // TESTS_SERVER_SERVER_H_
