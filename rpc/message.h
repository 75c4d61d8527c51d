// The messages of ONC RPC version 2 (RFC 5531, section 9).
#ifndef RPC_MESSAGE_H_
#define RPC_MESSAGE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xdr/types.h"

namespace rpc {

inline constexpr uint32_t kRpcVersion = 2;
// "opaque body<400>" of opaque_auth (8.2).
inline constexpr size_t kMaxAuthBytes = 400;

enum class MessageType : uint32_t { kCall = 0, kReply = 1 };

enum class ReplyState : uint32_t { kAccepted = 0, kDenied = 1 };

enum class AcceptState : uint32_t {
  kSuccess = 0,
  kProgUnavail = 1,   // the server does not have the program
  kProgMismatch = 2,  // ... not this version of it
  kProcUnavail = 3,   // ... not this procedure
  kGarbageArgs = 4,   // the server could not decode the arguments
  kSystemErr = 5,     // e.g. no memory
};
const char* Name(AcceptState state);

enum class RejectState : uint32_t { kRpcMismatch = 0, kAuthError = 1 };

enum class AuthState : uint32_t {
  kOk = 0,
  kBadCred = 1,
  kRejectedCred = 2,
  kBadVerf = 3,
  kRejectedVerf = 4,
  kTooWeak = 5,
  kInvalidResp = 6,
  kFailed = 7,
};
const char* Name(AuthState state);

enum class AuthFlavor : uint32_t { kNone = 0, kSys = 1, kShort = 2, kDh = 3, kRpcSecGss = 6 };
const char* Name(AuthFlavor flavor);

// Credentials and verifiers of a call.
struct OpaqueAuth {
  AuthFlavor flavor = AuthFlavor::kNone;
  xdr::InlineOpaque<kMaxAuthBytes> body;

  bool operator==(const OpaqueAuth&) const = default;
  static void Describe(auto& coder, auto& self) {
    coder.Field("flavor", self.flavor);
    coder.Field("body", self.body);
  }
};

// One remote procedure. `name` is what its RFC calls it, for error texts.
struct Procedure {
  uint32_t program = 0;
  uint32_t version = 0;
  uint32_t number = 0;
  const char* name = "";
};

// Everything of a call that comes before its arguments.
struct CallHeader {
  uint32_t xid = 0;
  MessageType type = MessageType::kCall;
  uint32_t rpc_version = kRpcVersion;
  uint32_t program = 0;
  uint32_t version = 0;
  uint32_t procedure = 0;
  OpaqueAuth credentials;
  OpaqueAuth verifier;

  static void Describe(auto& coder, auto& self) {
    coder.Field("xid", self.xid);
    coder.Field("type", self.type);
    coder.Field("rpcvers", self.rpc_version);
    coder.Field("prog", self.program);
    coder.Field("vers", self.version);
    coder.Field("proc", self.procedure);
    coder.Field("cred", self.credentials);
    coder.Field("verf", self.verifier);
  }
};

// The lowest and highest version that a server speaks.
struct VersionRange {
  uint32_t low = 0;
  uint32_t high = 0;

  static void Describe(auto& coder, auto& self) {
    coder.Field("low", self.low);
    coder.Field("high", self.high);
  }
};

// Of an accepted reply, from its xid to its accept_stat, with the longest verifier.
inline constexpr size_t kLongestReplyHeader = 24 + kMaxAuthBytes;

// A verifier of a reply, in the bytes it came in.
struct OpaqueAuthView {
  AuthFlavor flavor = AuthFlavor::kNone;
  xdr::OpaqueView<kMaxAuthBytes> body;

  static void Describe(auto& coder, auto& self) {
    coder.Field("flavor", self.flavor);
    coder.Field("body", self.body);
  }
};

// Everything of a reply that comes before its results.
struct ReplyHeader {
  uint32_t xid = 0;
  MessageType type = MessageType::kReply;
  ReplyState state = ReplyState::kAccepted;
  // Of an accepted reply:
  OpaqueAuthView verifier;
  AcceptState accept = AcceptState::kSuccess;
  // Of a denied one:
  RejectState reject = RejectState::kRpcMismatch;
  AuthState auth = AuthState::kOk;
  // Of kProgMismatch and kRpcMismatch:
  VersionRange supported;

  static void Describe(auto& coder, auto& self) {
    coder.Field("xid", self.xid);
    coder.Field("type", self.type);
    coder.Field("reply_stat", self.state);
    if (self.state == ReplyState::kAccepted) {
      coder.Field("verf", self.verifier);
      coder.Field("accept_stat", self.accept);
      if (self.accept == AcceptState::kProgMismatch) coder.Field("mismatch", self.supported);
    } else {
      coder.Field("reject_stat", self.reject);
      if (self.reject == RejectState::kRpcMismatch) coder.Field("mismatch", self.supported);
      if (self.reject == RejectState::kAuthError) coder.Field("auth_stat", self.auth);
    }
  }
};

// OK when the call was executed; otherwise what the server said, by the RFC's own
// name and number. Unimplemented: it lacks the program, version or procedure.
// Unauthenticated: it wants other credentials. Unavailable: kSystemErr. DataLoss: it
// says that our arguments are garbage, or a state that RFC 5531 does not know.
absl::Status ToStatus(const ReplyHeader& reply);

// AUTH_REJECTEDCRED or AUTH_REJECTEDVERF: the client must begin a new session with it.
bool WantsNewCredentials(const ReplyHeader& reply);

}  // namespace rpc

#endif  // RPC_MESSAGE_H_
