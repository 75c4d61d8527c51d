#include "tests/layout/source_tree.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace layout {

namespace {

namespace fs = std::filesystem;

// The test runs beside links to its data; the real WORKSPACE lies at the root.
const fs::path& Root() {
  static const auto* root = new fs::path(fs::canonical("WORKSPACE").parent_path());
  return *root;
}

SourceFile ReadFile(const fs::path& path) {
  SourceFile file;
  file.path = fs::relative(path, Root()).string();
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

}  // namespace

bool SourceFile::IsHeader() const { return absl::EndsWith(path, ".h"); }

std::vector<std::string> SourceFile::Includes() const {
  std::vector<std::string> includes;
  for (const std::string& line : lines) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, "#include ")) continue;
    const size_t end = rest.find_last_of("\">");
    const bool quoted = absl::StartsWith(rest, "\"");
    includes.emplace_back(quoted ? rest.substr(1, end - 1) : rest.substr(0, end + 1));
  }
  return includes;
}

std::vector<SourceFile> ReadSourceTree() {
  std::vector<SourceFile> files;
  for (const char* folder : {"xdr", "rpc", "io", "client", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(Root() / folder)) {
      const std::string name = entry.path().string();
      if (absl::EndsWith(name, ".h") || absl::EndsWith(name, ".cc")) {
        files.push_back(ReadFile(entry.path()));
      }
    }
  }
  return files;
}

bool Exists(const std::string& path) { return fs::exists(Root() / path); }

}  // namespace layout
