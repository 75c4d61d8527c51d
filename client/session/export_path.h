// Which export of a server a path belongs to. Pure.
#ifndef CLIENT_SESSION_EXPORT_PATH_H_
#define CLIENT_SESSION_EXPORT_PATH_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace nfs {

// "/a/b" -> {"a", "b"}; "//a/" -> {"a"}.
std::vector<std::string> NamesOf(absl::string_view path);

// The names that are left of `path` below `directory`; nothing when the path does not
// lead there. Slashes at the end and double ones do not count.
std::optional<std::vector<std::string>> NamesBelow(absl::string_view directory,
                                                   absl::string_view path);

// The longest of `exports` (in the server's own spelling, which MNT must use) that
// `path` is or is below.
std::optional<std::string> LongestExport(const std::vector<std::string>& exports,
                                         absl::string_view path);

// `path` itself, then its parents up to "/": what to try with MNT when the server does
// not tell its exports.
std::vector<std::string> SelfAndParents(absl::string_view path);

}  // namespace nfs

#endif  // CLIENT_SESSION_EXPORT_PATH_H_
