// What --stats and --explain say of a stream.
#ifndef CLIENT_TOOLS_STATS_REPORT_H_
#define CLIENT_TOOLS_STATS_REPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "client/stream/bottleneck.h"

namespace nfs {

// Some lines for people.
std::string StatsText(const StreamFacts& facts);
// One line, one object; the keys are fixed, times are in seconds. What is not known is null.
std::string StatsJson(const StreamFacts& facts);
// A short report: what limited the stream, by which figures, and what would lift it.
std::string Explanation(absl::string_view target, const StreamFacts& facts);

}  // namespace nfs

#endif  // CLIENT_TOOLS_STATS_REPORT_H_
