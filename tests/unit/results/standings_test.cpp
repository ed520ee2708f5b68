// Which point of a sweep is best, and each point against its base.
#include "results/standings.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace warpmark {
namespace {

// Five processes around `seconds`, the outermost `spread` (a share of it) away.
BenchSeries timed(double seconds, double spread = 0.002, TimingMode mode = TimingMode::cold) {
  BenchSeries series;
  series.mode = mode;
  series.summary.median = seconds;
  series.summary.count = 25;
  for (int i = -2; i <= 2; ++i) {
    BenchProcess process;
    process.count = 5;
    process.median_s = seconds * (1 + spread * i / 2);
    series.processes.push_back(process);
  }
  return series;
}

struct Points {
  SweepSettings settings;
  std::deque<BenchSeries> series;
  std::vector<RankedPoint> points;

  void add(const std::string& id, BenchSeries one) {
    series.push_back(std::move(one));
    points.push_back({id, &settings, &series.back(), std::nullopt});
  }
};

TEST(Standings, OneOfEachSweepIsBest) {
  Points all;
  all.settings.axes = {"block", "items"};
  all.add("s.n=1,block=64,items=4", timed(2e-6));
  all.add("s.n=1,block=128,items=2", timed(1e-6));
  all.add("s.n=2,block=64,items=4", timed(3e-6));
  all.add("s.n=2,block=128,items=2", timed(3.001e-6));
  all.add("t.n=2,block=128,items=2", timed(1e-9));  // a suite of its own
  const std::vector<Standing> found = standings(all.points);
  EXPECT_FALSE(found[0].best);
  EXPECT_NEAR(found[0].to_best->value, 2, 1e-9);
  EXPECT_LT(found[0].to_best->low, 2);
  EXPECT_GT(found[0].to_best->high, 2);
  EXPECT_FALSE(found[0].as_good);
  EXPECT_TRUE(found[1].best);
  EXPECT_FALSE(found[1].to_best);
  EXPECT_TRUE(found[2].best);
  EXPECT_TRUE(found[3].as_good);  // 0.03 % off, known to 0.3 %
  EXPECT_FALSE(found[4].best);    // alone
}

TEST(Standings, ModesStandApart) {
  Points all;
  all.settings.axes = {"block"};
  all.add("s.block=64", timed(2e-6));
  all.add("s.block=128", timed(3e-6));
  all.add("s.block=64", timed(2e-6, 0.002, TimingMode::hot));
  all.add("s.block=128", timed(1e-6, 0.002, TimingMode::hot));
  const std::vector<Standing> found = standings(all.points);
  EXPECT_TRUE(found[0].best);
  EXPECT_FALSE(found[2].best);
  EXPECT_TRUE(found[3].best);
}

TEST(Standings, EachPointAgainstItsBase) {
  Points all;
  all.settings.relative_to = {{"kernel", "naive"}};
  all.add("s.kernel=naive,n=1", timed(4e-6));
  all.add("s.kernel=tiled,n=1", timed(1e-6));
  all.add("s.kernel=tiled,n=2", timed(1e-6));  // whose base was not timed
  const std::vector<Standing> found = standings(all.points);
  EXPECT_TRUE(found[0].is_base);
  EXPECT_FALSE(found[0].to_base);
  EXPECT_NEAR(found[1].to_base->value, 0.25, 1e-9);
  EXPECT_FALSE(found[2].to_base);
  EXPECT_EQ(base_text(all.settings), "kernel=naive");
}

TEST(Standings, CountsAreExactAndBestAreOnlyTimes) {
  SweepSettings settings;
  settings.axes = {"block"};
  settings.relative_to = {{"kernel", "naive"}};
  const std::vector<Standing> found =
      standings({{"s.kernel=naive,block=1", &settings, nullptr, 100},
                 {"s.kernel=tiled,block=1", &settings, nullptr, 150},
                 {"s.kernel=tiled,block=2", &settings, nullptr, 0}});
  EXPECT_FALSE(found[0].best);
  EXPECT_FALSE(found[1].to_best);
  EXPECT_EQ(found[1].to_base->value, 1.5);
  EXPECT_EQ(ratio_text(*found[1].to_base), "1.5×");
  EXPECT_FALSE(found[2].to_base);
}

TEST(Standings, WithoutSettingsThereAreNone) {
  Points all;
  all.add("s.default", timed(1e-6));
  all.add("s.n=1", timed(1e-6));
  all.points[0].sweep = nullptr;
  for (const Standing& one : standings(all.points)) {
    EXPECT_FALSE(one.best || one.is_base || one.to_best || one.to_base);
  }
  EXPECT_TRUE(standings({}).empty());
}

TEST(Labels, AreReadFromIds) {
  EXPECT_EQ(labels_of("a/b.n=4,t=x/1.5~y"),
            (std::vector<std::pair<std::string, std::string>>{{"n", "4"}, {"t", "x/1.5~y"}}));
  EXPECT_TRUE(labels_of("a.default").empty());
  EXPECT_TRUE(labels_of("").empty());
  EXPECT_EQ(labels_text("a.n=4,t=x,k=1", {"k", "n"}), "n=4,k=1");
}

TEST(RatioText, HasHalfTheInterval) {
  EXPECT_EQ(ratio_text({0.21341, 0.2130, 0.2138}), "0.2134× ±0.19 %");
}

}  // namespace
}  // namespace warpmark
