// Tested by tests/client/chart_test.cc.
#include "client/tools/chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/options.h"

namespace nfs {

namespace {

// Of the drawing, and of the box in it that the curves are in. Pixels.
constexpr double kWidth = 760, kHeight = 420;
constexpr double kLeft = 70, kRight = 560, kTop = 50, kBottom = 370;

// Told apart by people who see colors differently, on white and on black.
constexpr const char* kColors[] = {"#888888", "#b07aa1", "#0072b2", "#56b4e9",
                                   "#009e73", "#d55e00", "#e69f00", "#cc3311"};

constexpr char kStyle[] =
    "<style>\n"
    "svg { background: #ffffff; font: 12px sans-serif; }\n"
    "text { fill: #222222; }\n"
    ".grid { stroke: #dddddd; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  svg { background: #16181c; }\n"
    "  text { fill: #e0e0e0; }\n"
    "  .grid { stroke: #3a3d44; }\n"
    "}\n"
    "</style>\n";

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// From values between `low` and `high` to pixels from `from` to `to`, by their logarithms.
class Axis {
 public:
  Axis(double low, double high, double from, double to)
      : low_(std::log2(low)), high_(std::log2(high)), from_(from), to_(to) {}

  double At(double value) const {
    if (high_ <= low_) return (from_ + to_) / 2;
    return from_ + (std::log2(value) - low_) / (high_ - low_) * (to_ - from_);
  }

 private:
  const double low_, high_, from_, to_;
};

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;

  void Add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::vector<Curve> Drawable(std::vector<Curve> curves) {
  for (Curve& curve : curves) {
    std::erase_if(curve.points,
                  [](const Curve::Point& point) { return !(point.x > 0 && point.y > 0); });
    std::ranges::sort(curve.points, {}, &Curve::Point::x);
  }
  std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
  return curves;
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
                         Escaped(text));
}

std::string Line(double x1, double y1, double x2, double y2) {
  return absl::StrFormat("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                         x1, y1, x2, y2);
}

// The numbers 1, 2 and 5 times a power of ten that lie within.
std::vector<double> RoundNumbers(const Bounds& bounds) {
  std::vector<double> numbers;
  for (double ten = 1e-6; ten < 1e6; ten *= 10) {
    for (const double factor : {1, 2, 5}) {
      const double number = ten * factor;
      if (number >= bounds.low * 0.999 && number <= bounds.high * 1.001) numbers.push_back(number);
    }
  }
  return numbers;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart), curves_(Drawable(chart.curves)) {
    for (const Curve& curve : curves_) {
      for (const Curve::Point& point : curve.points) {
        across_.Add(point.x);
        upwards_.Add(point.y);
        if (HasSpread(point)) upwards_.Add(point.low), upwards_.Add(point.high);
      }
    }
    for (const Level& level : chart.levels) upwards_.Add(level.y);
    upwards_.low *= 0.8;
    upwards_.high *= 1.25;
  }

  std::string Draw() const {
    if (curves_.empty()) return "";
    std::string text = Grid();
    size_t row = 0;
    for (const Curve& curve : curves_) {
      absl::StrAppend(&text, DrawCurve(curve, ColorOf(row)), Legend(curve.name, row));
      ++row;
    }
    for (const Level& level : chart_.levels) {
      absl::StrAppend(&text, DrawLevel(level, ColorOf(row)), Legend(level.name, row));
      ++row;
    }
    return text;
  }

 private:
  static const char* ColorOf(size_t row) { return kColors[row % std::size(kColors)]; }
  static bool HasSpread(const Curve::Point& point) {
    return point.low > 0 && point.high > point.low;
  }

  std::string Grid() const {
    std::string text;
    for (const double number : RoundNumbers(upwards_)) {
      const double at = y_axis().At(number);
      absl::StrAppend(&text, Line(kLeft, at, kRight, at),
                      Text(kLeft - 8, at + 4, "end", absl::StrCat(number)));
    }
    for (double x = 1; x <= across_.high; x *= 2) {
      if (x < across_.low) continue;
      const double at = x_axis().At(x);
      absl::StrAppend(&text, Line(at, kTop, at, kBottom),
                      Text(at, kBottom + 18, "middle", NameOfX(static_cast<uint64_t>(x))));
    }
    return text;
  }

  std::string NameOfX(uint64_t x) const {
    return chart_.x_is_size ? FormatSize(x) : absl::StrCat(x);
  }

  std::string DrawCurve(const Curve& curve, const char* color) const {
    std::string corners;
    std::string marks;
    for (const Curve::Point& point : curve.points) {
      const double x = x_axis().At(point.x);
      const double y = y_axis().At(point.y);
      absl::StrAppend(&corners, absl::StrFormat("%.1f,%.1f ", x, y));
      absl::StrAppend(&marks, absl::StrFormat("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" "
                                              "fill=\"%s\"/>\n",
                                              x, y, color));
      if (HasSpread(point)) marks += DrawSpread(point, color);
    }
    return absl::StrFormat(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n%s", corners,
        color, marks);
  }

  std::string DrawSpread(const Curve::Point& point, const char* color) const {
    const double x = x_axis().At(point.x);
    return absl::StrFormat("<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", x,
                           y_axis().At(point.low), y_axis().At(point.high), color);
  }

  std::string DrawLevel(const Level& level, const char* color) const {
    return absl::StrFormat(
        "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"2\" "
        "stroke-dasharray=\"6 4\"/>\n",
        kLeft, y_axis().At(level.y), kRight, color);
  }

  static std::string Legend(const std::string& name, size_t row) {
    const double y = kTop + 12 + 22 * static_cast<double>(row);
    return absl::StrFormat("<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>\n",
                           kRight + 20, y - 6, ColorOf(row)) +
           Text(kRight + 42, y, "start", name);
  }

  Axis x_axis() const { return {across_.low, across_.high, kLeft + 20, kRight - 20}; }
  Axis y_axis() const { return {upwards_.low, upwards_.high, kBottom, kTop}; }

  const Chart& chart_;
  const std::vector<Curve> curves_;
  Bounds across_;
  Bounds upwards_;
};

}  // namespace

std::string DrawChart(const Chart& chart) {
  return absl::StrCat(
      absl::StrFormat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\">\n",
                      kWidth, kHeight),
      kStyle, Text(kLeft, 28, "start", chart.title), Drawing(chart).Draw(),
      Text((kLeft + kRight) / 2, kBottom + 38, "middle", chart.x_name), "</svg>\n");
}

}  // namespace nfs
