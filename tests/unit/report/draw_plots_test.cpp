// Plots as SVG: scales, labels, and what is drawn.
#include "report/bench/draw_plots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <regex>

#include "report/page/label_places.hpp"
#include "report/page/plot_axis.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> texts_of(const std::vector<PlotTick>& ticks) {
  std::vector<std::string> texts;
  for (const PlotTick& tick : ticks) texts.push_back(tick.text);
  return texts;
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PlotAxis, TicksAreRound) {
  EXPECT_THAT(texts_of(linear_ticks(0, 4600)), ElementsAre("0", "1000", "2000", "3000", "4000"));
  EXPECT_THAT(texts_of(linear_ticks(-0.11, 0.3)), ElementsAre("-0.1", "0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(texts_of(decade_ticks(0.5, 2e6)),
              ElementsAre("1", "10", "100", "1000", "10000", "100000", "10^6"));
  EXPECT_THAT(texts_of(decade_ticks(0.05, 2e6)), ElementsAre("1", "100", "10000", "10^6"));
  EXPECT_THAT(texts_of(decade_ticks(30, 700)), ElementsAre("50", "100", "200", "500"));
  EXPECT_THAT(texts_of(decade_ticks(21, 24)), ElementsAre("21", "22", "23", "24"));
  EXPECT_THAT(texts_of(decade_ticks(1e-9, 1e9)), testing::SizeIs(testing::Le(8)));
  EXPECT_THAT(texts_of(value_ticks({1 << 20, 1000, 1000, 256})),
              ElementsAre("256", "1000", "2^20"));
}

TEST(PlotAxis, PlacesAreBetweenThoseOfTheEnds) {
  PlotScale scale(1, 100, true);
  scale.set_places(10, 30);
  EXPECT_DOUBLE_EQ(scale.place_of(1), 10);
  EXPECT_DOUBLE_EQ(scale.place_of(10), 20);
  EXPECT_DOUBLE_EQ(scale.place_of(100), 30);
}

TEST(LabelPlaces, NoLabelCoversAnother) {
  std::mt19937 random(1);  // the same numbers each time
  std::uniform_real_distribution<double> place(0, 400);
  const LabelBox room{0, 0, 400, 400};
  LabelPlaces places(room);
  std::vector<LabelBox> taken;
  for (int i = 0; i < 60; ++i) {
    const auto found = places.take({{place(random), place(random)}}, 70, 14);
    if (!found) continue;
    EXPECT_TRUE(found->box.left >= 0 && found->box.right <= 400 && found->box.top >= 0 &&
                found->box.bottom <= 400);
    for (const LabelBox& other : taken) EXPECT_FALSE(found->box.meets(other));
    taken.push_back(found->box);
  }
  EXPECT_GT(taken.size(), 20U);
}

TEST(LabelPlaces, MarkersAndLinesStayFree) {
  LabelPlaces places({0, 0, 400, 400});
  places.avoid_marker(130, 100);
  places.avoid_line(0, 90, 400, 90);
  const auto found = places.take({{100, 100}}, 50, 14);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->box.meets({125, 95, 135, 105}));
  EXPECT_FALSE(found->box.meets({0, 89, 400, 91}));
}

RooflinePlot roofline(size_t points) {
  RooflinePlot plot;
  plot.roofs = {{{"read: 4000 GB/s", 4000}, {{"float32: 60000 GFLOP/s", 60000}}}};
  plot.groups = {{"cold", {}}};
  for (size_t i = 0; i < points; ++i) {
    const double x = 0.25 * static_cast<double>(i / 4 + 1);
    plot.groups[0].points.push_back(
        {"n=" + std::to_string(i), x, 200 + 40 * static_cast<double>(i % 4), 4000 * x});
  }
  return plot;
}

TEST(DrawRoofline, BothRoofsTheRidgeAndNamedPoints) {
  const DrawnPlot drawn = draw(roofline(3));
  EXPECT_EQ(occurrences(drawn.svg, "class=\"roof\""), 2U);
  EXPECT_EQ(occurrences(drawn.svg, "class=\"ridge\""), 1U);
  for (const char* text :
       {">ridge 15<", ">read: 4000 GB/s<", ">float32: 60000 GFLOP/s<", ">n=0<", ">n=1<", ">n=2<",
        ">arithmetic intensity, flop/byte<", ">performance, GFLOP/s<", "20.0 % of its roof"}) {
    EXPECT_THAT(drawn.svg, HasSubstr(text));
  }
  EXPECT_TRUE(drawn.points.empty());
  EXPECT_EQ(drawn.remark, "");
  ASSERT_EQ(drawn.keys.size(), 1U);
  EXPECT_EQ(drawn.keys[0].label, "cold");
  EXPECT_EQ(drawn.svg, draw(roofline(3)).svg);
}

