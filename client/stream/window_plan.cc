// Tested by tests/client/window_plan_test.cc.
#include "client/stream/window_plan.h"

#include <algorithm>

namespace nfs {

namespace {

// Without a number from the user: what fills a local network and still lies in a
// processor's cache, where receiving costs least.
constexpr uint64_t kDefaultReadahead = 4 << 20;

// Each connection has one READ that is answered and one behind it, so that it never idles.
constexpr uint64_t kReadsOfAConnection = 2;

uint64_t DefaultReadahead(const Options& options, uint32_t rsize) {
  const int connections = options.nconnect.value_or(1);
  if (connections == 1) return kDefaultReadahead;
  const uint64_t shared = kReadsOfAConnection * static_cast<uint64_t>(connections) * rsize;
  return std::max(kDefaultReadahead, shared);
}

uint32_t ChunksIn(uint64_t bytes, uint32_t chunk_bytes) {
  constexpr uint64_t kMost = 1 << 20;  // keeps every product below within 64 bits
  return static_cast<uint32_t>(std::min<uint64_t>(bytes / chunk_bytes, kMost));
}

}  // namespace

WindowPlan PlanWindow(const Options& options, uint32_t rsize, uint64_t lent_bytes) {
  const uint64_t readahead = options.readahead.value_or(DefaultReadahead(options, rsize));
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

int PlanConnections(const Options& options, const WindowPlan& plan, uint64_t bytes) {
  const uint64_t reads = bytes / plan.chunk_bytes + (bytes % plan.chunk_bytes != 0 ? 1 : 0);
  const uint64_t busy = std::min<uint64_t>(reads, plan.window_chunks);
  const auto wanted = static_cast<uint64_t>(options.nconnect.value_or(1));
  return static_cast<int>(std::clamp<uint64_t>(busy, 1, wanted));
}

}  // namespace nfs
