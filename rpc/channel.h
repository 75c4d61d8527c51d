// An RPC client without a socket and without a clock.
//
//   commands, bytes, the time in        bytes, deadlines, replies out
//   Call()                              SendBytes()         what to send
//   OnSent(now) OnReceived()            GetReceiveSpans()   where to receive into
//   OnTimeout(now, last_heard)          NextDeadline()      when to call OnTimeout
//   OnConnectionLost()                  NextReply()         what the caller gets
//
// Whoever owns the socket moves the bytes and tells the time (client/connection/
// connection.h does); tests do the same with bytes they made up. The order is free
// but for one rule: after OnReceived, call NextReply until it gives nothing, and only
// then GetReceiveSpans.
//
// A channel outlives its connections. When one is lost, every call without a reply is
// queued anew, in the order of the calls and with the same xid, the one whose reply was
// half received too: that reply comes again, whole.
//
// Many calls may be in flight, and replies come in any order: each finds its call by
// its xid. A call that expects a payload (the data of a READ) brings the memory for
// it and a function that finds it in the reply, so that the payload is received
// straight into place; see rpc/record_reader.h and rpc/forecast.h. Or past that place: a reply to a
// call that may_divert stops the channel where its payload begins, until Keep() or OnDiverted().
#ifndef RPC_CHANNEL_H_
#define RPC_CHANNEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "rpc/channel_options.h"
#include "rpc/forecast.h"
#include "rpc/message.h"
#include "rpc/record_reader.h"
#include "rpc/request.h"
#include "rpc/send_queue.h"
#include "rpc/slot_table.h"
#include "xdr/encoder.h"
#include "xdr/types.h"

namespace rpc {

// Thread-compatible. Allocates at construction only, except for error texts.
class Channel {
 public:
  using Options = ChannelOptions;
  using Counters = ChannelCounters;

  explicit Channel(const Options& options);

  // Whether a slot is free.
  bool CanCall() const { return status_.ok() && slots_.HasFree(); }
  int calls_in_flight() const { return slots_.in_use(); }
  // Calls visit(tag) for each of them, in the order of the calls.
  void ForEachInFlight(auto&& visit) {
    for (const Slot* slot = slots_.first_called(); slot != nullptr; slot = slot->after) {
      visit(slot->tag);
    }
  }

  // Queues a call. REQUIRES: CanCall(), and that it fits into options.call_bytes.
  template <typename Args>
  void Call(const Request& request, const Args& args, absl::Time now) {
    Slot& slot = slots_.Take();
    xdr::Encoder encoder = BeginCall(slot, request, now);
    encoder.Put(args);
    FinishCall(slot, encoder);
  }

  // What to send; empty when there is nothing. Does not move until OnSent.
  xdr::ByteView SendBytes() { return send_queue_.Bytes(); }
  void OnSent(size_t size, absl::Time now);

  // See rpc/record_reader.h. REQUIRES: status().ok(), NextReply() gave nothing, and so
  // does arrival().
  ReceiveSpans GetReceiveSpans();
  void OnReceived(size_t size) { records_.OnReceived(size); }
  void set_receive_ahead(size_t bytes) { records_.set_receive_ahead(bytes); }

  // The next reply among the bytes received; nothing when more bytes are needed.
  std::optional<Reply> NextReply();

  // The reply that stands before its payload, after NextReply() has given nothing.
  std::optional<Arrival> arrival() const;
  // What is left of the payload goes to the request's memory, behind the room for what has
  // been diverted. REQUIRES: arrival() has a value.
  void Keep() { diversion_ = Diversion::kKept; }
  // The payload's next `size` bytes have left the connection for elsewhere; after the last
  // of them the reply comes as any other. When the connection is lost before that, it comes
  // again whole, from its first byte. REQUIRES: size <= arrival()->left.
  void OnDiverted(size_t size) { records_.OnPayloadPassed(size); }

