// Tested by tests/rpc/message_test.cc and, against libtirpc, tests/oracle/.
#include "rpc/message.h"

#include "absl/strings/str_cat.h"

namespace rpc {

const char* Name(AcceptState state) {
  switch (state) {
    case AcceptState::kSuccess: return "SUCCESS";
    case AcceptState::kProgUnavail: return "PROG_UNAVAIL";
    case AcceptState::kProgMismatch: return "PROG_MISMATCH";
    case AcceptState::kProcUnavail: return "PROC_UNAVAIL";
    case AcceptState::kGarbageArgs: return "GARBAGE_ARGS";
    case AcceptState::kSystemErr: return "SYSTEM_ERR";
  }
  return "unknown accept_stat";
}

const char* Name(AuthState state) {
  switch (state) {
    case AuthState::kOk: return "AUTH_OK";
    case AuthState::kBadCred: return "AUTH_BADCRED";
    case AuthState::kRejectedCred: return "AUTH_REJECTEDCRED";
    case AuthState::kBadVerf: return "AUTH_BADVERF";
    case AuthState::kRejectedVerf: return "AUTH_REJECTEDVERF";
    case AuthState::kTooWeak: return "AUTH_TOOWEAK";
    case AuthState::kInvalidResp: return "AUTH_INVALIDRESP";
    case AuthState::kFailed: return "AUTH_FAILED";
  }
  return "unknown auth_stat";
}

const char* Name(AuthFlavor flavor) {
  switch (flavor) {
    case AuthFlavor::kNone: return "AUTH_NONE";
    case AuthFlavor::kSys: return "AUTH_SYS";
    case AuthFlavor::kShort: return "AUTH_SHORT";
    case AuthFlavor::kDh: return "AUTH_DH";
    case AuthFlavor::kRpcSecGss: return "RPCSEC_GSS";
  }
  return "unknown auth_flavor";
}

namespace {

const char* Meaning(AcceptState state) {
  switch (state) {
    case AcceptState::kProgUnavail: return "the server does not have this program";
    case AcceptState::kProgMismatch: return "the server does not have this version of the program";
    case AcceptState::kProcUnavail: return "the server does not have this procedure";
    case AcceptState::kGarbageArgs: return "the server could not decode the arguments";
    case AcceptState::kSystemErr: return "the server met a system error";
    default: return "not a state that RFC 5531 knows";
  }
}

const char* Meaning(AuthState state) {
  switch (state) {
    case AuthState::kBadCred: return "the credentials are malformed";
    case AuthState::kRejectedCred: return "the server wants new credentials";
    case AuthState::kTooWeak: return "the server wants a stronger authentication flavor";
    default: return "the server does not accept the credentials";
  }
}

std::string Versions(const VersionRange& range) {
  return absl::StrCat("; it has versions ", range.low, " to ", range.high);
}

absl::StatusCode Code(AcceptState state) {
  switch (state) {
    case AcceptState::kProgUnavail:
    case AcceptState::kProgMismatch:
    case AcceptState::kProcUnavail: return absl::StatusCode::kUnimplemented;
    case AcceptState::kSystemErr: return absl::StatusCode::kUnavailable;
    default: return absl::StatusCode::kDataLoss;
  }
}

absl::Status Accepted(const ReplyHeader& reply) {
  if (reply.accept == AcceptState::kSuccess) return absl::OkStatus();
  std::string text =
      absl::StrCat("RPC: ", Name(reply.accept), " (", static_cast<uint32_t>(reply.accept),
                   "): ", Meaning(reply.accept));
  if (reply.accept == AcceptState::kProgMismatch) text += Versions(reply.supported);
  return absl::Status(Code(reply.accept), text);
}

absl::Status Denied(const ReplyHeader& reply) {
  switch (reply.reject) {
    case RejectState::kRpcMismatch:
      return absl::UnimplementedError(
          absl::StrCat("RPC: RPC_MISMATCH (0): the server does not speak ONC RPC version 2",
                       Versions(reply.supported)));
    case RejectState::kAuthError:
      return absl::UnauthenticatedError(absl::StrCat("RPC: ", Name(reply.auth), " (",
                                                     static_cast<uint32_t>(reply.auth),
                                                     "): ", Meaning(reply.auth)));
  }
  return absl::DataLossError(absl::StrCat("RPC: denied with the unknown reject_stat ",
                                          static_cast<uint32_t>(reply.reject)));
}

}  // namespace

absl::Status ToStatus(const ReplyHeader& reply) {
  switch (reply.state) {
    case ReplyState::kAccepted: return Accepted(reply);
    case ReplyState::kDenied: return Denied(reply);
  }
  return absl::DataLossError(
      absl::StrCat("RPC: unknown reply_stat ", static_cast<uint32_t>(reply.state)));
}

bool WantsNewCredentials(const ReplyHeader& reply) {
  return reply.state == ReplyState::kDenied && reply.reject == RejectState::kAuthError &&
         (reply.auth == AuthState::kRejectedCred || reply.auth == AuthState::kRejectedVerf);
}

}  // namespace rpc
