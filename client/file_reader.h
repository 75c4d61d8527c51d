// Reads a file off an NFSv3 server, front to back, as fast as the path allows. No
// mount, no root. This is the header that a program includes.
//
//   auto reader = nfs::FileReader::Open("nfs://server/export/file");
//   if (!reader.ok()) return reader.status();
//   for (;;) {
//     auto bytes = (*reader)->Next();
//     if (!bytes.ok()) return bytes.status();
//     if (bytes->empty()) break;  // the end of the file
//     Use(*bytes);
//   }
#ifndef CLIENT_FILE_READER_H_
#define CLIENT_FILE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/options.h"

namespace nfs {

// Every byte of the range comes exactly once and in order, or an error says why not:
// its message names the procedure, the server's status and its address;
// client/errors.h tells the kinds apart. Errors stay: the next call gives the same.
//
// A thread of the reader's own keeps READs in flight while the caller computes, up to
// options.readahead bytes ahead of it.
//
// Thread-compatible: one thread at a time.
class FileReader {
 public:
  // Opens `target` (client/target.h has the forms) and begins to read ahead. Keys in
  // its query override `options`. Blocks until the file is open; every wait in that
  // has a bound in `options`, unless those are hard.
  static absl::StatusOr<std::unique_ptr<FileReader>> Open(absl::string_view target,
                                                          const Options& options = Options(),
                                                          const Range& range = Range());
  // Close()s.
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  // The next bytes, as many as have come together (one READ's worth, or a few megabytes of
  // small ones), lent without a copy until the next call of any function here. Empty at the end.
  // Waits for the server if need be.
  absl::StatusOr<std::span<const std::byte>> Next();

  // Copies the next bytes into `to` until it is full or the end has come; returns how
  // many, 0 only at the end (or for an empty `to`). May be mixed with Next().
  absl::StatusOr<size_t> Read(std::span<std::byte> to);

  // Bytes of the file when it was opened.
  uint64_t size() const;

  // Says goodbye to the server, at most a second, and ends the thread. Afterwards
  // Next() and Read() give Cancelled.
  void Close();

 private:
  class Worker;
  explicit FileReader(std::unique_ptr<Worker> worker);

  std::unique_ptr<Worker> worker_;
  std::span<const std::byte> left_;  // of what the worker lent: not given out yet
  size_t held_bytes_ = 0;            // of the piece that the worker lends us; 0: none
};

}  // namespace nfs

#endif  // CLIENT_FILE_READER_H_
