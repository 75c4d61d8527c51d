// Which bytes of the file to ask for next, and which are ready to be handed out.
//
// The file is cut into chunks of equal size, each what one READ asks for. The window
// slides over them:
//
//        lent        ready           asked for         not yet
//   ... [======][======|======][......|..    |......]            ]
//       ^       ^              ^                     ^            ^
//       oldest  next           (replies come in      ask          the end, once it
//               to lend         any order)                        is known
//
// Rules, in one place:
//   - Chunks from `next` to `ask` are at most the window: readahead proposes.
//     (Whoever sends the READs has slots, and those dispose.) It may change at any time.
//   - A chunk's memory is behind that of the chunk before it, or again at the beginning: as
//     soon as there is a window's worth behind, so that a small window stays in a processor's
//     cache, whatever there is memory for. A window that becomes larger goes on where there is
//     room at once.
//   - With a window of nothing one chunk is asked for, when the consumer waits.
//   - A short READ leaves a hole at the end of its chunk, which is asked for again
//     before anything new.
//   - Only the server's eof ends the file. The size from its attributes is a hint: no
//     READ is sent beyond it until everything before has come and no eof with it, and
//     then one at a time.
//   - Bytes are lent in file order, each once. The first bytes of the next chunk may be
//     handed out past its memory, before its READ is answered; they are not lent again,
//     even if the answer brings them once more.
//   - Or in any order: chunks that are whole are lent as they come, and come back in any
//     order, to a consumer that knows where they belong. `next` and `oldest` are then the
//     first chunk that has not been lent, and that has not come back.
//
// No I/O, no time, no RPC.
#ifndef CLIENT_STREAM_WINDOW_H_
#define CLIENT_STREAM_WINDOW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nfs {

using ChunkId = uint32_t;

// Thread-compatible. Allocates at construction only.
class Window {
 public:
  struct Options {
    uint64_t begin = 0;          // first byte of the file that is wanted
    uint64_t end = UINT64_MAX;   // one past the last, if the file is that long
    uint64_t size_hint = 0;      // the file's size, as far as is known
    uint32_t chunk_bytes = 0;    // at least 1
    uint32_t window_chunks = 0;  // how many to ask for ahead, at most and at first
    uint32_t lent_chunks = 1;    // how many the consumer may hold; at least 1
  };

  // Chunks of memory that these options need: the caller's arena has so many.
  static uint32_t ChunkCount(const Options& options);

  // REQUIRES: memory.size() >= ChunkCount(options) * options.chunk_bytes, and it
  // outlives the window.
  Window(const Options& options, std::span<std::byte> memory);

  // How many to ask for ahead from now on. REQUIRES: chunks <= options.window_chunks.
  void Resize(uint32_t chunks);
  uint32_t window_chunks() const { return window_chunks_; }
  uint32_t chunk_bytes() const { return options_.chunk_bytes; }

  // What to ask the server for.
  struct Ask {
    ChunkId chunk = 0;
    uint64_t offset = 0;          // in the file
    std::span<std::byte> memory;  // for the answer; as many bytes are to be asked for
  };
  // The next READ to send, now in flight until OnAnswer; nothing when the window is
  // full or the file is asked for to its end. `consumer_waits`: nothing is lent and
  // somebody waits for more.
  std::optional<Ask> NextAsk(bool consumer_waits);

  // The first `count` bytes of the ask's memory have come. REQUIRES: the chunk was
  // asked for, and count is at most what was asked for.
  void OnAnswer(ChunkId chunk, uint32_t count, bool eof);

  // How the bytes that the READ in flight for `chunk` brings are placed.
  enum class Place : uint8_t {
    kNext,    // they are the next of the file, and nothing is lent
    kBehind,  // ... behind bytes that are lent or can be
    kLater,
  };
  Place PlaceOf(ChunkId chunk) const;
  // The next `bytes` of those went past memory to the consumer. The READ stays in flight;
  // should its answer never come, and another one instead, it brings them once more.
  // REQUIRES: PlaceOf(chunk) was kNext before the first of them, and they are no more than
  // were asked for.
  void HandOut(ChunkId chunk, uint32_t bytes);

  // The file is known to be at least so long.
  void RaiseSizeHint(uint64_t size) { size_hint_ = std::max(size_hint_, size); }

  // The next bytes in file order, if they are there: a piece of as many chunks as are
  // ready and lie side by side in memory. They stay until Release().
  std::optional<std::span<const std::byte>> Lend();
  // Takes back the oldest piece lent. REQUIRES: one is lent.
  void Release();

