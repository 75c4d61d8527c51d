// A drawing of what clients cost over the size of a READ.
#ifndef TESTS_BENCH_PLOT_H_
#define TESTS_BENCH_PLOT_H_

#include <string>
#include <vector>

namespace bench {

struct Curve {
  std::string name;
  struct Point {
    double rsize = 0;        // bytes
    double cpu_per_gib = 0;  // seconds
  };
  std::vector<Point> points;
};

// An SVG with both axes logarithmic, whose colors follow the reader's light or dark mode.
// Points that are not positive are left out, and curves without points.
std::string PlotSvg(const std::string& title, const std::vector<Curve>& curves);

}  // namespace bench

#endif  // TESTS_BENCH_PLOT_H_
