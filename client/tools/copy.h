// From a target to an output.
#ifndef CLIENT_TOOLS_COPY_H_
#define CLIENT_TOOLS_COPY_H_

#include <functional>

#include "absl/status/status.h"
#include "client/options.h"
#include "client/session/session.h"
#include "client/stream/bottleneck.h"
#include "client/target.h"
#include "client/tools/output.h"

namespace nfs {

// What is asked for beside the bytes, and told.
struct CopyWishes {
  bool show_progress = false;
  // Called with what was measured, whatever becomes of the copy, unless it has not begun: also
  // when a signal ends the program, which it then does afterwards. May be null.
  std::function<void(const StreamFacts& facts)> report;
};

// Writes `range` of the file at `target` to `output`. One thread does it all: it turns
// the stream's pump, through which the output's writes go as well. An error of the
// output is in output.status() too.
absl::Status Copy(const Target& target, const Options& options, const Range& range,
                  const CopyWishes& wishes, Output& output);
// The same for a session that is open.
absl::Status CopyFrom(Session& session, const Range& range, const CopyWishes& wishes,
                      Output& output);

}  // namespace nfs

#endif  // CLIENT_TOOLS_COPY_H_
