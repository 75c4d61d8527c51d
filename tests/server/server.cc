// Tested by tests/server/server_connection_test.cc.
#include "tests/server/server.h"

#include <utility>

#include "client/protocol/mount3.h"
#include "rpc/rpcbind.h"
#include "tests/server/script_parser.h"

namespace server {

bool Programs::Has(uint32_t program) const {
  switch (program) {
    case nfs3::kProgram: return nfs;
    case mount3::kProgram: return mount;
    case rpc::kRpcbindProgram: return rpcbind;
    default: return false;
  }
}

Server::Server(size_t logged_calls, uint64_t seed)
    : script_(seed), log_(logged_calls), exports_({Export()}) {
  tree_.AddDirectory("/export");
}

absl::Status Server::AddRules(absl::string_view text) {
  absl::StatusOr<std::vector<Rule>> rules = ParseScript(text);
  if (!rules.ok()) return rules.status();
  for (Rule& rule : *rules) script_.Add(std::move(rule));
  return absl::OkStatus();
}

void Server::SetExports(std::vector<Export> exports) {
  const std::lock_guard lock(mutex_);
  exports_ = std::move(exports);
}

void Server::SetNfs(const NfsSettings& settings) {
  const std::lock_guard lock(mutex_);
  nfs_ = settings;
}

void Server::SetRegistrations(std::vector<Registration> table) {
  const std::lock_guard lock(mutex_);
  registrations_ = std::move(table);
}

void Server::Register(const Registration& line) {
  const std::lock_guard lock(mutex_);
  std::erase_if(registrations_, [&](const Registration& other) {
    return other.program == line.program && other.version == line.version &&
           other.netid == line.netid;
  });
  registrations_.push_back(line);
}

uint64_t Server::NextConnection() {
  log_.OnConnect();
  const std::lock_guard lock(mutex_);
  return ++connections_;
}

void Server::SetDuplicateRequestCache(size_t entries) {
  const std::lock_guard lock(mutex_);
  cache_.SetCapacity(entries);
}

void Server::Boot() {
  const std::lock_guard lock(mutex_);
  cache_.Clear();
}

void Server::Answer(const Call& call, const Programs& programs, const Actions& actions,
                    ReplyBuffer& buffer) {
  if (Replay(call, buffer)) return;
  const size_t start = buffer.size();
  Execute(call, programs, actions, buffer);
  if (actions.file_change) tree_.Change(call.arguments.handle, *actions.file_change);
  if (actions.expire) tree_.ExpireHandles();
  {
    const std::lock_guard lock(mutex_);
    cache_.Store(call, buffer.view().subspan(start));
  }
  if (actions.boot) Boot();
}

bool Server::Replay(const Call& call, ReplyBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::byte>* reply = cache_.Find(call);
  if (reply == nullptr) return false;
  buffer.Append(*reply);
  log_.OnReplay();
  return true;
}

void Server::Execute(const Call& call, const Programs& programs, const Actions& actions,
                     ReplyBuffer& buffer) {
  ReplyWriter reply(actions, buffer);
  if (!programs.Has(call.program)) {
    Call elsewhere = call;
    elsewhere.accept = rpc::AcceptState::kProgUnavail;
    reply.PutHeader(elsewhere);
  } else if (reply.PutHeader(call)) {
    Serve(call, reply);
  }
}

void Server::Serve(const Call& call, ReplyWriter& reply) {
  const std::lock_guard lock(mutex_);
  switch (call.program) {
    case nfs3::kProgram: return ServeNfs3(call, nfs_, tree_, reply);
    case mount3::kProgram: return ServeMount3(call, exports_, tree_, reply);
    default: return ServeRpcbind(call, registrations_, reply);
  }
}

}  // namespace server
