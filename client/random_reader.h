// Reads a file on an NFSv3 server anywhere in it, many pieces at a time: for databases,
// indexes and data loaders. To read from front to back, see client/file_reader.h.
//
//   auto reader = nfs::RandomReader::Open("nfs://server/export/file");
//   if (!reader.ok()) return reader.status();
//   for (Row& row : rows) (*reader)->Start(row.offset, row.memory, row.number);
//   while (auto done = (*reader)->Next()) {
//     if (!done->status.ok()) return done->status;
//     Use(rows[done->tag], done->bytes);
//   }
#ifndef CLIENT_RANDOM_READER_H_
#define CLIENT_RANDOM_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/options.h"

namespace nfs {

// Every piece comes whole and right, or with an error that says why not, as those of
// FileReader do. The file is taken to stay as it is: one that is written to in the meantime
// is an error (FileChanged) of all pieces from then on.
//
// As many READs as options.slots allows are in flight. There is no thread: calls go out, and
// replies are taken, in Next(), ReadAt() and Flush().
//
// Thread-compatible: one thread at a time, the same one from Open() on.
class RandomReader {
 public:
  // So many pieces may be under way.
  static constexpr size_t kMostPieces = 1024;

  struct Done {
    uint64_t tag = 0;
    // Bytes in the piece's memory: all that it has room for, or that the file has from its
    // offset on, maybe none. Only when status is OK.
    size_t bytes = 0;
    absl::Status status;
  };

  // Opens `target` (client/target.h has the forms). Keys in its query override `options`.
  // Blocks until the file is open.
  static absl::StatusOr<std::unique_ptr<RandomReader>> Open(absl::string_view target,
                                                            const Options& options = Options());
  // Takes back the memory of all pieces, and says goodbye to the server: a second at most.
  ~RandomReader();
  RandomReader(const RandomReader&) = delete;
  RandomReader& operator=(const RandomReader&) = delete;

  // Whether fewer than kMostPieces are under way.
  bool CanStart() const;
  // Reads the bytes from `offset` on into `to`. The memory belongs to the reader until
  // Next() has given `tag` back. Nothing is sent yet. REQUIRES: CanStart().
  void Start(uint64_t offset, std::span<std::byte> to, uint64_t tag);
  // Sends what has been started, as far as there are slots, without waiting.
  void Flush();
  // A piece that is done, in no special order; waits for one. Nothing when none is under
  // way.
  std::optional<Done> Next();

  // Reads one piece and waits for it: how many bytes. REQUIRES: none is under way.
  absl::StatusOr<size_t> ReadAt(uint64_t offset, std::span<std::byte> to);

  // Bytes of the file when it was opened.
  uint64_t size() const;

 private:
  class File;
  explicit RandomReader(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace nfs

#endif  // CLIENT_RANDOM_READER_H_
