// A file as a stream of READs: the window proposes, the connections' slots dispose.
//
//   NextAsk() ──> READ ──> data ──────────────────────────────> OnAnswer()
//                  ^  └──> JUKEBOX ───────── parked for a time ──┐
//                  │  └──> in doubt ── GETATTR: not the end ── parked
//                  │  └──> STALE ──── the path is walked again ── parked
//                  └─────────────────────────────────────────────┘
//
// An answer is in doubt when it brings no data and does not fit what is known of the
// file's size: no end of file where the file ends, or one where it goes on. Attributes
// are then asked for, and if they do not make sense of it, the READ is sent again, some
// times, before the stream fails.
//
// Every set of attributes that comes is compared with the ones before (file_version.h).
// An answer that shows that the file has changed is not used, and ends the stream.
#ifndef CLIENT_STREAM_FILE_STREAM_H_
#define CLIENT_STREAM_FILE_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/connection/connection.h"
#include "client/options.h"
#include "client/protocol/nfs3_read.h"
#include "client/session/session.h"
#include "client/stream/arena.h"
#include "client/stream/file_version.h"
#include "client/stream/read_retries.h"
#include "client/stream/window.h"
#include "rpc/channel.h"

namespace nfs {

// Thread-compatible, with its session. Whoever owns it turns it:
//
//   while (!stream->AtEnd() && stream->status().ok()) {
//     if (auto bytes = stream->Lend()) { ...use them...; stream->Release(); }
//     else stream->Turn(/*consumer_waits=*/true, absl::InfiniteFuture());
//   }
class FileStream {
 public:
  struct Counters {
    uint64_t reads = 0;            // READ replies with data
    uint64_t short_reads = 0;      // ... that had fewer bytes than asked for, and no eof
    uint64_t jukebox_retries = 0;  // READs sent again because the server asked for time
    uint64_t doubts = 0;           // answers that did not fit the file's size
    uint64_t stale_handles = 0;    // times that the path was walked again
    uint64_t diverted_bytes = 0;   // went past memory
  };

  // `lent_bytes`: how much the consumer may hold at a time, if that is more than one READ
  // brings (client/stream/window_plan.h). REQUIRES: the
  // session outlives the stream, and has no other.
  static absl::StatusOr<std::unique_ptr<FileStream>> Make(Session& session, const Range& range,
                                                          uint64_t lent_bytes);
  ~FileStream();
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  // Sends the READs that there is room for, then waits, until `until` at most, for
  // something to happen on the session's pump, and takes what came. When the file's
  // handle has become stale it does not return before there is another, or none.
  // `consumer_waits`: nothing is lent, and somebody wants more.
  void Turn(bool consumer_waits, absl::Time until);

  // As Window: the next bytes in file order, exactly once each.
  std::optional<std::span<const std::byte>> Lend() { return window_.Lend(); }
  void Release() { window_.Release(); }
  // Whether the consumer holds all that it may, so that nothing more can be lent.
  bool IsLentOut() const { return window_.IsLentOut(); }

  // --- Past memory: client/stream/file_stream_diversion.cc. Bytes that are next in file
  // order when they come up in the connection can go from there to a pipe. Then they are
  // neither lent nor released.

  // Whether, from the next READ on: data of at least so many bytes; by default none.
  static constexpr size_t kNever = SIZE_MAX;
  void DivertFrom(size_t bytes) { divert_from_ = bytes; }
  // The READ reply that waits to be diverted or kept, as things are now. Others go to memory
  // by themselves; for this one the owner decides, and soon: nothing is received meanwhile.
  enum class Arrival : uint8_t {
    kNone,
    kNext,    // its data is next in file order, and nothing is lent
    kBehind,  // ... behind bytes that are lent or can be
  };
  Arrival arrival();
  // Its data goes to the pipe `fd`, as far as the pipe takes it. REQUIRES: arrival() is
  // kNext, and nothing is written to the pipe until it is another, or pipe() not kTakes.
  void Divert(int fd);
  bool is_diverting() const { return session_.connection().is_diverting(); }
  // How the pipe took what was diverted to it in the last turn.
  Connection::Pipe pipe() const { return pipe_; }
  // Its data goes to memory, or what is left of it. REQUIRES: arrival() is not kNone.
  void KeepArrival();

  // All bytes have been lent, as far as range and file go, and the file is known to be
  // what it was.
  bool AtEnd() const { return window_.AtEnd() && !NeedsLastLook(); }
  // Offset in the file of the next byte to be lent.
  uint64_t position() const { return window_.next_offset(); }
  // Why no more bytes will come: the server's or the connection's error (client/errors.h),
  // or that the file changed. Bytes that came before it can still be lent.
  const absl::Status& status() const { return status_; }
  const Counters& counters() const { return counters_; }

 private:
  FileStream(Session& session, const Window::Options& options, Arena arena);

  // --- Asking
  void FillSlots(bool consumer_waits);
  std::optional<ChunkId> NextChunk(bool consumer_waits);
  void SendRead(ChunkId chunk);
  void SendGetattr();
  bool WantsAttributes() const;
  // READs without attributes have said nothing about changes: one GETATTR does.
  bool NeedsLastLook() const { return status_.ok() && unseen_ && version_.IsMeaningful(); }

  // --- Answers
  void TakeReplies();
  void OnReply(const rpc::Reply& reply);
  void OnOrphan(uint64_t tag);
  void OnReadReply(ChunkId chunk, const rpc::Reply& reply);
  void OnRead(ChunkId chunk, const nfs3::Read3Head& head, uint32_t count);
  void Answer(ChunkId chunk, uint32_t count, bool eof);
  void OnReadError(ChunkId chunk, nfs3::Status status);
  void OnGetattrReply(const rpc::Reply& reply);
  void OnJukebox(ChunkId chunk, nfs3::Status status);
  // Whether the stream may go on.
  bool Observe(const nfs3::PostOpAttr& attributes);
  // How long the file is by these attributes; as far as is known when there are none.
  uint64_t SizeBy(const nfs3::PostOpAttr& attributes) const;

  // --- Past memory
  void TakeDiverted();
  Arrival Judge(const rpc::Arrival& arrival);

  // --- Doubts
  bool EndsBeforeSize(uint64_t end) const;
  void Doubt(ChunkId chunk, bool claims_eof);
  void Resolve(ChunkId chunk);

  void FindFileAgain();
  void Fail(const absl::Status& status);

  Session& session_;
  Arena arena_;
  Window window_;
  FileVersion version_;
  ReadRetries retries_;
  std::vector<Window::Ask> asks_;  // by chunk: what is in flight for it
  std::vector<bool> claims_eof_;   // by chunk: what the server said of it, when in doubt
  bool getattr_in_flight_ = false;
  bool unseen_ = false;  // a READ had no attributes, and no others came since
  bool is_stale_ = false;
  int stale_in_a_row_ = 0;
  size_t divert_from_ = kNever;
  ChunkId arrived_ = 0;  // whose data is, or was last, diverted
  Connection::Pipe pipe_ = Connection::Pipe::kTakes;
  Counters counters_;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_FILE_STREAM_H_
