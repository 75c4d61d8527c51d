// The project's own sources, as text.
#ifndef TESTS_LAYOUT_SOURCE_TREE_H_
#define TESTS_LAYOUT_SOURCE_TREE_H_

#include <string>
#include <vector>

namespace layout {

struct SourceFile {
  std::string path;  // from the project's root: "rpc/channel.cc"
  std::vector<std::string> lines;

  bool IsHeader() const;
  // What it includes: `xdr/types.h` of "xdr/types.h", `<vector>` of <vector>.
  std::vector<std::string> Includes() const;
};

// Every .h and .cc below xdr, rpc, io, client and tests.
std::vector<SourceFile> ReadSourceTree();

// Whether the project has such a file or folder.
bool Exists(const std::string& path);

}  // namespace layout

#endif  // TESTS_LAYOUT_SOURCE_TREE_H_