TEST(DrawRoofline, ManyPointsHaveNumbers) {
  const DrawnPlot drawn = draw(roofline(40));
  ASSERT_EQ(drawn.points.size(), 40U);
  EXPECT_EQ(drawn.points[0], "n=3, cold: 0.250 flop/byte, 320.0 GFLOP/s, 32.0 % of its roof");
  EXPECT_THAT(drawn.svg, Not(HasSubstr(">n=0<")));
  EXPECT_TRUE(std::regex_search(drawn.svg, std::regex(">1(–\\d+)?<")));
  EXPECT_TRUE(std::regex_search(drawn.svg, std::regex(">(\\d+–)?40<")));
}

TEST(DrawRoofline, WithoutAPeakTheMemoryIsTheOnlyRoof) {
  RooflinePlot plot = roofline(2);
  plot.roofs[0].peaks.clear();
  const DrawnPlot drawn = draw(plot);
  EXPECT_EQ(occurrences(drawn.svg, "class=\"roof\""), 1U);
  EXPECT_EQ(occurrences(drawn.svg, "class=\"ridge\""), 0U);
  EXPECT_THAT(drawn.remark, HasSubstr("No compute roof"));
}

TEST(DrawLines, MarkersDashesAndBandsTellLinesApart) {
  LinePlot plot;
  plot.x_label = "n";
  plot.y_label = "GB/s";
  plot.log_y = false;
  plot.lines = {{"<cold>", {1024, 4096}, {10, 20}, {9, 19}, {11, 21}, 0, false},
                {"hot", {1024, 4096}, {15, 15}, {}, {}, 1, true}};
  plot.levels = {{"copy: 30 GB/s", 30}};
  const DrawnPlot drawn = draw(plot);
  for (const char* part :
       {"class=\"band\"", "class=\"line\"", "class=\"line dashed\"", "class=\"mark hollow\"",
        ">copy: 30 GB/s<", "class=\"level\"", "<g class=\"c1\">", ">2<tspan class=\"raised\"",
        "<title>&lt;cold&gt;, n 2^10: 10 (9 to 11) GB/s</title>"}) {
    EXPECT_THAT(drawn.svg, HasSubstr(part));
  }
  EXPECT_EQ(occurrences(drawn.svg, "<title>"), 4U);
  EXPECT_THAT(drawn.svg,
              AllOf(Not(HasSubstr("<cold>")), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  ASSERT_EQ(drawn.keys.size(), 2U);
  EXPECT_EQ(drawn.keys[0].label, "<cold>");  // the page escapes it
  EXPECT_NE(drawn.keys[0].sample, drawn.keys[1].sample);
}

TEST(DrawLines, WhatIsNoNumberHasNoBand) {
  LinePlot plot;
  plot.x_label = "n";
  plot.y_label = "µs";
  plot.lines = {{"cold", {1, 2}, {7, 8}, {0, 7}, {INFINITY, 9}, 0, false}};
  EXPECT_THAT(draw(plot).svg, AllOf(HasSubstr("class=\"line\""), Not(HasSubstr("class=\"band\"")),
                                    Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  plot.lines = {};
  EXPECT_THAT(draw(plot).svg, Not(HasSubstr("nan")));
}

TEST(DrawLines, NamesAndEqualValuesHavePlaces) {
  LinePlot plot;
  plot.x_label = "kernel";
  plot.y_label = "µs";
  plot.log_x = false;
  plot.x_names = {"naive^2", std::string(200, 'x')};
  plot.lines = {{"cold", {0, 1}, {7, 7}, {7, 7}, {7, 7}, 0, false}};
  const DrawnPlot drawn = draw(plot);
  EXPECT_THAT(drawn.svg, AllOf(HasSubstr(">naive^2<"), HasSubstr("x…<"), Not(HasSubstr("nan")),
                               Not(HasSubstr("inf"))));
}

TEST(DrawStrips, SamplesFarOutAreArrows) {
  const DrawnPlot drawn =
      draw(StripPlot{"% off the median",
                     {{"n=4 cold", {-1, 0, 1, 500}, -0.5, 0, 0.5}, {"n=8 cold", {0}, 0, 0, 0}}});
  const DrawnPlot of_long = draw(StripPlot{"%", {{std::string(200, 'x') + " hot", {0}, 0, 0, 0}}});
  EXPECT_THAT(of_long.svg, AllOf(HasSubstr("x hot<"), HasSubstr(">…x")));
  EXPECT_EQ(occurrences(drawn.svg, "class=\"box\""), 2U);
  EXPECT_EQ(occurrences(drawn.svg, "class=\"mark\""), 1U);
  EXPECT_THAT(drawn.svg, AllOf(HasSubstr(">n=4 cold<"), HasSubstr(">% off the median<"),
                               HasSubstr(">+20<"), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace warpmark
