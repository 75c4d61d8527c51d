// The client's side of a ServerConnection, for the tests of the server: calls in, the
// bytes that come out, in a time that the test moves on.
#ifndef TESTS_SERVER_CONVERSATION_H_
#define TESTS_SERVER_CONVERSATION_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "rpc/auth.h"
#include "rpc/message.h"
#include "tests/server/server.h"
#include "tests/server/server_connection.h"
#include "xdr/decoder.h"
#include "xdr/encoder.h"
#include "xdr/wire.h"

namespace server {

using Bytes = std::vector<std::byte>;

// A whole record, mark included.
template <typename Args>
Bytes EncodeCall(uint32_t xid, const rpc::Procedure& procedure, const Args& args,
                 const rpc::OpaqueAuth& credentials) {
  rpc::CallHeader header;
  header.xid = xid;
  header.program = procedure.program;
  header.version = procedure.version;
  header.procedure = procedure.number;
  header.credentials = credentials;
  Bytes record(8192);
  xdr::Encoder encoder{std::span(record).subspan(4)};
  encoder.Put(header);
  encoder.Put(args);
  record.resize(4 + encoder.size());
  xdr::StoreUint32(record.data(), 0x80000000 | static_cast<uint32_t>(encoder.size()));
  return record;
}

// std::ranges::equal takes a tenth of a second for a megabyte in an unoptimised build.
bool SameBytes(xdr::ByteView one, xdr::ByteView other);

rpc::OpaqueAuth User(uint32_t uid, uint32_t gid, std::vector<uint32_t> groups = {});

// One reply, put together from its fragments.
struct Reply {
  Bytes record;             // without marks
  rpc::ReplyHeader header;  // points into `record`
  size_t results_at = 0;
  absl::Time came;

  xdr::ByteView results() const { return xdr::ByteView(record).subspan(results_at); }
  // REQUIRES (checked): the results are exactly a T.
  template <typename T>
  T As() const {
    xdr::Decoder decoder(results());
    T value = decoder.Get<T>();
    Check(decoder.Finish());
    return value;
  }
  static void Check(const absl::Status& status);
};

// One reply without a mark, as a datagram has it.
Reply DecodeReply(Bytes record);

// Splits a stream of replies; what is left over is dropped. Sets `came` to nothing.
std::vector<Reply> DecodeReplies(xdr::ByteView stream);

class Conversation {
 public:
  explicit Conversation(Server& served, const Programs& programs = {.rpcbind = true},
                        const Peer& peer = {.source_port = 45000, .address = "127.0.0.1"})
      : connection_(served, programs, peer, now_) {}

  // Gives the server a call; its xid.
  template <typename Args>
  uint32_t Send(const rpc::Procedure& procedure, const Args& args,
                const rpc::OpaqueAuth& credentials = User(0, 0)) {
    Feed(EncodeCall(++xid_, procedure, args, credentials));
    return xid_;
  }
  // ... and takes the one reply that there must be at once.
  template <typename Args>
  Reply Call(const rpc::Procedure& procedure, const Args& args,
             const rpc::OpaqueAuth& credentials = User(0, 0)) {
    Send(procedure, args, credentials);
    return Only(Take());
  }
  // ... and its results.
  template <typename Results, typename Args>
  Results Ask(const rpc::Procedure& procedure, const Args& args,
              const rpc::OpaqueAuth& credentials = User(0, 0)) {
    return Call(procedure, args, credentials).template As<Results>();
  }

  // REQUIRES (checked): the server takes all of them.
  void Feed(xdr::ByteView bytes);
  // As many as the server takes now; how many.
  size_t FeedSome(xdr::ByteView bytes);
  // The bytes, or the replies, that can be sent now.
  Bytes TakeBytes();
  std::vector<Reply> Take();
  // Goes on by `time`, stopping wherever the connection wants to do something.
  std::vector<Reply> TakeDuring(absl::Duration time);
  void Advance(absl::Duration time) { now_ += time; }

  absl::Time now() const { return now_; }
  ServerConnection& connection() { return connection_; }

 private:
  static Reply Only(std::vector<Reply> replies);

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  uint32_t xid_ = 100;
  ServerConnection connection_;
};

}  // namespace server

#endif  // TESTS_SERVER_CONVERSATION_H_
