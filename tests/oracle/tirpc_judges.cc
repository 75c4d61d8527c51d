#include "tests/oracle/tirpc_judges.h"

// The others need this one before them.
// clang-format off
#include <rpc/rpc.h>
#include <rpc/pmap_prot.h>
#include <rpc/rpcb_prot.h>
// clang-format on

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace oracle {

namespace {

template <typename S>
using XdrFunction = bool_t (*)(XDR*, S*);

// Of a struct of libtirpc's, for the time that it is needed.
template <typename S>
std::optional<Bytes> Encode(XdrFunction<S> function, S value) {
  Bytes space(16 * 1024);
  XDR xdrs;
  xdrmem_create(&xdrs, reinterpret_cast<char*>(space.data()), static_cast<u_int>(space.size()),
                XDR_ENCODE);
  if (!function(&xdrs, &value)) return std::nullopt;
  space.resize(xdr_getpos(&xdrs));
  return space;
}

// True if all of `bytes` make a value. Pointers in it may be set to memory of the caller's;
// where they are null, libtirpc allocates: see Free.
template <typename S>
bool Decode(XdrFunction<S> function, xdr::ByteView bytes, S& value) {
  XDR xdrs;
  auto* begin = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
  xdrmem_create(&xdrs, begin, static_cast<u_int>(bytes.size()), XDR_DECODE);
  return function(&xdrs, &value) && xdr_getpos(&xdrs) == bytes.size();
}

template <typename S>
void Free(XdrFunction<S> function, S& value) {
  XDR xdrs{};
  xdrs.x_op = XDR_FREE;
  function(&xdrs, &value);
}

// --- Headers -----------------------------------------------------------------

struct AuthMemory {
  char bytes[MAX_AUTH_BYTES];
};

opaque_auth ToTirpc(uint32_t flavor, xdr::ByteView body) {
  opaque_auth auth{};
  auth.oa_flavor = static_cast<enum_t>(flavor);
  auth.oa_base = reinterpret_cast<char*>(const_cast<std::byte*>(body.data()));
  auth.oa_length = static_cast<u_int>(body.size());
  return auth;
}

xdr::ByteView BodyOf(const opaque_auth& auth) {
  return std::as_bytes(std::span(auth.oa_base, auth.oa_length));
}

// An enum of ours from one of theirs, which may hold any number.
template <typename To, typename From>
To FromTirpcEnum(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

rpc::OpaqueAuth FromTirpc(const opaque_auth& auth) {
  rpc::OpaqueAuth ours;
  ours.flavor = static_cast<rpc::AuthFlavor>(auth.oa_flavor);
  ours.body.Assign(BodyOf(auth));
  return ours;
}

std::optional<Bytes> EncodeCallHeader(const rpc::CallHeader& header) {
  rpc_msg message{};
  message.rm_xid = header.xid;
  message.rm_direction = static_cast<msg_type>(header.type);
  call_body& call = message.rm_call;
  call.cb_rpcvers = header.rpc_version;
  call.cb_prog = header.program;
  call.cb_vers = header.version;
  call.cb_proc = header.procedure;
  call.cb_cred =
      ToTirpc(static_cast<uint32_t>(header.credentials.flavor), header.credentials.body.view());
  call.cb_verf =
      ToTirpc(static_cast<uint32_t>(header.verifier.flavor), header.verifier.body.view());
  return Encode(xdr_callmsg, message);
}

bool DecodeCallHeader(xdr::ByteView bytes,
                      const std::function<void(const rpc::CallHeader&)>& seen) {
  AuthMemory credentials;
  AuthMemory verifier;
  rpc_msg message{};
  call_body& call = message.rm_call;
  call.cb_cred.oa_base = credentials.bytes;
  call.cb_verf.oa_base = verifier.bytes;
  if (!Decode(xdr_callmsg, bytes, message)) return false;
  rpc::CallHeader header;
  header.xid = message.rm_xid;
  header.type = FromTirpcEnum<rpc::MessageType>(message.rm_direction);
  header.rpc_version = call.cb_rpcvers;
  header.program = call.cb_prog;
  header.version = call.cb_vers;
  header.procedure = call.cb_proc;
  header.credentials = FromTirpc(call.cb_cred);
  header.verifier = FromTirpc(call.cb_verf);
  seen(header);
  return true;
}

// A success has no results here: only its header is compared.
bool_t NoResults() { return TRUE; }

void SetNoResults(accepted_reply& reply) {
  reply.ar_results.where = nullptr;
  reply.ar_results.proc = reinterpret_cast<xdrproc_t>(reinterpret_cast<void (*)()>(NoResults));
}

std::optional<Bytes> EncodeReplyHeader(const rpc::ReplyHeader& header) {
  rpc_msg message{};
  message.rm_xid = header.xid;
  message.rm_direction = static_cast<msg_type>(header.type);
  message.rm_reply.rp_stat = static_cast<reply_stat>(header.state);
  if (header.state == rpc::ReplyState::kAccepted) {
    accepted_reply& reply = message.acpted_rply;
    reply.ar_verf =
        ToTirpc(static_cast<uint32_t>(header.verifier.flavor), header.verifier.body.view());
    reply.ar_stat = static_cast<accept_stat>(header.accept);
    SetNoResults(reply);
    if (header.accept == rpc::AcceptState::kProgMismatch) {
      reply.ar_vers.low = header.supported.low;
      reply.ar_vers.high = header.supported.high;
    }
  } else {
    rejected_reply& reply = message.rjcted_rply;
    reply.rj_stat = static_cast<reject_stat>(header.reject);
    if (header.reject == rpc::RejectState::kRpcMismatch) {
      reply.rj_vers.low = header.supported.low;
      reply.rj_vers.high = header.supported.high;
    } else {
      reply.rj_why = static_cast<auth_stat>(header.auth);
    }
  }
  return Encode(xdr_replymsg, message);
}

rpc::ReplyHeader FromTirpc(const rpc_msg& message) {
  rpc::ReplyHeader header;
  header.xid = message.rm_xid;
  header.type = FromTirpcEnum<rpc::MessageType>(message.rm_direction);
  header.state = FromTirpcEnum<rpc::ReplyState>(message.rm_reply.rp_stat);
  if (header.state == rpc::ReplyState::kAccepted) {
    const accepted_reply& reply = message.acpted_rply;
    header.verifier.flavor = static_cast<rpc::AuthFlavor>(reply.ar_verf.oa_flavor);
    header.verifier.body.Assign(BodyOf(reply.ar_verf));
    header.accept = FromTirpcEnum<rpc::AcceptState>(reply.ar_stat);
    if (header.accept == rpc::AcceptState::kProgMismatch) {
      header.supported = {reply.ar_vers.low, reply.ar_vers.high};
    }
  } else {
    const rejected_reply& reply = message.rjcted_rply;
    header.reject = FromTirpcEnum<rpc::RejectState>(reply.rj_stat);
    if (header.reject == rpc::RejectState::kRpcMismatch) {
      header.supported = {reply.rj_vers.low, reply.rj_vers.high};
    } else {
      header.auth = FromTirpcEnum<rpc::AuthState>(reply.rj_why);
    }
  }
  return header;
}

bool DecodeReplyHeader(xdr::ByteView bytes,
                       const std::function<void(const rpc::ReplyHeader&)>& seen) {
  AuthMemory verifier;
  rpc_msg message{};
  message.acpted_rply.ar_verf.oa_base = verifier.bytes;
  SetNoResults(message.acpted_rply);
  if (!Decode(xdr_replymsg, bytes, message)) return false;
  seen(FromTirpc(message));
  return true;
}

// --- AUTH_SYS ----------------------------------------------------------------

char* CString(const std::string& text) { return const_cast<char*>(text.c_str()); }

std::optional<Bytes> EncodeAuthSysParms(const rpc::AuthSysParms& parms) {
  std::vector<gid_t> gids(parms.gids.elements.begin(), parms.gids.elements.end());
  authunix_parms theirs{};
  theirs.aup_time = parms.stamp;
  theirs.aup_machname = CString(parms.machine_name.text());
  theirs.aup_uid = parms.uid;
  theirs.aup_gid = parms.gid;
  theirs.aup_len = static_cast<u_int>(gids.size());
  theirs.aup_gids = gids.data();
  return Encode(xdr_authunix_parms, theirs);
}

bool DecodeAuthSysParms(xdr::ByteView bytes,
                        const std::function<void(const rpc::AuthSysParms&)>& seen) {
  authunix_parms theirs{};
  const bool ok = Decode(xdr_authunix_parms, bytes, theirs);
  if (ok) {
    rpc::AuthSysParms parms;
    parms.stamp = static_cast<uint32_t>(theirs.aup_time);
    parms.machine_name = xdr::String<255>(theirs.aup_machname);
    parms.uid = theirs.aup_uid;
    parms.gid = theirs.aup_gid;
    parms.gids.elements.assign(theirs.aup_gids, theirs.aup_gids + theirs.aup_len);
    seen(parms);
  }
  Free(xdr_authunix_parms, theirs);
  return ok;
}

// --- Port mapper and rpcbind -------------------------------------------------------

std::optional<Bytes> EncodeMapping(const rpc::Mapping& mapping) {
  pmap theirs{};
  theirs.pm_prog = mapping.program;
  theirs.pm_vers = mapping.version;
  theirs.pm_prot = static_cast<u_long>(mapping.protocol);
  theirs.pm_port = mapping.port;
  return Encode(xdr_pmap, theirs);
}

bool DecodeMapping(xdr::ByteView bytes, const std::function<void(const rpc::Mapping&)>& seen) {
  pmap theirs{};
  if (!Decode(xdr_pmap, bytes, theirs)) return false;
  rpc::Mapping mapping;
  mapping.program = static_cast<uint32_t>(theirs.pm_prog);
  mapping.version = static_cast<uint32_t>(theirs.pm_vers);
  mapping.protocol = static_cast<rpc::IpProtocol>(theirs.pm_prot);
  mapping.port = static_cast<uint32_t>(theirs.pm_port);
  seen(mapping);
  return true;
}

std::optional<Bytes> EncodeGetportResult(const rpc::GetportResult& result) {
  return Encode(xdr_u_int, result.port);
}

bool DecodeGetportResult(xdr::ByteView bytes,
                         const std::function<void(const rpc::GetportResult&)>& seen) {
  rpc::GetportResult result;
  if (!Decode(xdr_u_int, bytes, result.port)) return false;
  seen(result);
  return true;
}

std::optional<Bytes> EncodeRpcb(const rpc::Rpcb& ours) {
  RPCB theirs{};
  theirs.r_prog = ours.program;
  theirs.r_vers = ours.version;
  theirs.r_netid = CString(ours.netid.text());
  theirs.r_addr = CString(ours.address.text());
  theirs.r_owner = CString(ours.owner.text());
  return Encode(xdr_rpcb, theirs);
}

bool DecodeRpcb(xdr::ByteView bytes, const std::function<void(const rpc::Rpcb&)>& seen) {
  RPCB theirs{};
  const bool ok = Decode(xdr_rpcb, bytes, theirs);
  if (ok) {
    rpc::Rpcb ours;
    ours.program = theirs.r_prog;
    ours.version = theirs.r_vers;
    ours.netid = rpc::RpcbString(theirs.r_netid);
    ours.address = rpc::RpcbString(theirs.r_addr);
    ours.owner = rpc::RpcbString(theirs.r_owner);
    seen(ours);
  }
  Free(xdr_rpcb, theirs);
  return ok;
}

std::optional<Bytes> EncodeGetaddrResult(const rpc::GetaddrResult& result) {
  return Encode(xdr_wrapstring, CString(result.address.text()));
}

bool DecodeGetaddrResult(xdr::ByteView bytes,
                         const std::function<void(const rpc::GetaddrResult&)>& seen) {
  char* theirs = nullptr;
  const bool ok = Decode(xdr_wrapstring, bytes, theirs);
  if (ok) seen(rpc::GetaddrResult{rpc::RpcbString(theirs)});
  Free(xdr_wrapstring, theirs);
  return ok;
}

}  // namespace

const Judge<rpc::CallHeader> kTirpcCallHeader = {EncodeCallHeader, DecodeCallHeader};
const Judge<rpc::ReplyHeader> kTirpcReplyHeader = {EncodeReplyHeader, DecodeReplyHeader};
const Judge<rpc::AuthSysParms> kTirpcAuthSysParms = {EncodeAuthSysParms, DecodeAuthSysParms};
const Judge<rpc::Mapping> kTirpcMapping = {EncodeMapping, DecodeMapping};
const Judge<rpc::GetportResult> kTirpcGetportResult = {EncodeGetportResult, DecodeGetportResult};
const Judge<rpc::Rpcb> kTirpcRpcb = {EncodeRpcb, DecodeRpcb};
const Judge<rpc::GetaddrResult> kTirpcGetaddrResult = {EncodeGetaddrResult, DecodeGetaddrResult};

Bytes TirpcAuthSysBody(const rpc::Identity& identity, const char* machine_name) {
  std::vector<gid_t> gids(identity.groups.begin(), identity.groups.end());
  AUTH* auth = authunix_create(const_cast<char*>(machine_name), identity.uid, identity.gid,
                               static_cast<int>(gids.size()), gids.data());
  const xdr::ByteView body = BodyOf(auth->ah_cred);
  Bytes copy(body.begin(), body.end());
  auth_destroy(auth);
  return copy;
}

}  // namespace oracle
