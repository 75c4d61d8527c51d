// A file as a stream of READs: the window proposes, the connection's slots dispose.
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
#include "client/options.h"
#include "client/protocol/nfs3_read.h"
#include "client/session/session.h"
#include "client/stream/arena.h"
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
    uint64_t reads = 0;        // READ replies with data
    uint64_t short_reads = 0;  // ... that had fewer bytes than asked for, and no eof
  };

  // `lent_chunks`: how many pieces the consumer may hold at a time. REQUIRES: the
  // session outlives the stream, and has no other.
  static absl::StatusOr<std::unique_ptr<FileStream>> Make(Session& session, const Range& range,
                                                          uint32_t lent_chunks);
  ~FileStream();
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  // Sends the READs that there is room for, then waits, until `until` at most, for
  // something to happen on the session's pump, and takes what came.
  // `consumer_waits`: nothing is lent, and somebody wants more.
  void Turn(bool consumer_waits, absl::Time until);

  // As Window: the next bytes in file order, exactly once each.
  std::optional<std::span<const std::byte>> Lend();
  void Release() { window_.Release(); }

  // All bytes have been lent, as far as range and file go.
  bool AtEnd() const { return window_.AtEnd(); }
  // Offset in the file of the next byte to be lent.
  uint64_t position() const { return window_.next_offset(); }
  // Why no more bytes will come: the server's or the connection's error (client/errors.h),
  // or that the file shrank. Bytes that came before it can still be lent.
  const absl::Status& status() const { return status_; }
  const Counters& counters() const { return counters_; }

 private:
  FileStream(Session& session, const Window::Options& options, Arena arena);

  void FillSlots(bool consumer_waits);
  void TakeReplies();
  void OnReply(const rpc::Reply& reply);
  void OnRead(ChunkId chunk, const nfs3::Read3Head& head, uint32_t count);
  void OnReadError(ChunkId chunk, nfs3::Status status);
  bool StandsStill(const Window::Ask& ask, const nfs3::Read3Head& head);
  void CheckEnd();
  void Fail(const absl::Status& status);

  Session& session_;
  const Window::Options options_;
  Arena arena_;
  Window window_;
  std::vector<Window::Ask> asks_;  // by chunk: what is in flight for it
  int stands_still_ = 0;           // answers in a row with neither data nor eof
  Counters counters_;
  absl::Status status_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_FILE_STREAM_H_
