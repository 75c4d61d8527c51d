// Tested by tests/server/actions_test.cc.
#include "tests/server/reply_writer.h"

#include <vector>

#include "rpc/message.h"

namespace server {

namespace {

// An accepted reply whose verifier may be longer than RFC 5531 allows, and whose
// accept_stat may be one that it does not know.
struct AcceptedHeader {
  uint32_t xid = 0;
  rpc::MessageType type = rpc::MessageType::kReply;
  rpc::ReplyState state = rpc::ReplyState::kAccepted;
  uint32_t flavor = 0;
  xdr::OpaqueView<1 << 20> verifier;
  rpc::AcceptState accept = rpc::AcceptState::kSuccess;
  rpc::VersionRange supported;

  static void Describe(auto& coder, auto& self) {
    coder.Field("xid", self.xid);
    coder.Field("type", self.type);
    coder.Field("reply_stat", self.state);
    coder.Field("verf.flavor", self.flavor);
    coder.Field("verf.body", self.verifier);
    coder.Field("accept_stat", self.accept);
    if (self.accept == rpc::AcceptState::kProgMismatch) coder.Field("mismatch", self.supported);
  }
};

rpc::ReplyHeader Denied(const Call& call) {
  rpc::ReplyHeader header;
  header.xid = call.xid;
  header.state = rpc::ReplyState::kDenied;
  header.reject = rpc::RejectState::kAuthError;
  return header;
}

}  // namespace

void ReplyWriter::Overwrite(std::span<std::byte> space, const FieldLocator::Place& place,
                            uint64_t value) {
  std::byte* at = space.data() + place.offset;
  if (place.bytes == 8) {
    xdr::StoreUint32(at, static_cast<uint32_t>(value >> 32));
    at += 4;
  }
  xdr::StoreUint32(at, static_cast<uint32_t>(value));
}

bool ReplyWriter::PutHeader(const Call& call) {
  if (call.rpc_mismatch || actions_.rpc_mismatch) {
    rpc::ReplyHeader header = Denied(call);
    header.reject = rpc::RejectState::kRpcMismatch;
    header.supported = actions_.rpc_mismatch.value_or(call.supported);
    Append(header);
    return false;
  }
  if (call.denied || actions_.deny) {
    rpc::ReplyHeader header = Denied(call);
    header.auth = actions_.deny ? static_cast<rpc::AuthState>(*actions_.deny) : *call.denied;
    Append(header);
    return false;
  }
  return PutAccepted(call);
}

bool ReplyWriter::PutAccepted(const Call& call) {
  const Verifier verifier = actions_.verifier.value_or(Verifier());
  const std::vector<std::byte> body(verifier.bytes, std::byte{0x11});
  AcceptedHeader header;
  header.xid = call.xid;
  header.flavor = verifier.flavor;
  header.verifier.Assign(body);
  header.accept = call.accept;
  if (actions_.accept) header.accept = static_cast<rpc::AcceptState>(*actions_.accept);
  if (actions_.prog_mismatch) header.accept = rpc::AcceptState::kProgMismatch;
  header.supported = actions_.prog_mismatch.value_or(call.supported);
  Append(header);
  return header.accept == rpc::AcceptState::kSuccess;
}

}  // namespace server
