// Many pieces of a file, anywhere in it, read at the same time.
//
//   Start() ──> waiting ──> READs in flight, of rsize at most each ──> Next()
//
// Pieces are asked for in the order in which they were started, and are done in any. A piece
// that is longer than rsize is asked for in parts, side by side.
#ifndef CLIENT_STREAM_READ_QUEUE_H_
#define CLIENT_STREAM_READ_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/session/session.h"
#include "client/stream/file_reads.h"

namespace nfs {

// Thread-compatible, with its session. Allocates at construction only, but for errors.
class ReadQueue final : private FileReads::Asker {
 public:
  struct Done {
    uint64_t tag = 0;
    // How many bytes are in the memory: as many as it has room for, or as the file has
    // from there on. Only when status is OK.
    size_t bytes = 0;
    absl::Status status;
  };

  // `most`: so many pieces may be under way; at least 1. REQUIRES: the session outlives the
  // queue, and nothing else reads from it.
  ReadQueue(Session& session, uint32_t most);

  // Whether there is room for another piece.
  bool CanStart() const { return !free_pieces_.empty(); }
  // Reads the bytes from `offset` on into `to`, which is not to be touched until Next() has
  // given the tag back. REQUIRES: CanStart().
  void Start(uint64_t offset, std::span<std::byte> to, uint64_t tag);
  // Sends what can be sent, without waiting.
  void Flush() { Turn(absl::InfinitePast()); }
  // A piece that is done; waits for it. Nothing when none is under way.
  std::optional<Done> Next();

  size_t under_way() const { return pieces_.size() - free_pieces_.size(); }
  const FileReads::Counters& counters() const { return reads_.counters(); }

 private:
  using PieceId = uint32_t;

  struct Piece {
    uint64_t offset = 0;
    std::span<std::byte> to;
    uint64_t tag = 0;
    size_t asked = 0;        // bytes, from the beginning
    size_t end = 0;          // of `to`, or where the file ends in it
    uint32_t parts = 0;      // that have no answer yet
    bool is_active = false;  // started, and not given to anyone as done
  };
  // What one READ is for.
  struct Part {
    PieceId piece = 0;
    size_t begin = 0;  // in the piece
    size_t size = 0;
  };

  void Turn(absl::Time until);
  // What is to be asked for next: a READ that has its part.
  std::optional<ChunkId> NextRead();
  ChunkId TakePart(PieceId id);
  void Ask(ChunkId id);
  void OnAnswer(ChunkId id, uint32_t count, bool eof) override;
  // The file ends there, counted from the piece's beginning.
  void EndAt(PieceId id, size_t end);
  bool IsFirstWaiting(PieceId id) const;
  void StopAsking();  // for the first that waits
  Done Finish(PieceId id);
  // After an error all pieces are done: none will be answered.
  std::optional<Done> NextFailed();

  Session& session_;
  std::vector<Piece> pieces_;
  std::vector<PieceId> free_pieces_;
  std::vector<Part> parts_;  // by the id of their READ
  std::vector<ChunkId> free_parts_;
  std::vector<ChunkId> holes_;  // parts of which some is to be asked for again
  // A ring of the pieces that are not asked for to their end, in the order of Start().
  std::vector<PieceId> waiting_;
  size_t first_waiting_ = 0;
  size_t waiting_count_ = 0;
  std::vector<PieceId> done_;
  FileReads reads_;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_READ_QUEUE_H_
