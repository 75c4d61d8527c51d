// A drawing of figures over sizes or numbers.
#ifndef CLIENT_TOOLS_CHART_H_
#define CLIENT_TOOLS_CHART_H_

#include <string>
#include <vector>

namespace nfs {

struct Curve {
  std::string name;
  struct Point {
    double x = 0;
    double y = 0;
    // From the least to the most that was measured there; none where they are alike.
    double low = 0;
    double high = 0;
  };
  std::vector<Point> points;
};

// A line across, for what has no place on the x axis.
struct Level {
  std::string name;
  double y = 0;
};

struct Chart {
  std::string title;
  std::string x_name;
  bool x_is_size = true;  // bytes, told as 64K; else a number
  std::vector<Curve> curves;
  std::vector<Level> levels;
};

// An SVG with both axes logarithmic, whose colors follow the reader's light or dark mode.
// Points that are not positive are left out, and curves without points.
std::string DrawChart(const Chart& chart);

}  // namespace nfs

#endif  // CLIENT_TOOLS_CHART_H_
