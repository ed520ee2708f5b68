// The lines at the end of a bench.
#include "report/bench/sweep_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/results/example_measurement.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;

TimedCase timed(double cold, double hot) {
  Measurement one = testing_results::measurement();
  one.series = {testing_results::series(TimingMode::cold, cold, 0.001, 25),
                testing_results::series(TimingMode::hot, hot, 0.001, 25)};
  TimedCase times = testing_results::timed(one);
  times.sweep.axes = {"block"};
  times.sweep.relative_to = {{"kernel", "naive"}};
  return times;
}

TEST(SweepSummary, NamesTheBestAndComparesWithBases) {
  const std::vector<SweptCase> cases = {
      swept_case("s.kernel=naive,block=64", timed(4e-3, 2e-3)),
      swept_case("s.kernel=naive,block=128", timed(4.001e-3, 3e-3)),
      swept_case("s.kernel=tiled,block=64", timed(2e-3, 1e-3)),
      swept_case("s.kernel=tiled,block=128", timed(1e-3, 1e-3)),
      swept_case("s.kernel=tiled,block=256", timed(8e-3, 9e-3))};
  EXPECT_TRUE(cases[0].series[0].samples.empty());
  EXPECT_THAT(
      sweep_summary(cases),
      ElementsAre(
          "", "best of each sweep", "  s.kernel=naive: block=64, 4.000 ms; as good: block=128",
          "  s.kernel=naive hot: block=64, 2.000 ms; slowest: block=128, 1.5 times as long",
          "  s.kernel=tiled: block=128, 1.000 ms; slowest: block=256, 8 times as long",
          "  s.kernel=tiled hot: block=64, 1.000 ms; as good: block=128; slowest: "
          "block=256, 9 times as long",
          "", "compared", "  s.kernel=tiled,block=64: 0.5× ±0.28 % the time of kernel=naive",
          "  s.kernel=tiled,block=64 hot: 0.5× ±0.29 % the time of kernel=naive",
          "  s.kernel=tiled,block=128: 0.2499× ±0.29 % the time of kernel=naive",
          "  s.kernel=tiled,block=128 hot: 0.3333× ±0.29 % the time of kernel=naive"));
}

TEST(SweepSummary, HasNothingToSayWithoutSweeps) {
  EXPECT_TRUE(sweep_summary({}).empty());
  EXPECT_TRUE(sweep_summary({{"s.default", {}, {}, std::nullopt}}).empty());
}

TEST(SweepSummary, OfDevicesThatCountComparesInstructions) {
  SweepSettings settings;
  settings.axes = {"block"};
  settings.relative_to = {{"kernel", "naive"}};
  EXPECT_THAT(sweep_summary({{"s.kernel=naive,block=1", settings, {}, 1000},
                             {"s.kernel=tiled,block=1", settings, {}, 250}}),
              ElementsAre("", "compared",
                          "  s.kernel=tiled,block=1: 0.25× the instructions of kernel=naive"));
}

}  // namespace
}  // namespace warpmark
