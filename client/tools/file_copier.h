// A copy into a regular file: every chunk is written where it belongs as it comes.
#ifndef CLIENT_TOOLS_FILE_COPIER_H_
#define CLIENT_TOOLS_FILE_COPIER_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "client/session/session.h"
#include "client/stream/file_stream.h"
#include "client/tools/kill_signals.h"
#include "client/tools/output.h"
#include "client/tools/output_file.h"
#include "client/tools/progress.h"
#include "client/tools/whole_prefix.h"
#include "io/transport.h"

namespace nfs {

// Several writes are under way at a time, in no order. Thread-compatible, with its session.
class FileCopier {
 public:
  // What a stream for it should be able to lend (FileStream::Make).
  static constexpr uint64_t kLentBytes = 2 << 20;

  // All must outlive it. REQUIRES: nothing of the stream has been lent, and no write is under
  // way; `file` is `output`'s.
  FileCopier(Session& session, FileStream& stream, Output& output, const OutputFile& file,
             Progress& progress);

  // Copies until the stream's end or an error, of it or of the output; that one is in
  // output.status() too, and says how much of the file is whole. In any case the file is no
  // longer than that.
  absl::Status Run(const KillSignals& signals);

 private:
  struct Write {
    ChunkId chunk = 0;    // where its piece begins
    uint64_t offset = 0;  // in the output's file, of what is left:
    std::span<const std::byte> left;
  };

  uint64_t writes_under_way() const { return io::kMostWritesAt - free_.size(); }
  bool Done() const;
  void StartWrites();
  void StartWrite(io::WriteTag tag);
  void TakeWritten();
  void OnWritten(const io::Event& event);
  absl::Status Finish();

  Session& session_;
  Pump& pump_;
  FileStream& stream_;
  Output& output_;
  OutputFile file_;
  Progress& progress_;
  const uint64_t stream_begin_;
  WholePrefix whole_;    // in the output's file
  absl::Status failed_;  // a write, as the transport says it
  std::array<Write, io::kMostWritesAt> writes_;
  std::vector<io::WriteTag> free_;
  bool ready_ = true;  // whether the stream may have more to lend as it stands
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_FILE_COPIER_H_
