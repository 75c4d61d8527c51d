// Tested by tests/sim/truth_test.cc.
#include "tests/sim/truth.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

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
  parts_.clear();
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
  std::set<uint64_t> seeds;
  if (!parts_.empty()) seeds = parts_.back();
  const bool begins = seeds.empty();
  if (begins) {
    for (const Version& version : versions_) seeds.insert(version.seed);
  }
  std::map<size_t, std::set<uint64_t>> by_matching;
  for (const uint64_t seed : seeds) by_matching[Matching(seed, offset, bytes)].insert(seed);
  const auto& [most, best] = *by_matching.rbegin();
  if (most == 0 && begins) return 0;
  if (most == 0) {
    parts_.emplace_back();  // none of these seeds goes on
    return MatchAny(offset, bytes);
  }
  if (parts_.empty()) parts_.emplace_back();
  parts_.back() = best;
  return most;
}

bool Truth::CouldBeDelivered(uint64_t seed) const {
  for (size_t i = 0; i < versions_.size(); ++i) {
    if (versions_[i].seed == seed && (CouldBeOpened(i) || LooksGrown(i))) return true;
  }
  return false;
}

std::set<uint64_t> Truth::UsedSeeds() const {
  std::set<uint64_t> used;
  for (const std::set<uint64_t>& part : parts_) {
    const auto could_be =
        std::ranges::find_if(part, [this](uint64_t seed) { return CouldBeDelivered(seed); });
    if (!part.empty()) used.insert(could_be != part.end() ? *could_be : *part.begin());
  }
  return used;
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

bool Truth::CouldBeOpened(size_t version) const {
  const size_t last = std::min(last_opened_, versions_.size() - 1);
  const int family = versions_[version].family;
  return versions_[first_opened_].family <= family && family <= versions_[last].family;
}

bool Truth::LooksGrown(size_t after) const {
  for (size_t before = 0; before < after; ++before) {
    if (CouldBeOpened(before) && LooksGrown(before, after)) return true;
  }
  return false;
}

bool Truth::CanBeGlued(uint64_t from, uint64_t to) const {
  for (size_t before = 0; before < versions_.size(); ++before) {
    for (size_t after = before; after < versions_.size(); ++after) {
      const bool seeds = versions_[before].seed == from && versions_[after].seed == to;
      if (seeds && LooksGrown(before, after)) return true;
    }
  }
  return false;
}

bool Truth::opened_empty() const {
  const size_t last = std::min(last_opened_, versions_.size() - 1);
  return std::any_of(versions_.begin() + static_cast<ptrdiff_t>(first_opened_),
                     versions_.begin() + static_cast<ptrdiff_t>(last) + 1,
                     [](const Version& version) { return version.size == 0; });
}

bool Truth::EndIsTrue(bool any_version) const {
  if (delivered_ == range_.length) return true;
  for (size_t i = 0; i < versions_.size(); ++i) {
    if (!any_version && !CouldBeOpened(i) && !LooksGrown(i)) continue;
    const uint64_t size = versions_[i].size;
    const uint64_t left = size > range_.offset ? size - range_.offset : 0;
    if (delivered_ == std::min(left, range_.length)) return true;
  }
  return false;
}

std::string Truth::JudgeSeeds(const std::set<uint64_t>& used) const {
  // Seeds go up from version to version, so that this is their order.
  for (auto seed = used.begin(); seed != used.end() && std::next(seed) != used.end(); ++seed) {
    if (CanBeGlued(*seed, *std::next(seed))) continue;
    return absl::StrCat("bytes of different versions are glued: seeds ", absl::StrJoin(used, ", "));
  }
  if (used.empty() || CouldBeDelivered(*used.begin())) return "";
  return "the bytes are of another version than was opened";
}

// What the client could not see, however well it looked.
bool Truth::MayNotNotice(const Knowledge& knowledge) const {
  if (opened_empty()) return true;
  if (!knowledge.attributes_were_absent) return false;
  return knowledge.asking_could_fail || LooksGrown(versions_.size() - 1);
}

std::string Truth::JudgeRun(bool complete, const Knowledge& knowledge) const {
  const bool may_glue = knowledge.attributes_were_absent || opened_empty();
  const bool may_not_notice = MayNotNotice(knowledge);
  if (!may_glue || (complete && !may_not_notice)) {
    const std::string wrong = JudgeSeeds(UsedSeeds());
    if (!wrong.empty()) return wrong;
  }
  if (!complete || (may_not_notice && knowledge.end_was_wrong)) return "";
  if (EndIsTrue(may_not_notice)) return "";
  return absl::StrCat("the stream ended well after ", delivered_, " bytes, and the file of ",
                      versions_.back().size, " bytes has others");
}

}  // namespace sim
