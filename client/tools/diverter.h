// Decides, for every READ reply whose data can go from the socket to a pipe without a copy,
// whether it does.
#ifndef CLIENT_TOOLS_DIVERTER_H_
#define CLIENT_TOOLS_DIVERTER_H_

#include <cstdint>

#include "absl/time/time.h"
#include "client/options.h"
#include "client/stream/file_stream.h"
#include "client/tools/output.h"
#include "client/tools/output_pace.h"
#include "io/transport.h"

namespace nfs {

// Thread-compatible. Where nothing can be spliced to the output it does nothing.
class Diverter {
 public:
  // All must outlive it.
  Diverter(io::Transport& transport, FileStream& stream, Output& output, const Options& options);
  // Says, to options.note, how many bytes were diverted.
  ~Diverter();
  Diverter(const Diverter&) = delete;
  Diverter& operator=(const Diverter&) = delete;

  // To be called before every turn of the stream, after all has been lent that can be.
  void Decide(absl::Time now);
  // When it wants to be called, at the latest; InfiniteFuture if never.
  absl::Time NextDecision() const;

  // The output has been given bytes; it has taken some of them.
  void OnStarted(absl::Time now) { pace_.OnStarted(now); }
  void OnMoved(absl::Time now) { pace_.OnMoved(now); }

 private:
  void GoOn(absl::Time now);
  void AwaitRoom(absl::Time now);
  void Keep(absl::Time now);
  void OnRefused(absl::Time now);
  void Note(const std::string& text) const;

  io::Transport& transport_;
  FileStream& stream_;
  Output& output_;
  const Options& options_;
  OutputPace pace_;
  const uint64_t begin_;  // where the stream began
  bool can_splice_ = false;
  bool waits_ = false;  // a reply, for its turn
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_DIVERTER_H_
