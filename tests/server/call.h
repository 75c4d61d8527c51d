// One call as the embedded server sees it: what it executes, what a script matches,
// and what the call log keeps.
#ifndef TESTS_SERVER_CALL_H_
#define TESTS_SERVER_CALL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/protocol/nfs3.h"
#include "rpc/auth.h"
#include "rpc/message.h"
#include "xdr/types.h"

namespace server {

// The arguments of every procedure here, each using what it has.
struct Arguments {
  nfs3::FileHandle3 handle;    // NFS
  std::string name;            // LOOKUP: the name; MNT, UMNT: dirpath; GETPORT,
                               // GETADDR: the netid
  uint64_t offset = 0;         // READ
  uint32_t count = 0;          // READ
  uint32_t access = 0;         // ACCESS
  uint32_t asked_program = 0;  // GETPORT, GETADDR
  uint32_t asked_version = 0;
};

enum class Transport : uint8_t { kTcp, kUdp };

// Where a call came from.
struct Peer {
  uint64_t connection = 0;   // 1 for the first that the server accepted; 0 with UDP
  uint16_t source_port = 0;  // the client's
  std::string address = {};  // the client's, as "127.0.0.1" or "::1"
  Transport transport = Transport::kTcp;
};

struct Call {
  Peer peer;
  absl::Time arrived;
  uint32_t xid = 0;
  uint32_t program = 0;
  uint32_t version = 0;
  uint32_t procedure = 0;
  rpc::AuthFlavor flavor = rpc::AuthFlavor::kNone;
  std::string machine_name;  // of AUTH_SYS
  rpc::Identity identity;    // of AUTH_SYS; else nobody
  Arguments arguments;

  // What an honest server answers instead of results, if anything.
  std::optional<rpc::AuthState> denied;
  rpc::AcceptState accept = rpc::AcceptState::kSuccess;
  rpc::VersionRange supported;  // with kProgMismatch, and with rpc_mismatch
  bool rpc_mismatch = false;

  bool Is(const rpc::Procedure& which) const {
    return program == which.program && procedure == which.number;
  }
};

// For a log: "tcp #1 127.0.0.1 port 45321: NFS.READ xid 0x1f offset 0 count 1048576
// AUTH_SYS uid 0", or "udp 127.0.0.1 port 45321: ...".
std::string LogLine(const Call& call);

inline constexpr uint32_t kNobody = 65534;

// The call in a record; nothing when the bytes are not even a call header. Never
// fails otherwise: what is wrong with the call is in `denied`, `accept`...
std::optional<Call> DecodeCall(xdr::ByteView record);

// One procedure that this server has.
struct KnownProcedure {
  const char* program_name;  // "NFS", "MOUNT", "RPCBIND"
  rpc::Procedure procedure;  // of the highest version
  uint32_t lowest_version;
  bool has_status;  // whether its results begin with an nfsstat3 or a mountstat3
};

// The procedure that goes by `name`: "READ", or "NFS.READ" where several programs
// have one of that name (NULL). Null when there is none or more than one.
const KnownProcedure* FindProcedure(absl::string_view name);
const KnownProcedure* FindProcedure(uint32_t program, uint32_t number);
// All of them.
std::span<const KnownProcedure> KnownProcedures();
// The number of "NFS", "MOUNT" or "RPCBIND"; nothing for other names.
std::optional<uint32_t> FindProgram(absl::string_view name);

}  // namespace server

#endif  // TESTS_SERVER_CALL_H_
