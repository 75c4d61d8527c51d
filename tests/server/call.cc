// Tested by tests/server/service_test.cc.
#include "tests/server/call.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/protocol/mount3.h"
#include "client/protocol/nfs3_read.h"
#include "rpc/rpcbind.h"
#include "xdr/decoder.h"

namespace server {

namespace {

constexpr rpc::Procedure kRpcbindNull = {rpc::kRpcbindProgram, 4, 0, "NULL"};
constexpr rpc::Procedure kGetport = {rpc::kRpcbindProgram, 2, 3, "GETPORT"};

constexpr KnownProcedure kProcedures[] = {
    {"NFS", nfs3::kNull, 3, false},       {"NFS", nfs3::kGetattr, 3, true},
    {"NFS", nfs3::kLookup, 3, true},      {"NFS", nfs3::kAccess, 3, true},
    {"NFS", nfs3::kReadlink, 3, true},    {"NFS", nfs3::kRead, 3, true},
    {"NFS", nfs3::kFsinfo, 3, true},      {"MOUNT", mount3::kNull, 3, false},
    {"MOUNT", mount3::kMnt, 3, true},     {"MOUNT", mount3::kUmnt, 3, false},
    {"MOUNT", mount3::kExport, 3, false}, {"RPCBIND", kRpcbindNull, 2, false},
    {"RPCBIND", rpc::kGetaddr, 2, false},
};

void DecodeNfs(uint32_t procedure, xdr::Decoder& decoder, Arguments& to) {
  if (procedure == nfs3::kNull.number) return;
  // Every other procedure begins with a handle.
  to.handle = decoder.Get<nfs3::FileHandle3>();
  if (procedure == nfs3::kLookup.number) to.name = decoder.Get<nfs3::FileName3>().text();
  if (procedure == nfs3::kAccess.number) to.access = decoder.Get<uint32_t>();
  if (procedure == nfs3::kRead.number) {
    to.offset = decoder.Get<uint64_t>();
    to.count = decoder.Get<uint32_t>();
  }
}

void DecodeMount(uint32_t procedure, xdr::Decoder& decoder, Arguments& to) {
  const bool has_path = procedure == mount3::kMnt.number || procedure == mount3::kUmnt.number;
  if (has_path) to.name = decoder.Get<mount3::DirPath>().path.text();
}

void DecodeRpcbind(const Call& call, xdr::Decoder& decoder, Arguments& to) {
  if (call.procedure == kRpcbindNull.number) return;
  if (call.version == kGetport.version) {
    const auto mapping = decoder.Get<rpc::Mapping>();
    to.asked_program = mapping.program;
    to.asked_version = mapping.version;
    to.name = mapping.protocol == rpc::IpProtocol::kTcp ? "tcp" : "udp";
  } else {
    const auto rpcb = decoder.Get<rpc::Rpcb>();
    to.asked_program = rpcb.program;
    to.asked_version = rpcb.version;
    to.name = rpcb.netid.text();
  }
}

void DecodeArguments(xdr::Decoder& decoder, Call& call) {
  switch (call.program) {
    case nfs3::kProgram: DecodeNfs(call.procedure, decoder, call.arguments); break;
    case mount3::kProgram: DecodeMount(call.procedure, decoder, call.arguments); break;
    default: DecodeRpcbind(call, decoder, call.arguments); break;
  }
  if (!decoder.Finish().ok()) call.accept = rpc::AcceptState::kGarbageArgs;
}

bool HasProgram(uint32_t program) {
  return program == nfs3::kProgram || program == mount3::kProgram ||
         program == rpc::kRpcbindProgram;
}

// Sees to everything that RFC 5531 wants of a server before the arguments.
rpc::AcceptState CheckProcedure(Call& call) {
  if (!HasProgram(call.program)) return rpc::AcceptState::kProgUnavail;
  const KnownProcedure* null = FindProcedure(call.program, 0);
  call.supported = {null->lowest_version, null->procedure.version};
  if (call.version < call.supported.low || call.version > call.supported.high) {
    return rpc::AcceptState::kProgMismatch;
  }
  const bool known = FindProcedure(call.program, call.procedure) != nullptr;
  return known ? rpc::AcceptState::kSuccess : rpc::AcceptState::kProcUnavail;
}

void DecodeCredentials(const rpc::OpaqueAuth& credentials, Call& call) {
  call.flavor = credentials.flavor;
  call.identity = {kNobody, kNobody, {}};
  if (credentials.flavor == rpc::AuthFlavor::kNone) return;
  if (credentials.flavor != rpc::AuthFlavor::kSys) {
    call.denied = rpc::AuthState::kRejectedCred;
    return;
  }
  xdr::Decoder decoder(credentials.body.view());
  const auto parms = decoder.Get<rpc::AuthSysParms>();
  if (!decoder.Finish().ok()) {
    call.denied = rpc::AuthState::kBadCred;
    return;
  }
  call.machine_name = parms.machine_name.text();
  call.identity = {parms.uid, parms.gid, parms.gids.elements};
}

std::string PeerText(const Peer& peer) {
  const std::string way = peer.transport == Transport::kUdp
                              ? std::string("udp ")
                              : absl::StrCat("tcp #", peer.connection, " ");
  return absl::StrCat(way, peer.address, " port ", peer.source_port, ": ");
}

}  // namespace

std::optional<Call> DecodeCall(xdr::ByteView record) {
  xdr::Decoder decoder(record);
  const auto header = decoder.Get<rpc::CallHeader>();
  if (!decoder.ok() || header.type != rpc::MessageType::kCall) return std::nullopt;
  Call call;
  call.xid = header.xid;
  call.program = header.program;
  call.version = header.version;
  call.procedure = header.procedure;
  if (header.rpc_version != rpc::kRpcVersion) {
    call.rpc_mismatch = true;
    call.supported = {rpc::kRpcVersion, rpc::kRpcVersion};
    return call;
  }
  DecodeCredentials(header.credentials, call);
  call.accept = CheckProcedure(call);
  if (call.accept == rpc::AcceptState::kSuccess) DecodeArguments(decoder, call);
  return call;
}

std::string LogLine(const Call& call) {
  const KnownProcedure* known = FindProcedure(call.program, call.procedure);
  std::string text = PeerText(call.peer);
  if (known != nullptr) {
    absl::StrAppend(&text, known->program_name, ".", known->procedure.name);
  } else {
    absl::StrAppend(&text, "program ", call.program, " procedure ", call.procedure);
  }
  absl::StrAppend(&text, " xid 0x", absl::Hex(call.xid));
  const Arguments& arguments = call.arguments;
  if (!arguments.name.empty()) {
    absl::StrAppend(&text, " \"", absl::CHexEscape(arguments.name), "\"");
  }
  if (call.Is(nfs3::kRead)) {
    absl::StrAppend(&text, " offset ", arguments.offset, " count ", arguments.count);
  }
  absl::StrAppend(&text, " ", rpc::Name(call.flavor));
  if (call.flavor == rpc::AuthFlavor::kSys) absl::StrAppend(&text, " uid ", call.identity.uid);
  return text;
}

std::span<const KnownProcedure> KnownProcedures() { return kProcedures; }

const KnownProcedure* FindProcedure(absl::string_view name) {
  if (name == "GETPORT") name = "GETADDR";  // the same number, 3
  const KnownProcedure* found = nullptr;
  for (const KnownProcedure& known : kProcedures) {
    if (name == absl::StrCat(known.program_name, ".", known.procedure.name)) return &known;
    if (name != known.procedure.name) continue;
    if (found != nullptr) return nullptr;
    found = &known;
  }
  return found;
}

const KnownProcedure* FindProcedure(uint32_t program, uint32_t number) {
  for (const KnownProcedure& known : kProcedures) {
    if (known.procedure.program == program && known.procedure.number == number) return &known;
  }
  return nullptr;
}

std::optional<uint32_t> FindProgram(absl::string_view name) {
  for (const KnownProcedure& known : kProcedures) {
    if (name == known.program_name) return known.procedure.program;
  }
  return std::nullopt;
}

}  // namespace server
