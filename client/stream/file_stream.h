// A file as a stream of READs: the window (window.h) proposes, the connections' slots dispose,
// and every READ is asked until its answer is right (file_reads.h).
//
//   Window::NextAsk() ──> FileReads::Ask() ──> Window::OnAnswer() ──> Lend(), in file order
//                                  │                                  LendAny(), as it comes
//                                  └── next in file order, still in the socket ──> Divert()
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
#include "client/session/session.h"
#include "client/stream/arena.h"
#include "client/stream/bottleneck.h"
#include "client/stream/file_reads.h"
#include "client/stream/readahead.h"
#include "client/stream/stream_meter.h"
#include "client/stream/stream_width.h"
#include "client/stream/window.h"
#include "rpc/channel.h"

namespace nfs {

// Thread-compatible, with its session. Whoever owns it turns it:
//
//   while (!stream->AtEnd() && stream->status().ok()) {
//     if (auto bytes = stream->Lend()) { ...use them...; stream->Release(); }
//     else stream->Turn(/*consumer_waits=*/true, absl::InfiniteFuture());
//   }
class FileStream final : private FileReads::Asker {
 public:
  using Counters = FileReads::Counters;

  // `lent_bytes`: how much the consumer may hold at a time, if that is more than one READ
  // brings (client/stream/window_plan.h). REQUIRES: the session outlives the stream,
  // and has no other.
  static absl::StatusOr<std::unique_ptr<FileStream>> Make(Session& session, const Range& range,
                                                          uint64_t lent_bytes);
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
  // How many pieces the consumer may hold, at most.
  uint32_t most_lent() const { return window_.most_lent(); }
  // Whether the consumer holds all that it may, so that nothing more can be lent.
  bool IsLentOut() const { return window_.IsLentOut(); }

  // Instead, as Window: in any order, to a consumer that knows where the bytes belong. Not
  // together with what follows.
  std::optional<Window::Piece> LendAny(size_t at_least) { return window_.LendAny(at_least); }
  void ReleaseAny(ChunkId chunk) { window_.ReleaseAny(chunk); }

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
  bool is_diverting() const { return session_.trunk().is_diverting(); }
  // How the pipe took what was diverted to it in the last turn.
  Connection::Pipe pipe() const { return pipe_; }
  // Its data goes to memory, or what is left of it. REQUIRES: arrival() is not kNone.
  void KeepArrival();

  // All bytes have been lent, as far as range and file go, and the file is known to be
  // what it was.
  bool AtEnd() const { return window_.AtEnd() && !reads_.NeedsLastLook(); }
  // Offset in the file of the first byte that has not been lent.
  uint64_t position() const { return window_.next_offset(); }
  // Why no more bytes will come: the server's or the connection's error (client/errors.h),
  // or that the file changed. Bytes that came before it can still be lent.
  const absl::Status& status() const { return reads_.status(); }
  const Counters& counters() const { return reads_.counters(); }
  // How many bytes are asked for ahead at present, and what the path is thought to be: an
  // automatic window follows it.
  uint64_t window_bytes() const;
  const Readahead& readahead() const { return readahead_; }
  // What has been measured so far; not the process's time, which the stream does not know.
  StreamFacts facts() const;
  // How many bytes went past memory.
  uint64_t diverted_bytes() const { return diverted_bytes_; }

 private:
  FileStream(Session& session, const Window::Options& options, const Readahead::Options& readahead,
             Arena arena);

  // Sends what can be sent; what the next READ waits for.
  Waits FillSlots(bool consumer_waits);
  Waits AskAll(bool consumer_waits);
  // What keeps READs from going out, when the window has none to send.
  Readahead::Limit LimitOfWindow() const;
  Waits WaitsFor(Readahead::Limit limit, bool consumer_waits) const;
  void ResizeWindow();
  void LookAtWidth();
  void OnAnswer(ChunkId chunk, uint32_t count, bool eof) override;
  void OnSize(uint64_t size) override { window_.RaiseSizeHint(size); }
  void TakeDiverted();
  Arrival Judge(const rpc::Arrival& arrival);

  Session& session_;
  Arena arena_;
  Window window_;
  Readahead readahead_;
  StreamWidth width_;
  std::vector<Readahead::Flight> flights_;  // by chunk
  absl::Time now_;                          // the turn's beginning
  const uint64_t begin_;                    // of the range
  const uint64_t largest_window_;           // bytes
  StreamMeter meter_;
  size_t divert_from_ = kNever;
  ChunkId arrived_ = 0;  // whose data is, or was last, diverted
  Connection::Pipe pipe_ = Connection::Pipe::kTakes;
  uint64_t diverted_bytes_ = 0;
  FileReads reads_;  // goes before the arena does
};

}  // namespace nfs

#endif  // CLIENT_STREAM_FILE_STREAM_H_
