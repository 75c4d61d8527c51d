// Tested by tests/client/export_path_test.cc.
#include "client/session/export_path.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace nfs {

std::vector<std::string> NamesOf(absl::string_view path) {
  return absl::StrSplit(path, '/', absl::SkipEmpty());
}

std::optional<std::vector<std::string>> NamesBelow(absl::string_view directory,
                                                   absl::string_view path) {
  const std::vector<std::string> above = NamesOf(directory);
  std::vector<std::string> names = NamesOf(path);
  if (names.size() < above.size() || !std::equal(above.begin(), above.end(), names.begin())) {
    return std::nullopt;
  }
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(above.size()));
  return names;
}

std::optional<std::string> LongestExport(const std::vector<std::string>& exports,
                                         absl::string_view path) {
  std::optional<std::string> longest;
  size_t fewest_left = SIZE_MAX;
  for (const std::string& candidate : exports) {
    const auto below = NamesBelow(candidate, path);
    if (!below.has_value() || below->size() >= fewest_left) continue;
    fewest_left = below->size();
    longest = candidate;
  }
  return longest;
}

std::vector<std::string> SelfAndParents(absl::string_view path) {
  std::vector<std::string> names = NamesOf(path);
  std::vector<std::string> paths;
  for (;; names.pop_back()) {
    paths.push_back(absl::StrCat("/", absl::StrJoin(names, "/")));
    if (names.empty()) return paths;
  }
}

}  // namespace nfs
