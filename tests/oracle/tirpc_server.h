// A small server on libtirpc's own loop, in a child process: somebody else's idea of record
// marking, reply headers and refusals. Its headers stay in tirpc_server.cc.
#ifndef TESTS_ORACLE_TIRPC_SERVER_H_
#define TESTS_ORACLE_TIRPC_SERVER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "rpc/message.h"
#include "xdr/types.h"

namespace oracle {

// A program of our own, from the range that RFC 5531 leaves to users (section 8.3), which
// is not registered with any rpcbind.
inline constexpr uint32_t kTestProgram = 0x20000a11;
inline constexpr uint32_t kTestVersion = 3;
inline constexpr uint32_t kMostBytes = 1 << 20;

inline constexpr rpc::Procedure kNull = {kTestProgram, kTestVersion, 0, "NULL"};

// opaque<kMostBytes> back as it came.
inline constexpr rpc::Procedure kEcho = {kTestProgram, kTestVersion, 1, "ECHO"};

// Results shaped like READ3res (RFC 1813, 3.3.6), as tests/rpc/server_bytes.h makes them:
// its data are Pattern(count, seed), its attributes, if it has them, Pattern(84, 84).
inline constexpr rpc::Procedure kGive = {kTestProgram, kTestVersion, 2, "GIVE"};
struct GiveArgs {
  uint32_t count = 0;
  uint32_t seed = 0;
  bool attributes = false;

  static void Describe(auto& coder, auto& self) {
    coder.Field("count", self.count);
    coder.Field("seed", self.seed);
    coder.Field("attributes", self.attributes);
  }
};

// The caller's AUTH_SYS credentials (rpc::AuthSysParms), as the server understood them.
// Without any, AUTH_TOOWEAK.
inline constexpr rpc::Procedure kWho = {kTestProgram, kTestVersion, 3, "WHO"};

// SYSTEM_ERR, always.
inline constexpr rpc::Procedure kBreak = {kTestProgram, kTestVersion, 4, "BREAK"};

class TirpcServer {
 public:
  // Listens on a loopback port of its own. libtirpc cuts replies longer than `send_bytes`
  // into fragments; 0 is its default.
  explicit TirpcServer(uint32_t send_bytes);
  TirpcServer(const TirpcServer&) = delete;
  TirpcServer& operator=(const TirpcServer&) = delete;
  ~TirpcServer();

  // A new connection to it: a blocking socket, the caller's to close.
  int Connect() const;

 private:
  uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace oracle

#endif  // TESTS_ORACLE_TIRPC_SERVER_H_
