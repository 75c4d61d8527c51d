// The programs of the embedded server: one decoded call in, its results out. Pure but
// for the tree that they read: no sockets, no clock, no scripts of their own.
#ifndef TESTS_SERVER_SERVICE_H_
#define TESTS_SERVER_SERVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/protocol/mount3.h"
#include "client/protocol/nfs3.h"
#include "tests/server/call.h"
#include "tests/server/file_tree.h"
#include "tests/server/reply_writer.h"

namespace server {

// A directory that MNT gives out.
struct Export {
  std::string path = "/export";          // what MNT and EXPORT call it, byte by byte
  std::string root = {};                 // where it is in the tree; empty: at `path`
  std::vector<std::string> groups = {};  // whom EXPORT says it is for; empty: everybody
  std::vector<rpc::AuthFlavor> flavors = {rpc::AuthFlavor::kSys, rpc::AuthFlavor::kNone};
  mount3::Status refusal = mount3::Status::kOk;  // what MNT says instead of a handle
  bool subdirectories = true;                    // whether MNT takes paths below `path` too
};

// What the server says of itself.
struct NfsSettings {
  // FSINFO. The READ sizes are advice only; max_read is what binds.
  nfs3::Fsinfo3Ok fsinfo = {.rtmax = 1 << 20,
                            .rtpref = 1 << 20,
                            .rtmult = 4096,
                            .wtmax = 1 << 20,
                            .wtpref = 1 << 20,
                            .wtmult = 4096,
                            .dtpref = 64 << 10,
                            .maxfilesize = INT64_MAX,
                            .time_delta = {0, 1},
                            .properties = 0x1b};
  uint32_t max_read = 1 << 20;  // bytes that a READ gives at most
  // ... over UDP, where a reply is one datagram. What knfsd gives.
  uint32_t max_udp_read = 32 << 10;
  bool root_squash = false;  // uid 0 is taken for nobody
};

// One line of rpcbind's table.
struct Registration {
  uint32_t program = 0;
  uint32_t version = 0;
  std::string netid = "tcp";     // "tcp6", "udp"...
  std::string host = "0.0.0.0";  // of the universal address
  uint16_t port = 0;
};

// REQUIRES of all three: call.accept is kSuccess. Each puts exactly one result.
void ServeNfs3(const Call& call, const NfsSettings& settings, FileTree& tree, ReplyWriter& reply);
void ServeMount3(const Call& call, const std::vector<Export>& exports, const FileTree& tree,
                 ReplyWriter& reply);
void ServeRpcbind(const Call& call, const std::vector<Registration>& table, ReplyWriter& reply);

}  // namespace server

#endif  // TESTS_SERVER_SERVICE_H_
