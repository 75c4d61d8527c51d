// One call and its reply, as the caller of a channel sees them.
#ifndef RPC_REQUEST_H_
#define RPC_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "rpc/message.h"
#include "rpc/slot_table.h"
#include "xdr/types.h"

namespace rpc {

// What to call, and what to do with the reply.
struct Request {
  Procedure procedure;
  // Given back with the reply.
  uint64_t tag = 0;
  // For procedures whose results carry a payload: how to find it, and the memory to
  // receive it into. The memory belongs to the channel until the reply is given, or
  // until the channel is gone. A longer payload is cut to it, and the rest dropped.
  PayloadLocator locate = nullptr;
  std::span<std::byte> payload;
  // Whether the payload may go past memory, if that can be done: see Arrival.
  bool may_divert = false;
};

// A reply that has come up to its payload, all of which is still in the connection and
// may leave it for elsewhere (a pipe), without a copy. The channel stands still before it
// until its owner has decided.
struct Arrival {
  uint64_t tag = 0;
  // The encoded results before the payload. Valid until the next NextReply().
  xdr::ByteView results;
  size_t payload_bytes = 0;
  // How many of them have not been diverted yet; at least 1.
  size_t left = 0;
};

struct Reply {
  uint64_t tag = 0;
  // Whether the procedure was executed; if not, why (rpc::ToStatus, or DataLoss when
  // the reply cannot be understood).
  absl::Status status;
  // Whether the server has forgotten, or does not like any more, the credentials that it
  // was given: it may take the same with another stamp (RFC 5531, section 9).
  bool wants_new_credentials = false;
  // The encoded results, without the payload. Valid until the next NextReply().
  xdr::ByteView results;
  // How many bytes of payload were put into the request's memory, or diverted.
  size_t payload_bytes = 0;
  // When Call() was told about it.
  absl::Time called;
};

}  // namespace rpc

#endif  // RPC_REQUEST_H_
