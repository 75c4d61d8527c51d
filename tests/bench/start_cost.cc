// What it takes to get the first byte of a file: connections, calls that the server answers
// before it sees a READ, and the system calls of a whole run for a file of one byte.
//
//   bazel run -c opt //tests/bench:start_cost -- [--json]
//
// Counted, not timed: the numbers are the same on every machine, but for what the dynamic
// linker does. Ports are given, so no port mapper is asked.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/bench/child.h"
#include "tests/bench/load_server.h"
#include "tests/bench/syscall_count.h"
#include "tests/support/private_machine.h"
#include "tests/support/runfile.h"
#include "tests/support/subprocess.h"

namespace bench {
namespace {

struct Client {
  std::string name;
  std::vector<std::string> argv;  // but for the URL
};

struct Cost {
  uint64_t connections = 0;
  uint64_t calls = 0;
  std::optional<uint64_t> syscalls;
};

std::vector<Client> Clients() {
  const std::string nfscat = support::Runfile("client/tools/nfscat");
  std::vector<Client> clients = {{"nfscat", {nfscat}}, {"nfscat --io=poll", {nfscat, "--io=poll"}}};
  const std::string peer = support::FindProgram("nfs-cat");
  if (peer.empty()) {
    std::fprintf(stderr, "start_cost: no nfs-cat here; bazel/install.sh benchmark brings it\n");
  } else {
    clients.push_back({"nfs-cat", {peer}});
  }
  return clients;
}

absl::StatusOr<Cost> CostOf(const Client& client) {
  const auto server = LoadServer::Start({.files = {{"one", 1}}});
  if (!server.ok()) return server.status();
  Program program = {.argv = client.argv};
  program.argv.push_back(LoadUrl((*server)->port(), "one"));
  Cost cost = {.syscalls = CountSyscalls(program)};
  // Where nothing can be traced.
  if (!cost.syscalls && Await(Start(program)).exit_status != 0) {
    return absl::InternalError(client.name + " failed");
  }
  cost.connections = (*server)->state().connections_before_read;
  cost.calls = (*server)->state().calls_before_read;
  return cost;
}

void Print(const Client& client, const Cost& cost, bool json) {
  const std::string syscalls = cost.syscalls ? std::to_string(*cost.syscalls) : json ? "null" : "-";
  std::printf(json ? "{\"contender\": \"%s\", \"connections\": %llu, \"calls_before_read\": %llu, "
                     "\"syscalls\": %s}\n"
                   : "%-18s %11llu %17llu %9s\n",
              client.name.c_str(), static_cast<unsigned long long>(cost.connections),
              static_cast<unsigned long long>(cost.calls), syscalls.c_str());
}

int Main(bool json) {
  if (geteuid() == 0) support::EnterPrivateMachine().IgnoreError();
  if (!json) {
    std::printf("%-18s %11s %17s %9s\n", "", "connections", "calls before READ", "syscalls");
  }
  for (const Client& client : Clients()) {
    const absl::StatusOr<Cost> cost = CostOf(client);
    if (!cost.ok()) {
      std::fprintf(stderr, "start_cost: %s\n", std::string(cost.status().message()).c_str());
      return 1;
    }
    Print(client, *cost, json);
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  return bench::Main(argc > 1 && std::strcmp(argv[1], "--json") == 0);
}
