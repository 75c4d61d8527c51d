// Record marking, receiving side (RFC 5531, section 11).
//
//   the stream   | mark 40 | 40 bytes | mark LAST+8 | 8 bytes | mark ...
//                '------------- one record, two fragments ----'
//
// A record is a message; it may be cut into fragments anywhere, and TCP cuts the
// stream again wherever it likes. The reader hides both. Bytes come in through
//
//   ReceiveSpans() -> memory to receive into      OnReceived(n) -> n bytes came
//
// and the owner of the record asks for its parts in order, as it learns what the
// record is:
//
//   TakeHead(n)     until head() has the record's first n bytes in one piece
//   TakePayload(m)  the next bytes of the record into memory m of the owner
//   Skip()          past the rest of it, to the start of the next record
//
// Each of these uses up what has been received and says kNeedBytes until more has
// come; then it is called again. Received bytes lie in `staging` only in between:
// when the owner sees kNeedBytes, staging is empty. That makes the rule for large
// payloads simple. While TakePayload waits, ReceiveSpans() is
//
//   [ the rest of the payload, in the owner's memory ][ staging ]
//
// so a large payload is received straight to where it belongs, and what comes
// after it is picked up by the same receive. How much of staging is offered
// (`receive_ahead`) decides how many bytes of payload take the way through it, and
// are copied: as much as the head of a reply when payloads are large, all of it when
// many small replies fit into one receive. Who can foresee the records to come says so,
// and then their payloads are received straight to where they belong as well
// (rpc/staging.h).
#ifndef RPC_RECORD_READER_H_
#define RPC_RECORD_READER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "rpc/raw_bytes.h"
#include "rpc/staging.h"
#include "xdr/types.h"

namespace rpc {

// Memory for one receive: `first`, then `second`, each of which may be empty, then `more`.
struct ReceiveSpans {
  std::span<std::byte> first;
  std::span<std::byte> second;
  std::span<const std::span<std::byte>> more;
  // How many bytes a peer that keeps its word still sends of what has been begun:
  // at least 1. A receive may wait for so many, and for no more...
  size_t promised = 1;
  // ... except for a moment: so many are likely to come. At least `promised`.
  size_t expected = 1;

  size_t size() const {
    size_t size = first.size() + second.size();
    for (const std::span<std::byte> span : more) size += span.size();
    return size;
  }
};

// Thread-compatible. Allocates at construction only.
class RecordReader {
 public:
  struct Limits {
    size_t staging_bytes = 256 * 1024;
    // Longest head() that a record may have.
    size_t head_bytes = 64 * 1024;
    // Payloads that may be foreseen, together. None: nothing is.
    size_t foreseen_bytes = 0;
    // Longest record, fragments together. A longer one is an error at its mark.
    size_t record_bytes = 64 * 1024;
  };
  enum class Progress {
    kDone,
    kNeedBytes,    // receive, then call the same again
    kRecordEnded,  // the record has no such bytes; Skip() goes to the next
    kFailed,       // framing is lost, see status(); nothing more can be read
  };

  explicit RecordReader(const Limits& limits);

  // REQUIRES: the last Take...() or Skip() gave kNeedBytes, or none was called yet.
  // The spans stay valid, and must not be read by anyone, until OnReceived. `foreseen`:
  // the records that are likely to come next, behind the one at hand; it is used where it
  // can be. Its memory may be written to until a record with another end has been passed.
  ReceiveSpans GetReceiveSpans(const Staging::Layout& foreseen = {});
  // REQUIRES: size <= the size of the spans last given.
  void OnReceived(size_t size);

  // The record's first `size` bytes in head(). REQUIRES: size <= limits.head_bytes.
  Progress TakeHead(size_t size);
  // As much of the record as it has, up to limits.head_bytes; kDone at its end or
  // there.
  Progress TakeHeadToEnd();
  xdr::ByteView head() const { return xdr::ByteView(head_.data(), head_size_); }

  // Fills `to` with the record's next bytes. Call with the same `to` until kDone.
  Progress TakePayload(std::span<std::byte> to);

  // The payload's next bytes, as many as the fragment at hand has, have not been received
  // and need not be: whoever takes them off the connection says so, and TakePayload goes
  // on behind them. REQUIRES: TakePayload gave kNeedBytes, and size <= PayloadAhead().
  size_t PayloadAhead() const {
    return std::min(payload_.size() - payload_filled_, fragment_left_);
  }
  void OnPayloadPassed(size_t size);

  // Passes over what is left of the record; kDone when the next one can begin.
  Progress Skip();

  // How much of staging a receive is offered, from now on. A hint on cost only.
  void set_receive_ahead(size_t bytes);

  // How often records were not as foreseen, at the cost of a copy.
  uint64_t misses() const { return staging_.misses(); }

  // Raises the bound on a record's length, once it is known what will be asked for.
  void set_record_bytes(size_t bytes) { limits_.record_bytes = bytes; }

  // Forgets everything received: a new connection begins.
  void Reset();

  // DataLoss when a mark announced a record beyond the bound.
  const absl::Status& status() const { return status_; }

 private:
  // Where the next byte comes from: kDone when some of the current fragment is left.
  Progress EnterFragment();
  Progress ReadMark();
  absl::Status CheckMark(uint32_t fragment_bytes) const;
  // Whether a foreseen record can begin right behind the memory of the payload at hand.
  bool EndsWithPayload() const;
  // Moves staged bytes of the fragment to `to`, which may be null; returns how many.
  size_t MoveStaged(std::byte* to, size_t at_most);
  void BeginRecord();
  void CheckInvariants() const;

  Limits limits_;
  size_t receive_ahead_;
  Staging staging_;

  RawBytes head_;
  size_t head_size_ = 0;

  std::span<std::byte> payload_;  // TakePayload's memory
  size_t payload_filled_ = 0;
  size_t direct_bytes_ = 0;   // of payload_, offered by the last GetReceiveSpans
  size_t offered_bytes_ = 0;  // by it altogether, whatever receive_ahead_ is by now

  std::array<std::byte, 4> mark_{};
  size_t mark_size_ = 0;
  size_t fragment_left_ = 0;
  size_t record_size_ = 0;  // announced by the marks so far
  bool last_fragment_ = false;

  absl::Status status_;
};

}  // namespace rpc

#endif  // RPC_RECORD_READER_H_
