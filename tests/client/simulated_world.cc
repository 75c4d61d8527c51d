#include "tests/client/simulated_world.h"

#include <utility>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "client/target.h"
#include "rpc/rpcbind.h"
#include "tests/server/contents.h"

namespace nfs {

SimulatedWorld::SimulatedWorld(absl::Duration one_way_delay) : simulated_(server_, network_) {
  SetLinks({.delay = one_way_delay});
  server_.Register({.program = mount3::kProgram, .version = 3, .port = kMountPort});
  server_.Register({.program = nfs3::kProgram, .version = 3, .port = nfs3::kPort});
  simulated_.Listen(At(rpc::kRpcbindPort), {.nfs = false, .mount = false, .rpcbind = true});
  simulated_.Listen(At(kMountPort), {.nfs = false, .mount = true});
  simulated_.Listen(At(nfs3::kPort), {.nfs = true, .mount = false});
}

void SimulatedWorld::SetLink(uint16_t port, const io::LinkPolicy& policy) {
  network_.SetLink(At(port), policy);
}

void SimulatedWorld::SetLinks(const io::LinkPolicy& policy) {
  for (uint16_t port : {rpc::kRpcbindPort, kMountPort, nfs3::kPort}) SetLink(port, policy);
}

absl::StatusOr<std::unique_ptr<Session>> SimulatedWorld::Open(absl::string_view path) {
  Target target;
  target.host = "simulated";
  target.path = std::string(path);
  Session::Environment environment;
  environment.transport = std::make_unique<io::SimulatedTransport>(network_);
  environment.addresses = addresses_;
  environment.resolver = std::move(resolver_);
  environment.seed = 1;
  return Session::Open(std::move(environment), target, options_);
}

SimulatedWorld::Outcome SimulatedWorld::Stream(absl::string_view path, const Range& range) {
  Outcome outcome;
  const absl::Time start = network_.now();
  absl::StatusOr<std::unique_ptr<Session>> session = Open(path);
  outcome.opening = network_.now() - start;
  outcome.status = session.status();
  if (!session.ok()) return outcome;
  auto stream = FileStream::Make(**session, range, 1);
  outcome.status = stream.status();
  if (!stream.ok()) return outcome;
  while (!(*stream)->AtEnd() && (*stream)->status().ok()) {
    if (const auto bytes = (*stream)->Lend()) {
      outcome.bytes.insert(outcome.bytes.end(), bytes->begin(), bytes->end());
      (*stream)->Release();
    } else {
      (*stream)->Turn(/*consumer_waits=*/true, absl::InfiniteFuture());
    }
  }
  outcome.status = (*stream)->status();
  outcome.streaming = network_.now() - start - outcome.opening;
  outcome.counters = (*stream)->counters();
  outcome.connection = (*session)->trunk().counters();
  return outcome;
}

std::vector<std::byte> PatternOf(uint64_t offset, size_t bytes, uint64_t seed) {
  std::vector<std::byte> pattern(bytes);
  server::FillPattern(offset, pattern, seed);
  return pattern;
}

}  // namespace nfs