  // --- Instead of Lend() and Release(), and with no HandOut().

  struct Piece {
    ChunkId chunk = 0;    // the first of it
    uint64_t offset = 0;  // in the file
    std::span<const std::byte> bytes;
  };
  // The first piece that has not been lent yet and has `at_least` so many bytes, or cannot
  // get more because the memory ends, wherever in the window. It is of options.lent_chunks
  // chunks at most. The consumer may hold as many pieces as there are.
  std::optional<Piece> LendAny(size_t at_least);
  // Takes back the piece. REQUIRES: it is lent.
  void ReleaseAny(ChunkId chunk);

  // Whether all has been asked for that is wanted, as far as the size is known.
  bool IsAskedFor() const { return OffsetOf(ask_) >= std::min(end_, size_hint_); }
  // Bytes that are wanted, have not been lent, and are in the file, as far as that is known.
  uint64_t to_come() const {
    const uint64_t end = std::min(end_, size_hint_);
    return end - std::min(end, next_offset_);
  }
  // Everything that is wanted, or that the file has, has been lent.
  bool AtEnd() const { return next_offset() >= end_; }
  // Offset in the file of the first byte neither lent nor handed out yet.
  uint64_t next_offset() const { return next_offset_; }
  // One past the last byte of the file that was lent or handed out.
  uint64_t lent_end() const { return std::max(lent_end_, next_offset_); }
  // Where the server said that the file ends; nothing when it has not.
  std::optional<uint64_t> eof() const { return eof_; }
  uint32_t in_flight() const { return in_flight_; }
  uint32_t most_lent() const { return options_.lent_chunks; }
  bool IsLentOut() const { return lent() == options_.lent_chunks; }
  uint32_t lent() const { return static_cast<uint32_t>(next_ - oldest_); }

 private:
  struct Chunk {
    uint32_t wanted = 0;  // bytes
    uint32_t filled = 0;
    uint32_t place = 0;       // in memory, in chunks
    uint32_t piece = 0;       // chunks that were lent together, from this one on
    uint32_t handed_out = 0;  // the first bytes, past memory: filled, or not yet
    bool in_flight = false;
    bool is_lent = false;  // in any order, and has not come back or is not the oldest
    bool is_back = false;
  };

  // Chunks are numbered in file order from `begin`; number n lives in ring_[n % size].
  Chunk& At(uint64_t number) { return ring_[number % ring_.size()]; }
  const Chunk& At(uint64_t number) const { return ring_[number % ring_.size()]; }
  uint64_t NumberOf(ChunkId chunk) const;
  uint64_t OffsetOf(uint64_t number) const;
  uint64_t ChunksBefore(uint64_t end) const;
  std::span<std::byte> MemoryOf(uint64_t number) const;
  // Where in memory the chunk goes that is asked for next; nothing while that is taken.
  std::optional<uint32_t> NextPlace() const;
  // Whether its memory follows that of the one before. REQUIRES: both are asked for.
  bool IsAdjacent(uint64_t number) const { return At(number).place == At(number - 1).place + 1; }

  std::optional<Ask> AskForHole();
  std::optional<Ask> AskForNew(bool consumer_waits);
  Ask Send(uint64_t number);
  bool MayProbe() const;
  bool CanLend() const;
  void EndAt(uint64_t offset);
  bool IsReady(uint64_t number) const;
  bool CanLendAny(uint64_t number) const;
  uint64_t RunFrom(uint64_t number) const;
  size_t BytesOf(uint64_t first, uint64_t end) const;
  Piece LendRun(uint64_t first, uint64_t end);
  void PassHandedOut();
  void CheckInvariants() const;

  const Options options_;
  const std::span<std::byte> memory_;
  std::vector<Chunk> ring_;
  uint32_t window_chunks_;
  uint64_t oldest_ = 0;  // chunk numbers: oldest_ <= next_ <= ask_
  uint64_t next_ = 0;
  uint64_t ask_ = 0;
  uint64_t begun_again_ = 0;  // the last that was placed at the beginning of memory
  uint64_t next_offset_;
  uint64_t lent_end_ = 0;
  uint64_t size_hint_;
  uint64_t end_;  // options_.end, or where the file ends if that is before it
  std::optional<uint64_t> eof_;
  uint32_t holes_ = 0;
  uint32_t in_flight_ = 0;
};

}  // namespace nfs

#endif  // CLIENT_STREAM_WINDOW_H_
