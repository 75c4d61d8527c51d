// The command line of nfs3d.
#ifndef TESTS_SERVER_NFS3D_OPTIONS_H_
#define TESTS_SERVER_NFS3D_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/server/loopback_server.h"
#include "tests/server/script.h"
#include "tests/server/server.h"

namespace server {

struct Nfs3dOptions {
  struct Pattern {
    std::string name;
    uint64_t size = 0;
    bool is_sparse = false;
  };

  bool help = false;
  std::string serve;  // a local directory; empty: none
  std::vector<Pattern> patterns;
  std::string export_path = "/export";
  ListenOptions listen;
  NfsSettings nfs;
  std::vector<Rule> rules;
  uint64_t seed = 1;
  uint64_t cached_replies = 0;  // Server::SetDuplicateRequestCache
  bool log = false;
};

// InvalidArgument: a usage error. `argv` ends with a null pointer, as main()'s does.
absl::StatusOr<Nfs3dOptions> ParseNfs3dOptions(int argc, char** argv);

// What --help prints.
extern const char kNfs3dHelp[];

}  // namespace server

#endif  // TESTS_SERVER_NFS3D_OPTIONS_H_
