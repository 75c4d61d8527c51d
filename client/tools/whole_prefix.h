// How much of a file is whole from its beginning on, when it is written in any order.
#ifndef CLIENT_TOOLS_WHOLE_PREFIX_H_
#define CLIENT_TOOLS_WHOLE_PREFIX_H_

#include <cassert>
#include <cstdint>
#include <map>

namespace nfs {

// Thread-compatible. As large as there are gaps.
class WholePrefix {
 public:
  explicit WholePrefix(uint64_t begin) : end_(begin) {}

  // The bytes from `begin` on and before `end` are there. REQUIRES: they are some, and
  // were not before.
  void Add(uint64_t begin, uint64_t end) {
    assert(end_ <= begin && begin < end);
    later_[begin] = end;
    while (!later_.empty() && later_.begin()->first == end_) {
      end_ = later_.begin()->second;
      later_.erase(later_.begin());
    }
  }

  // One past the last byte before which there is no gap.
  uint64_t end() const { return end_; }

 private:
  uint64_t end_;
  std::map<uint64_t, uint64_t> later_;  // beyond a gap: from, to
};

}  // namespace nfs

#endif  // CLIENT_TOOLS_WHOLE_PREFIX_H_
