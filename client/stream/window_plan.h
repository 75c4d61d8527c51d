// From the user's options and the server's limits to the sizes of a window. Pure.
#ifndef CLIENT_STREAM_WINDOW_PLAN_H_
#define CLIENT_STREAM_WINDOW_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "client/options.h"

namespace nfs {

struct WindowPlan {
  uint32_t chunk_bytes = 0;    // of one READ
  uint32_t window_chunks = 0;  // asked for ahead of the reader, at most
  uint32_t least_chunks = 0;   // ... and at least: fewer when the window is automatic
  uint32_t lent_chunks = 0;    // that the reader may hold
};

// An automatic window has between what suits a local network and what the slots can ask for.
//
// `rsize` as the session agreed on it; `lent_bytes`: what the reader should be able to
// hold, if that is more than a chunk. A readahead below rsize makes READs as small as
// itself; memory beyond options.max_memory is never planned: the reader gets half of it at
// most, and where it is too small for anything else READs shrink. REQUIRES: rsize >= 1.
WindowPlan PlanWindow(const Options& options, uint32_t rsize, uint64_t lent_bytes);

// What a user should know who has asked for a readahead that cannot be had: a line of text that
// says why and what is done instead. Nothing when it can.
std::optional<std::string> Contradiction(const Options& options, uint32_t rsize,
                                         const WindowPlan& plan);

// How many connections are worth having for so many bytes, as far as is known: at least one,
// not more than options ask for, and otherwise none without a READ.
int PlanConnections(const Options& options, const WindowPlan& plan, uint64_t bytes);

}  // namespace nfs

#endif  // CLIENT_STREAM_WINDOW_PLAN_H_
