// Tested by tests/client/bench_ranges_test.cc.
#include "client/tools/bench/ranges.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nfs {

Ranges::Ranges(std::vector<uint64_t> sizes, uint64_t most) : sizes_(std::move(sizes)), most_(most) {
  assert(most != 0 && std::ranges::any_of(sizes_, [](uint64_t size) { return size != 0; }));
  while (sizes_[place_.file] == 0) ++place_.file;
}

void Ranges::NextFile() {
  place_.range.offset = 0;
  do {
    place_.file = (place_.file + 1) % sizes_.size();
    if (place_.file == 0) place_.is_warm = true;
  } while (sizes_[place_.file] == 0);
}

// The rest of a file that is less than a run reads would tell little.
Ranges::Place Ranges::Next() {
  const uint64_t left = sizes_[place_.file] - place_.range.offset;
  const uint64_t wanted = std::min(last_, most_);
  if (left < wanted && place_.range.offset != 0) NextFile();
  place_.range.length = std::min(most_, sizes_[place_.file] - place_.range.offset);
  return place_;
}

void Ranges::OnRead(uint64_t bytes) {
  last_ = std::max<uint64_t>(bytes, 1);
  place_.range.offset += std::min(bytes, place_.range.length);
}

}  // namespace nfs
