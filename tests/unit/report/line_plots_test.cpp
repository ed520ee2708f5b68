// Pictures of suites with several axes.
#include "report/page/line_plots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmark {
namespace {

using testing::ElementsAre;

std::vector<NamedResult> swept() {
  std::vector<BenchResult> results;
  results.push_back(
      read_bench_result(std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results/sweep.jsonl"));
  return name_results(std::move(results));
}

LinePlots plots_of(const std::vector<NamedResult>& results, const std::string& x_axis = "") {
  return line_plots(results, plot_points(results, "tuned"), x_axis);
}

std::vector<std::string> captions(const LinePlots& plots) {
  std::vector<std::string> all;
  for (const CaptionedLines& one : plots.plots) all.push_back(one.caption);
  return all;
}

std::vector<std::string> labels(const LinePlot& plot) {
  std::vector<std::string> all;
  for (const PlotLine& line : plot.lines) all.push_back(line.label);
  return all;
}

TEST(LinePlots, FourAxesAreSmallPicturesWithShortLegends) {
  const LinePlots plots = plots_of(swept());
  EXPECT_EQ(plots.left_out, 0U);
  ASSERT_EQ(plots.plots.size(), 14U);  // 2 x 4 over n, 2 x 3 over block
  EXPECT_EQ(plots.plots[0].caption, "float32, block=64, items=8");
  EXPECT_EQ(plots.plots[0].plot.x_label, "n");
  EXPECT_THAT(labels(plots.plots[0].plot), ElementsAre("kernel=naive, cold", "kernel=naive, hot",
                                                       "kernel=tiled, cold", "kernel=tiled, hot"));
  EXPECT_EQ(plots.plots[8].caption, "float32, n=65536");
  EXPECT_EQ(plots.plots[8].plot.x_label, "block");
  // `items` goes along with `block`, and tells no lines apart.
  EXPECT_THAT(plots.plots[8].plot.lines[0].x, ElementsAre(64, 128, 256, 512));
}

TEST(LinePlots, ALevelFarAboveAllLinesIsLeftOut) {
  const LinePlots plots = plots_of(swept());
  EXPECT_EQ(plots.plots[0].plot.levels.size(), 1U);
  EXPECT_TRUE(plots.plots[8].plot.levels.empty());
}

TEST(LinePlots, AnyAxisCanBeToTheRight) {
  const LinePlots plots = plots_of(swept(), "kernel");
  ASSERT_FALSE(plots.plots.empty());
  const LinePlot& plot = plots.plots[0].plot;
  EXPECT_THAT(plot.x_names, ElementsAre("naive", "tiled"));
  EXPECT_FALSE(plot.log_x);
  EXPECT_THAT(plot.lines[0].x, ElementsAre(0, 1));
  EXPECT_THAT(labels(plot), testing::Contains("block=64, items=8, cold"));
  EXPECT_TRUE(plots_of(swept(), "nothing").plots.empty());
}

TEST(LinePlots, APageHasRoomForSome) {
  std::vector<NamedResult> results = swept();
  std::vector<BenchCase>& cases = results[0].result.cases;
  const BenchCase pattern = cases.front();
  cases.clear();
  for (int variant = 0; variant < 40; ++variant) {
    for (const char* kernel : {"a", "b"}) {
      for (const char* n : {"1", "2"}) {
        BenchCase one = pattern;
        one.sweep = {};
        one.point = {{"variant", "v" + std::to_string(variant)}, {"kernel", kernel}, {"n", n}};
        cases.push_back(one);
      }
    }
  }
  const LinePlots plots = plots_of(results);
  EXPECT_EQ(plots.plots.size(), 24U);
  EXPECT_EQ(plots.left_out, 16U);
}

TEST(LinePlots, GraphsAndCopiesHavePicturesOfTheirOwn) {
  std::vector<NamedResult> results = swept();
  for (BenchCase& one : results[0].result.cases) {
    BenchSeries graph = one.series[0], up = one.series[0];
    graph.mode = TimingMode::cold_graph;
    up.mode = TimingMode::pageable_upload;
    one.series.push_back(graph);
    one.series.push_back(up);
  }
  const std::vector<std::string> all = captions(plots_of(results));
  EXPECT_THAT(all, testing::Contains("float32, block=64, items=8, graphs"));
  EXPECT_THAT(all, testing::Contains("float32, block=64, items=8, uploads"));
  for (const CaptionedLines& one : plots_of(results).plots) {
    if (one.caption.ends_with("uploads")) {
      EXPECT_TRUE(one.plot.levels.empty());
    }
  }
}

}  // namespace
}  // namespace warpmark
