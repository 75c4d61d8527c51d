// What a consumer makes of pieces that it takes in any order: a file, as far as it is whole.
#ifndef TESTS_SIM_ANY_ORDER_FILE_H_
#define TESTS_SIM_ANY_ORDER_FILE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace sim {

// Thread-compatible.
class AnyOrderFile {
 public:
  // An empty text, or that the bytes at `offset` had been there before.
  std::string Put(uint64_t offset, std::span<const std::byte> bytes) {
    const auto next = later_.lower_bound(offset);
    bool twice = offset < end_ || (next != later_.end() && next->first < offset + bytes.size());
    if (next != later_.begin()) {
      const auto& [begin, before] = *std::prev(next);
      twice |= begin + before.size() > offset;
    }
    if (twice) return absl::StrCat("bytes at ", offset, " came twice");
    later_[offset].assign(bytes.begin(), bytes.end());
    return "";
  }

  // The next bytes that are whole now, in order; none when there are no more.
  std::vector<std::byte> TakeNext() {
    if (later_.empty() || later_.begin()->first != end_) return {};
    std::vector<std::byte> bytes = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    end_ += bytes.size();
    return bytes;
  }

  // Empty, from `begin` on.
  void Begin(uint64_t begin) {
    end_ = begin;
    later_.clear();
  }

 private:
  uint64_t end_ = 0;
  std::map<uint64_t, std::vector<std::byte>> later_;  // by offset, beyond end_
};

}  // namespace sim

#endif  // TESTS_SIM_ANY_ORDER_FILE_H_
