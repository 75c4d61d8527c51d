// Holds README.md, the list of cases, to what there is: every case has its row, and every
// test that a row names exists.
// GCC 12 with sanitizers takes std::regex's own variables for uninitialized.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace {

namespace fs = std::filesystem;

// All but those of directories, which are not read, and of a mountd on UDP alone.
constexpr const char* kCases[] = {
    "C01", "C04", "C06", "C07", "C09", "C11", "C13", "C15", "C16", "C17", "C18",
    "C20", "C22", "C24", "C25", "C26", "C28", "C29", "C31", "C32", "C33", "C34",
    "C35", "C36", "C38", "C39", "C40", "C43", "C44", "C45", "C46", "C47", "C49",
    "C50", "C51", "C52", "C53", "C54", "C55", "C58", "C65", "C66", "C67", "C68",
    "C70", "C71", "C72", "C73", "C74", "C75", "C76", "C77", "C79", "C80", "C81"};

// The test runs beside links to its data; the real files lie where the list does.
fs::path List() { return fs::canonical("tests/cases/README.md"); }
fs::path Root() { return List().parent_path().parent_path().parent_path(); }

std::string TextOf(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Row {
  std::string id;
  std::string held_by;  // the last column
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (absl::string_view line : absl::StrSplit(TextOf(List()), '\n')) {
    if (!absl::StartsWith(line, "| C")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    EXPECT_EQ(cells.size(), 4u) << line;
    if (cells.size() == 4) rows.push_back({cells[0].substr(2), cells[3]});
  }
  return rows;
}

// What stands between backquotes.
std::vector<std::string> Quoted(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '`');
  std::vector<std::string> quoted;
  for (size_t i = 1; i < parts.size(); i += 2) quoted.push_back(parts[i]);
  return quoted;
}

bool HasTest(const std::string& source, const std::string& suite, const std::string& name) {
  const std::regex test(absl::StrCat("TEST(_F|_P)?\\(\\s*", suite, "\\s*,\\s*", name, "\\s*\\)"));
  return std::regex_search(source, test);
}

TEST(CaseList, HasEveryCaseOnce) {
  std::multiset<std::string> ids;
  for (const Row& row : Rows()) ids.insert(row.id);
  for (const char* id : kCases) EXPECT_EQ(ids.count(id), 1u) << id;
  EXPECT_EQ(ids.size(), std::size(kCases));
}

TEST(CaseList, NamesATestForEveryCaseOrSaysWhyThereIsNone) {
  for (const Row& row : Rows()) {
    EXPECT_TRUE(absl::StrContains(row.held_by, "`tests/") ||
                absl::StartsWith(row.held_by, "Not tested: "))
        << row.id;
  }
}

// A file, then suites and names of tests in it, and so on.
TEST(CaseList, NamesTestsThatExist) {
  const std::regex test_name("(\\w+)\\.(\\w+)");
  for (const Row& row : Rows()) {
    std::string source;
    for (const std::string& word : Quoted(row.held_by)) {
      std::smatch match;
      if (absl::StartsWith(word, "tests/")) {
        source = TextOf(Root() / word);
        EXPECT_FALSE(source.empty()) << row.id << ": there is no " << word;
      } else if (std::regex_match(word, match, test_name)) {
        EXPECT_TRUE(HasTest(source, match[1], match[2])) << row.id << ": there is no " << word;
      }
    }
  }
}

}  // namespace