  // When OnTimeout wants to be called, at the latest; InfiniteFuture if never.
  absl::Time NextDeadline() const;
  // Looks after replies that are overdue. `last_heard`: when bytes of the server last
  // reached this machine, received or not. If that was a timeout ago, the connection is
  // taken for dead: returns false, and it should be given up for a new one. If not,
  // the server works; an overdue call that later ones have overtaken is sent again with
  // the same xid (DeadlineExceeded in status() when that was done often enough), and
  // one that nothing has overtaken waits on: on a slow link replies queue up.
  [[nodiscard]] bool OnTimeout(absl::Time now, absl::Time last_heard);

  // The connection is gone: see above. REQUIRES: status().ok(), and nobody uses spans of
  // it any more.
  void OnConnectionLost(absl::Time now);
  // The connection is gone, and every call in flight is forgotten.
  void ForgetCalls();

  // The calls made from now on carry another stamp; what is in flight stays as it is.
  void RenewCredentials() { options_.credentials = Renewed(options_.credentials); }
  // ... or those of `other`, as they are by now.
  void ShareCredentials(const Channel& other) { options_.credentials = other.options_.credentials; }

  // Not OK when nothing more can come of this channel. DataLoss: the server broke
  // the protocol. DeadlineExceeded: a call was not answered.
  const absl::Status& status() const { return status_; }
  const Counters& counters() const { return counters_; }

 private:
  // How far the record at hand has been understood.
  enum class Stage : uint8_t {
    kEnvelope,  // xid, message type and reply_stat
    kVerifier,  // an accepted reply's verifier, up to its length
    kResults,   // up to where the payload starts
    kPayload,   // into the request's memory
    kToEnd,     // the rest is small, or is not wanted: the head is all there is
    kSkip,      // no call waits for it
  };
  // What becomes of the payload at hand: offered by arrival(), or kept in memory.
  enum class Diversion : uint8_t { kUndecided, kOffered, kKept };
  using Progress = RecordReader::Progress;

  xdr::Encoder BeginCall(Slot& slot, const Request& request, absl::Time now);
  void FinishCall(Slot& slot, const xdr::Encoder& encoder);
  void Queue(Slot& slot, absl::Time now);
  void StartTimer(Slot& slot, absl::Time now);

  void BeginRecord();
  // Takes what the stage wants of the record.
  Progress TakeStage();
  // What to want next, now that the stage has all of that...
  void LeaveStage();
  void OnEnvelope();
  void FindSlot();
  void OnVerifier();
  void OnResults();
  void OfferPayload();
  // ... or that the record ended before it.
  void OnRecordEnded();
  void SkipRest();
  // The record has been passed: the reply it made, if a call waited for it.
  std::optional<Reply> EndRecord();
  void DecodeHeader(Reply& reply) const;

  bool HasOverdue(absl::Time now);
  bool IsOvertaken(const Slot& slot) const { return slot.queue_end < answered_to_; }
  void OnOverdue(Slot& slot, absl::Time now, absl::Time last_heard);
  void SendAgain(Slot& slot, absl::Time now);

  Options options_;
  SlotTable slots_;
  SendQueue send_queue_;
  RecordReader records_;
  Forecast forecast_;
  absl::Time next_deadline_ = absl::InfiniteFuture();  // of the slots, or earlier
  absl::Time unsent_since_ = absl::InfiniteFuture();   // bytes to send have not moved
  uint64_t answered_to_ = 0;                           // the largest queue_end that had a reply

  // The record at hand.
  Stage stage_ = Stage::kEnvelope;
  size_t head_wanted_ = 0;   // of the head, for this stage
  size_t header_bytes_ = 0;  // of the head: what comes before the results
  xdr::ByteView head_;       // the head, once all of it that is wanted has come
  size_t payload_wanted_ = 0;
  bool payload_cut_short_ = false;
  Diversion diversion_ = Diversion::kUndecided;
  Slot* slot_ = nullptr;  // whose reply it is

  absl::Status status_;
  Counters counters_;
};

}  // namespace rpc

#endif  // RPC_CHANNEL_H_
