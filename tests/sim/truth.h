// What the bytes of a file that changes may be, and whether those delivered are.
//
// Every content that the file has had is a version: so many bytes of the pattern of a
// seed. A change that only appends goes on with the pattern; any other begins a new
// family of versions:
//
//   family 0               family 1
//   [seed 0, 5000 bytes]   [seed 1, 5000 bytes] -> append -> [seed 1, 7000 bytes]
//
// Bytes of one seed can be of one version of the file; those of two are glued. What a
// client cannot tell it may glue: whoever sees a version and next a longer one, by its
// attributes, has seen a file that grew, whatever happened between. Thread-compatible.
#ifndef TESTS_SIM_TRUTH_H_
#define TESTS_SIM_TRUTH_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "client/options.h"

namespace sim {

// What a client could find out of a change.
struct Knowledge {
  // Some READ replies had no attributes: bytes could come before the news.
  bool attributes_were_absent = false;
  // ... and asking for the attributes at the end could fail.
  bool asking_could_fail = false;
  // The server lied about the end of a file whose size says nothing.
  bool end_was_wrong = false;
};

class Truth {
 public:
  enum class Change : uint8_t { kAppended, kOther };

  // From now on the file has `size` bytes of the pattern `seed`. Of the first version
  // the change does not matter.
  void AddVersion(uint64_t seed, uint64_t size, Change change);

  // The client may have seen the file's first attributes from here to there.
  void OnOpening();
  void OnOpened();

  // The client reads this range from now on.
  void BeginRun(const nfs::Range& range);
  // The next bytes of it: an empty text, or what is wrong with them.
  std::string OnDelivered(std::span<const std::byte> bytes);
  // The run is over; `complete`: the client says that these are all bytes.
  std::string JudgeRun(bool complete, const Knowledge& knowledge) const;

  uint64_t delivered() const { return delivered_; }  // in this run
  uint64_t delivered_in_all() const { return delivered_in_all_; }
  bool changed_before_opened() const { return last_opened_ != first_opened_; }
  bool opened_empty() const;

 private:
  struct Version {
    uint64_t seed = 0;
    uint64_t size = 0;
    int family = 0;
  };

  // Bytes at `offset` that are of the pattern of `seed`, of a version that long.
  size_t Matching(uint64_t seed, uint64_t offset, std::span<const std::byte> bytes) const;
  // The same of the seeds that have most of them, out of those that have what came before.
  size_t MatchAny(uint64_t offset, std::span<const std::byte> bytes);
  // The seeds in this run, one of each part.
  std::set<uint64_t> UsedSeeds() const;
  bool CouldBeDelivered(uint64_t seed) const;
  bool CouldBeOpened(size_t version) const;
  // Whether somebody who sees `before` and next `after` takes the file for grown.
  bool LooksGrown(size_t before, size_t after) const {
    return before < after && versions_[before].size < versions_[after].size;
  }
  // Whether that may have led from the opened version to this one.
  bool LooksGrown(size_t after) const;
  // The same of some version of seed `from` and of seed `to`.
  bool CanBeGlued(uint64_t from, uint64_t to) const;
  bool EndIsTrue(bool any_version) const;
  std::string JudgeSeeds(const std::set<uint64_t>& used) const;
  bool MayNotNotice(const Knowledge& knowledge) const;

  std::vector<Version> versions_;
  size_t first_opened_ = 0;  // versions
  size_t last_opened_ = SIZE_MAX;
  nfs::Range range_;
  uint64_t delivered_ = 0;
  uint64_t delivered_in_all_ = 0;
  // The run, cut where no seed has all bytes any more: the seeds that have all of a part.
  // Of a few bytes several do.
  std::vector<std::set<uint64_t>> parts_;
};

}  // namespace sim

#endif  // TESTS_SIM_TRUTH_H_
