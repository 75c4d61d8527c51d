// Draws what tests/lab/report --points prints, as an SVG to standard output: MB/s over readahead.
//
//   curve<TAB>NAME<TAB>BYTES<TAB>MB/S
//   level<TAB>NAME<TAB>MB/S
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "client/tools/chart.h"

namespace lab {
namespace {

nfs::Curve& CurveOf(const std::string& name, nfs::Chart& chart) {
  for (nfs::Curve& curve : chart.curves) {
    if (curve.name == name) return curve;
  }
  chart.curves.push_back({name, {}});
  return chart.curves.back();
}

bool Take(const std::string& line, nfs::Chart& chart) {
  const std::vector<std::string> words = absl::StrSplit(line, '\t');
  double x = 0, y = 0;
  if (words.size() == 3 && words[0] == "level" && absl::SimpleAtod(words[2], &y)) {
    chart.levels.push_back({words[1], y});
    return true;
  }
  if (words.size() != 4 || words[0] != "curve") return false;
  if (!absl::SimpleAtod(words[2], &x) || !absl::SimpleAtod(words[3], &y)) return false;
  CurveOf(words[1], chart).points.push_back({.x = x, .y = y});
  return true;
}

int Main() {
  nfs::Chart chart = {.title = "MB/s over readahead", .x_name = "readahead"};
  for (std::string line; std::getline(std::cin, line);) {
    if (Take(line, chart)) continue;
    std::fprintf(stderr, "draw: neither a curve nor a level: %s\n", line.c_str());
    return 2;
  }
  return std::fputs(nfs::DrawChart(chart).c_str(), stdout) < 0 ? 1 : 0;
}

}  // namespace
}  // namespace lab

int main() { return lab::Main(); }
