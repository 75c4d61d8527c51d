// Tested by tests/sim/truth_test.cc.
#include "tests/sim/truth.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/server/contents.h"

namespace sim {

namespace {

size_t CommonPrefix(std::span<const std::byte> a, std::span<const std::byte> b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

void Truth::AddVersion(uint64_t seed, uint64_t size, Change change) {
  Version version = {seed, size, 0};
  if (!versions_.empty()) version.family = versions_.back().family + (change == Change::kOther);
  versions_.push_back(version);
}

void Truth::OnOpening() { first_opened_ = versions_.size() - 1; }

void Truth::OnOpened() { last_opened_ = versions_.size() - 1; }

void Truth::BeginRun(const nfs::Range& range) {
  range_ = range;
  delivered_ = 0;
  used_.clear();
}

size_t Truth::Matching(uint64_t seed, uint64_t offset, std::span<const std::byte> bytes) const {
  uint64_t size = 0;
  for (const Version& version : versions_) {
    if (version.seed == seed) size = std::max(size, version.size);
  }
  if (offset >= size) return 0;
  bytes = bytes.first(std::min<uint64_t>(bytes.size(), size - offset));
  std::array<std::byte, 4096> expected;
  size_t matching = 0;
  while (matching < bytes.size()) {
    const auto part = bytes.subspan(matching, std::min(bytes.size() - matching, expected.size()));
    const auto truth = std::span(expected).first(part.size());
    server::FillPattern(offset + matching, truth, seed);
    const size_t common = CommonPrefix(part, truth);
    matching += common;
    if (common != part.size()) break;
  }
  return matching;
}

size_t Truth::MatchAny(uint64_t offset, std::span<const std::byte> bytes) {
  // A byte that two versions share is of the one at hand.
  size_t most = used_.empty() ? 0 : Matching(seed_, offset, bytes);
  if (most != 0) return most;
  for (const Version& version : versions_) {
    const size_t matching = Matching(version.seed, offset, bytes);
    if (matching <= most) continue;
    most = matching;
    seed_ = version.seed;
  }
  if (most != 0) used_.insert(seed_);
  return most;
}

std::string Truth::OnDelivered(std::span<const std::byte> bytes) {
  if (bytes.empty()) return "a piece without bytes was delivered";
  if (bytes.size() > range_.length - delivered_) return "more bytes than the range has";
  while (!bytes.empty()) {
    const uint64_t offset = range_.offset + delivered_;
    const size_t matching = MatchAny(offset, bytes);
    if (matching == 0) {
      return absl::StrCat("the byte delivered for offset ", offset,
                          " is of no version of the file");
    }
    delivered_ += matching;
    delivered_in_all_ += matching;
    bytes = bytes.subspan(matching);
  }
  return "";
}

bool Truth::CouldBeOpened(const Version& version) const {
  const size_t last = std::min(last_opened_, versions_.size() - 1);
  return versions_[first_opened_].family <= version.family &&
         version.family <= versions_[last].family;
}

bool Truth::LooksGrown(const Version& version) const {
  return std::ranges::any_of(versions_, [&](const Version& opened) {
    return CouldBeOpened(opened) && opened.seed == version.seed && opened.size < version.size;
  });
}

bool Truth::opened_empty() const {
  const size_t last = std::min(last_opened_, versions_.size() - 1);
  return std::any_of(versions_.begin() + static_cast<ptrdiff_t>(first_opened_),
                     versions_.begin() + static_cast<ptrdiff_t>(last) + 1,
                     [](const Version& version) { return version.size == 0; });
}

bool Truth::EndIsTrue(bool any_version) const {
  if (delivered_ == range_.length) return true;
  return std::ranges::any_of(versions_, [&](const Version& version) {
    if (!any_version && !CouldBeOpened(version) && !LooksGrown(version)) return false;
    const uint64_t left = version.size > range_.offset ? version.size - range_.offset : 0;
    return delivered_ == std::min(left, range_.length);
  });
}

// Whether all bytes are of the seed that was opened.
std::string Truth::JudgeSeeds() const {
  if (used_.size() > 1) {
    return absl::StrCat("bytes of different versions are glued: seeds ",
                        absl::StrJoin(used_, ", "));
  }
  const bool opened = used_.empty() || std::ranges::any_of(versions_, [&](const Version& version) {
                        return version.seed == *used_.begin() && CouldBeOpened(version);
                      });
  return opened ? "" : "the bytes are of another version than was opened";
}

std::string Truth::JudgeRun(bool complete, const Knowledge& knowledge) const {
  const bool size_says_nothing = opened_empty();
  const bool may_glue = knowledge.attributes_were_absent || size_says_nothing;
  const bool may_not_notice =
      size_says_nothing || (knowledge.attributes_were_absent && knowledge.asking_could_fail);
  if (!may_glue || (complete && !may_not_notice)) {
    const std::string wrong = JudgeSeeds();
    if (!wrong.empty()) return wrong;
  }
  if (!complete || (size_says_nothing && knowledge.end_was_wrong)) return "";
  if (EndIsTrue(may_not_notice)) return "";
  return absl::StrCat("the stream ended well after ", delivered_, " bytes, and the file of ",
                      versions_.back().size, " bytes has others");
}

}  // namespace sim
