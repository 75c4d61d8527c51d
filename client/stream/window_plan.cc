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

WindowPlan PlanWindow(const Options& options, uint32_t rsize, uint32_t lent_chunks) {
  const uint64_t readahead = options.readahead.value_or(kDefaultReadahead);
  // One chunk to ask for and those lent are the least that work.
  const uint64_t largest_chunk = std::max<uint64_t>(options.max_memory / (1 + lent_chunks), 1);
  WindowPlan plan;
  plan.lent_chunks = lent_chunks;
  plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(rsize, largest_chunk));
  if (readahead != 0) {
    plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(plan.chunk_bytes, readahead));
  }
  const uint32_t affordable = ChunksIn(options.max_memory, plan.chunk_bytes);
  const uint32_t most = affordable > lent_chunks ? affordable - lent_chunks : 1;
  plan.window_chunks = std::min(ChunksIn(readahead, plan.chunk_bytes), most);
  return plan;
}

}  // namespace nfs
