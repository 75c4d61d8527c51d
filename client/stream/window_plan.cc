// Tested by tests/client/window_plan_test.cc.
#include "client/stream/window_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace nfs {

namespace {

// Each connection has one READ that is answered and one behind it, so that it never idles.
constexpr uint64_t kReadsOfAConnection = 2;

struct Readaheads {
  uint64_t least = 0;  // bytes
  uint64_t most = 0;
};

Readaheads Automatic(const Options& options, uint32_t rsize) {
  const auto fixed = static_cast<uint64_t>(options.nconnect.value_or(1));
  const uint64_t shared = fixed == 1 ? 0 : kReadsOfAConnection * fixed * rsize;
  const auto most = static_cast<uint64_t>(options.nconnect.value_or(kMostConnections));
  const uint64_t slots = most * static_cast<uint64_t>(options.slots) * rsize;
  const uint64_t least = std::max(options.least_readahead, shared);
  return {least, std::max(least, slots)};
}

Readaheads ReadaheadsOf(const Options& options, uint32_t rsize) {
  if (!options.readahead.has_value()) return Automatic(options, rsize);
  return {*options.readahead, *options.readahead};
}

uint32_t ChunksIn(uint64_t bytes, uint32_t chunk_bytes) {
  constexpr uint64_t kMost = 1 << 20;  // keeps every product below within 64 bits
  return static_cast<uint32_t>(std::min<uint64_t>(bytes / chunk_bytes, kMost));
}

}  // namespace

WindowPlan PlanWindow(const Options& options, uint32_t rsize, uint64_t lent_bytes) {
  const auto [least, most] = ReadaheadsOf(options, rsize);
  // One chunk to ask for and one that is lent are the least that works.
  const uint64_t largest_chunk = std::max<uint64_t>(options.max_memory / 2, 1);
  WindowPlan plan;
  plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(rsize, largest_chunk));
  if (most != 0) {
    plan.chunk_bytes = static_cast<uint32_t>(std::min<uint64_t>(plan.chunk_bytes, most));
  }
  const uint32_t affordable = std::max(ChunksIn(options.max_memory, plan.chunk_bytes), 2u);
  plan.lent_chunks = std::clamp(ChunksIn(lent_bytes, plan.chunk_bytes), 1u, affordable / 2);
  plan.window_chunks = std::min(ChunksIn(most, plan.chunk_bytes), affordable - plan.lent_chunks);
  plan.least_chunks = std::min(ChunksIn(least, plan.chunk_bytes), plan.window_chunks);
  return plan;
}

std::optional<std::string> Contradiction(const Options& options, uint32_t rsize,
                                         const WindowPlan& plan) {
  if (options.readahead.value_or(0) == 0) return std::nullopt;
  const uint64_t readahead = *options.readahead;
  const uint64_t window = uint64_t{plan.window_chunks} * plan.chunk_bytes;
  const auto slots = static_cast<uint64_t>(options.slots * options.nconnect.value_or(1));
  if (options.rsize != 0 && readahead < rsize) {
    return absl::StrCat("readahead (", readahead, ") is smaller than rsize (", rsize,
                        "): READs have ", plan.chunk_bytes, " bytes");
  }
  if (window + plan.chunk_bytes <= readahead) {
    return absl::StrCat("readahead (", readahead, ") does not fit into max-memory (",
                        options.max_memory, "): it is ", window);
  }
  if (slots < plan.window_chunks) {
    return absl::StrCat("readahead (", readahead, ") needs ", plan.window_chunks, " slots: with ",
                        slots, " it is ", slots * plan.chunk_bytes);
  }
  return std::nullopt;
}

int PlanConnections(const Options& options, const WindowPlan& plan, uint64_t bytes) {
  const uint64_t reads = bytes / plan.chunk_bytes + (bytes % plan.chunk_bytes != 0 ? 1 : 0);
  const uint64_t busy = std::min<uint64_t>(reads, plan.window_chunks);
  const auto wanted = static_cast<uint64_t>(options.nconnect.value_or(1));
  return static_cast<int>(std::clamp<uint64_t>(busy, 1, wanted));
}

}  // namespace nfs
