#include "client/tools/chart.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace nfs {
namespace {

using testing::HasSubstr;
using testing::Not;

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

struct Place {
  double x = 0;
  double y = 0;
};

// The corners of the first polyline.
std::vector<Place> PlacesOf(const std::string& svg) {
  const std::string begin = "points=\"";
  const size_t at = svg.find(begin) + begin.size();
  std::vector<Place> places;
  for (absl::string_view pair :
       absl::StrSplit(svg.substr(at, svg.find('"', at) - at), ' ', absl::SkipEmpty())) {
    Place& place = places.emplace_back();
    EXPECT_EQ(std::sscanf(std::string(pair).c_str(), "%lf,%lf", &place.x, &place.y), 2);
  }
  return places;
}

std::string PlotSvg(const std::string& title, const std::vector<Curve>& curves) {
  return DrawChart({.title = title, .curves = curves});
}

TEST(Chart, DrawsEveryCurveAndNamesIt) {
  const std::string svg = PlotSvg(
      "title", {{"one", {{4096, 2}, {1 << 20, 0.1}}}, {"two", {{4096, 4}, {1 << 20, 0.3}}}});
  EXPECT_EQ(CountOf(svg, "<polyline"), 2u);
  EXPECT_EQ(CountOf(svg, "<circle"), 4u);
  for (const char* text : {">title<", ">one<", ">two<", ">4K<", ">1M<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(Chart, HasLogarithmicAxes) {
  const std::vector<Place> places =
      PlacesOf(PlotSvg("", {{"halving", {{1024, 8}, {2048, 4}, {4096, 2}, {8192, 1}}}}));
  ASSERT_EQ(places.size(), 4u);
  for (size_t i = 2; i < places.size(); ++i) {
    EXPECT_NEAR(places[i].x - places[i - 1].x, places[1].x - places[0].x, 0.2);
    EXPECT_NEAR(places[i].y - places[i - 1].y, places[1].y - places[0].y, 0.2);
  }
  EXPECT_GT(places[1].x, places[0].x);
  EXPECT_GT(places[1].y, places[0].y);  // less cost is further down
}

TEST(Chart, SortsThePointsOfACurve) {
  EXPECT_EQ(PlotSvg("", {{"a", {{1, 1}, {2, 2}}}}), PlotSvg("", {{"a", {{2, 2}, {1, 1}}}}));
}

TEST(Chart, StaysInsideItsBox) {
  const std::vector<Place> places = PlacesOf(PlotSvg("", {{"wide", {{1, 1e-3}, {1 << 20, 100}}}}));
  for (const Place& place : places) {
    EXPECT_TRUE(place.x >= 0 && place.x <= 760 && place.y >= 0 && place.y <= 420);
  }
}

TEST(Chart, DrawsALevelAcrossAndNamesIt) {
  const std::string svg =
      DrawChart({.curves = {{"fixed", {{1, 1}, {4, 4}}}}, .levels = {{"auto", 8}}});
  EXPECT_EQ(CountOf(svg, "stroke-dasharray"), 1u);
  EXPECT_THAT(svg, HasSubstr(">auto<"));
}

TEST(Chart, DrawsFromTheLeastToTheMostWhereTheyDiffer) {
  const std::string svg =
      DrawChart({.curves = {{"spread", {{1, 2, 1, 3}, {2, 2, 2, 2}, {4, 2, 0, 0}}}}});
  EXPECT_EQ(CountOf(svg, "<path"), 1u);
}

TEST(Chart, CountsWhatIsNotASize) {
  const std::string svg =
      DrawChart({.x_is_size = false, .curves = {{"slots", {{1, 1}, {1024, 2}}}}});
  EXPECT_THAT(svg, HasSubstr(">1024<"));
}

TEST(Chart, CanBeReadInTheDark) {
  EXPECT_THAT(PlotSvg("", {}), HasSubstr("prefers-color-scheme: dark"));
}

TEST(Chart, EscapesNames) {
  const std::string svg = PlotSvg("a<b", {{"x & y", {{1, 1}}}});
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  EXPECT_THAT(svg, HasSubstr("x &amp; y"));
}

TEST(Chart, LeavesOutWhatHasNoPlaceOnIt) {
  const std::string svg =
      PlotSvg("", {{"nothing", {}}, {"zero", {{4096, 0}}}, {"one", {{4096, 1}, {8192, 0}}}});
  EXPECT_EQ(CountOf(svg, "<polyline"), 1u);
  EXPECT_THAT(svg, Not(HasSubstr("zero")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace nfs
