// Cases under the roofs of their device.
#include "report/bench/roofline_plots.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

// The cases of one suite, with flops and a peak.
std::vector<NamedResult> computed(const std::vector<std::string>& names = {"sweep"}) {
  std::vector<BenchResult> results;
  for (const std::string& name : names) {
    BenchResult result = read_bench_result(std::filesystem::path(WARPMARK_SOURCE_DIR) /
                                           "tests/results" / (name + ".jsonl"));
    for (BenchCase& one : result.cases) {
      one.suite = "tuned";
      one.bytes = 1000;
      one.flops = 250;
      one.peak_flops_per_s = 6e13;
      one.peak_dtype = "float32";
    }
    results.push_back(std::move(result));
  }
  return name_results(std::move(results));
}

std::optional<RooflinePlot> plot_of(const std::vector<NamedResult>& results) {
  return roofline_plot(results, plot_points(results, "tuned"));
}

TEST(RooflinePlots, EachCaseIsOnePoint) {
  const std::vector<NamedResult> results = computed();
  const auto plot = plot_of(results);
  ASSERT_TRUE(plot);
  ASSERT_EQ(plot->groups.size(), 2U);
  EXPECT_EQ(plot->groups[0].label, "float32, cold");  // each case also has a hot series
  EXPECT_EQ(plot->groups[1].label, "float64, cold");
  ASSERT_EQ(plot->groups[0].points.size(), 24U);
  const RooflinePlot::Point& point = plot->groups[0].points[0];
  EXPECT_EQ(point.name, results[0].result.cases[0].point_text());
  EXPECT_DOUBLE_EQ(point.x, 0.25);
  const double seconds = results[0].result.cases[0].series[0].summary.median;
  EXPECT_DOUBLE_EQ(point.y, 250 / seconds / 1e9);
  EXPECT_DOUBLE_EQ(point.roof, 0.25 * 4410);  // left of the ridge
  ASSERT_EQ(plot->roofs.size(), 1U);
  EXPECT_EQ(plot->roofs[0].memory.label, "read: 4410 GB/s");
  ASSERT_EQ(plot->roofs[0].peaks.size(), 1U);
  EXPECT_EQ(plot->roofs[0].peaks[0].label, "float32: 60000 GFLOP/s");
}

TEST(RooflinePlots, AGivenPeakIsCalledSo) {
  std::vector<NamedResult> results = computed();
  for (BenchCase& one : results[0].result.cases) one.peak_dtype = "";
  EXPECT_EQ(plot_of(results)->roofs.at(0).peaks.at(0).label, "given peak: 60000 GFLOP/s");
}

TEST(RooflinePlots, WithoutAPeakOfTheCasesThoseOfTheRunAreRoofs) {
  std::vector<NamedResult> results = computed();
  for (BenchCase& one : results[0].result.cases) one.peak_flops_per_s.reset();
  EXPECT_TRUE(plot_of(results)->roofs.at(0).peaks.empty());
  results[0].result.ceilings->float32_flops_per_s = 6.52e13;
  const auto plot = plot_of(results);
  ASSERT_EQ(plot->roofs.at(0).peaks.size(), 1U);
  EXPECT_EQ(plot->roofs[0].peaks[0].label, "float32: 65200 GFLOP/s");
}

TEST(RooflinePlots, ResultsAreGroupsAndHaveRoofsOfTheirOwn) {
  std::vector<NamedResult> results = computed({"sweep", "h200"});
  results[1].result.ceilings->read_bytes_per_s /= 2;
  const auto plot = plot_of(results);
  EXPECT_EQ(plot->groups.at(0).label, "float32, sweep, cold");
  EXPECT_EQ(plot->groups.at(2).label, "float32, h200, cold");
  ASSERT_EQ(plot->roofs.size(), 2U);
  EXPECT_EQ(plot->roofs[1].memory.label, "read of h200: 2205 GB/s");
  ASSERT_EQ(plot->roofs[1].peaks.size(), 1U);  // its ridge is another
  EXPECT_EQ(plot->roofs[1].peaks[0].label, "float32 of h200: 60000 GFLOP/s");
  results[1].result.ceilings = results[0].result.ceilings;
  EXPECT_EQ(plot_of(results)->roofs.size(), 1U);
}

TEST(RooflinePlots, NothingWithoutWorkOrRoofs) {
  std::vector<NamedResult> results = computed();
  for (BenchCase& one : results[0].result.cases) one.flops = 0;
  EXPECT_FALSE(plot_of(results));
  for (BenchCase& one : results[0].result.cases) one.flops.reset();
  EXPECT_FALSE(plot_of(results));
  results = computed();
  for (BenchCase& one : results[0].result.cases) {
    for (BenchSeries& series : one.series)
      series.summary.median = 0;  // of a journal that is made up
  }
  EXPECT_FALSE(plot_of(results));
  results = computed();
  results[0].result.ceilings.reset();  // as of a device that counts
  EXPECT_FALSE(plot_of(results));
  results = computed();
  for (BenchCase& one : results[0].result.cases) {
    for (BenchSeries& series : one.series) series.mode = TimingMode::upload;
  }
  EXPECT_FALSE(plot_of(results));
}

}  // namespace
}  // namespace warpmark
