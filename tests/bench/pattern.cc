// Tested by tests/bench/pattern_test.cc.
#include "tests/bench/pattern.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tests/server/contents.h"

namespace bench {

namespace {

constexpr size_t kBytes = 2 << 20;
static_assert(Pattern::kPeriodBytes + Pattern::kMostBytes <= kBytes);

}  // namespace

Pattern::Pattern() : arena_(nfs::Arena::Make(kBytes, kBytes).value()) {
  const std::span<std::byte> all = arena_.memory();
  server::FillPattern(0, all.first(kPeriodBytes));
  // Byte by byte, as the copy is longer than the period, and so copies of itself.
  for (size_t i = kPeriodBytes; i < kPeriodBytes + kMostBytes; ++i) all[i] = all[i - kPeriodBytes];
}

absl::Status PatternCheck::Take(std::span<const std::byte> bytes) {
  while (status_.ok() && !bytes.empty()) {
    const size_t part = std::min(bytes.size(), Pattern::kMostBytes);
    status_ = TakePart(bytes.first(part));
    bytes = bytes.subspan(part);
  }
  return status_;
}

absl::Status PatternCheck::TakePart(std::span<const std::byte> bytes) {
  const std::span<const std::byte> wanted = pattern_.At(position_, bytes.size());
  if (std::memcmp(bytes.data(), wanted.data(), bytes.size()) != 0) {
    const auto differs = std::ranges::mismatch(bytes, wanted).in1;
    return absl::DataLossError(
        absl::StrCat("wrong bytes at offset ", position_ + (differs - bytes.begin())));
  }
  position_ += bytes.size();
  return absl::OkStatus();
}

absl::Status PatternCheck::Finish(uint64_t size) const {
  if (!status_.ok() || position_ == size) return status_;
  return absl::DataLossError(absl::StrCat(position_, " bytes came, of ", size));
}

}  // namespace bench
