// Tested by tests/client/window_plan_test.cc.
#include "client/stream/window_plan.h"

#include <algorithm>

namespace nfs {

namespace {

// Without a number from the user: what fills a local network and still lies in a
// processor's cache, where receiving costs least.
constexpr uint64_t kDefaultReadahead = 4 << 20;

uint32_t ChunksIn(uint64_t bytes, uint32_t chunk_bytes) {
  constexpr uint64_t kMost = 1 << 20;  // keeps every product below within 64 bits
  return static_cast<uint32_t>(std::min<uint64_t>(bytes / chunk_bytes, kMost));
}

}  // namespace

WindowPlan PlanWindow(const Options& options, uint32_t rsize, uint64_t lent_bytes) {
  const uint64_t readahead = options.readahead.value_or(kDefaultReadahead);
  // One chunk to ask for and one that is lent are the least that works.
  const uint64_t largest_chunk = std::max<uint64_t>(options.max_memory / 2, 1);
  WindowPlan plan;
  plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(rsize, largest_chunk));
  if (readahead != 0) {
    plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(plan.chunk_bytes, readahead));
  }
  const uint32_t affordable = std::max(ChunksIn(options.max_memory, plan.chunk_bytes), 2u);
  plan.lent_chunks = std::clamp(ChunksIn(lent_bytes, plan.chunk_bytes), 1u, affordable / 2);
  plan.window_chunks =
      std::min(ChunksIn(readahead, plan.chunk_bytes), affordable - plan.lent_chunks);
  return plan;
}

}  // namespace nfs
