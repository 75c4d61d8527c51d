// A directory of the local disk, to be served.
#ifndef TESTS_SERVER_LOCAL_DIRECTORY_H_
#define TESTS_SERVER_LOCAL_DIRECTORY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tests/server/file_tree.h"

namespace server {

// Puts what is in `directory` below the directory `path` of the tree: names, modes,
// owners, sizes and times as they are now; the bytes of a file are read when it is.
// Symbolic links are not followed, and neither is anything that vanishes meanwhile.
absl::Status AddLocalDirectory(const std::string& directory, absl::string_view path,
                               FileTree& tree);

}  // namespace server

#endif  // TESTS_SERVER_LOCAL_DIRECTORY_H_
