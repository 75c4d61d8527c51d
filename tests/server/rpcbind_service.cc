// The port mapper version 2 and rpcbind versions 3 and 4 (RFC 1833), as far as finding
// a port goes. Tested by tests/server/service_test.cc.
#include "absl/strings/str_cat.h"
#include "rpc/rpcbind.h"
#include "tests/server/service.h"

namespace server {

namespace {

const Registration* Find(const Arguments& asked, const std::vector<Registration>& table) {
  for (const Registration& line : table) {
    const bool same = line.program == asked.asked_program && line.version == asked.asked_version &&
                      line.netid == asked.name;
    if (same) return &line;
  }
  return nullptr;
}

void Getport(const Registration* line, ReplyWriter& reply) {
  reply.Put(rpc::GetportResult{line == nullptr ? uint32_t{0} : line->port});
}

void Getaddr(const Registration* line, ReplyWriter& reply) {
  rpc::GetaddrResult results;
  if (line != nullptr) {
    results.address =
        rpc::RpcbString(absl::StrCat(line->host, ".", line->port / 256, ".", line->port % 256));
  }
  const std::optional<std::string>& scripted = reply.actions().universal_address;
  if (scripted) results.address = rpc::RpcbString(*scripted);
  reply.Put(results);
}

}  // namespace

void ServeRpcbind(const Call& call, const std::vector<Registration>& table, ReplyWriter& reply) {
  if (call.procedure != rpc::kGetport.number) return reply.Put(nfs3::Void());
  const Registration* line = Find(call.arguments, table);
  if (call.version == rpc::kGetport.version) return Getport(line, reply);
  Getaddr(line, reply);
}

}  // namespace server
