#include "results/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

namespace warpmark {
namespace {

constexpr size_t kProcesses = 5;

/// Runs of five processes each, with known components of variance: between the processes of a run,
/// and between runs.
class Runs {
 public:
  Runs(double between_processes, double between_runs)
      : between_processes_(between_processes), between_runs_(between_runs) {
    std::cout << "seed " << seed_ << "\n";
  }

  LogTime run(double level) {
    const double place = level + between_runs_ * noise_(random_);
    std::vector<double> logs(kProcesses);
    for (double& log : logs) log = place + between_processes_ * noise_(random_);
    const Mean mean = mean_of(logs);
    return {mean.value, mean.error * mean.error, mean.freedom};
  }

  /// The logarithm of the time of each run.
  std::vector<LogTime> series(const std::vector<double>& levels) {
    std::vector<LogTime> values;
    for (const double level : levels) values.push_back(run(level));
    return values;
  }

  std::vector<std::vector<LogTime>> unchanged(size_t points, size_t runs) {
    std::vector<std::vector<LogTime>> all;
    for (size_t i = 0; i < points; ++i) all.push_back(series(std::vector<double>(runs, 0)));
    return all;
  }

 private:
  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  std::normal_distribution<double> noise_;
  double between_processes_, between_runs_;
};

std::vector<double> step(size_t before, size_t after, double ratio) {
  std::vector<double> levels(before, 0);
  levels.resize(before + after, std::log(ratio));
  return levels;
}

std::vector<LogTime> exact(const std::vector<double>& levels, double error = 0.002) {
  std::vector<LogTime> values;
  for (size_t i = 0; i < levels.size(); ++i) {
    // Deviations that no random numbers are needed for.
    const double deviation = error * (i % 3 == 0 ? 0.8 : i % 3 == 1 ? -0.6 : -0.1);
    values.push_back({levels[i] + deviation, error * error, 4});
  }
  return values;
}

SeriesChanges changes_of(const std::vector<LogTime>& values) {
  return find_changes({values}).at(0);
}

std::vector<size_t> places(const SeriesChanges& changes) {
  std::vector<size_t> all;
  for (const ChangePoint& step : changes.steps) all.push_back(step.at);
  return all;
}

TEST(ChangePoints, OfTwoValuesAreWelchs) {
  const LogTime before{0, 1e-5, 3.5}, after{0.05, 3e-5, 2.5};
  const SeriesChanges changes = changes_of({before, after});
  ASSERT_EQ(changes.steps.size(), 1U);
  const RatioOfTimes ratio = ratio_of(after, before);
  EXPECT_NEAR(changes.steps[0].ratio.tail, ratio.tail, 1e-12);
  EXPECT_NEAR(changes.steps[0].ratio.low, ratio.low, 1e-12);
  EXPECT_NEAR(changes.steps[0].ratio.value, ratio.value, 1e-12);
}

TEST(ChangePoints, AStepIsFoundWhereItIs) {
  for (size_t at = 1; at < 6; ++at) {
    const SeriesChanges changes = changes_of(exact(step(at, 6 - at, 1.08)));
    ASSERT_EQ(places(changes), std::vector<size_t>{at});
    EXPECT_NEAR(changes.steps[0].ratio.value, 1.08, 0.004);
    EXPECT_LT(changes.steps[0].ratio.low, 1.08);
    EXPECT_GT(changes.steps[0].ratio.high, 1.08);
    EXPECT_FALSE(changes.drift);
  }
}

TEST(ChangePoints, SeveralStepsAreFound) {
  const double up = std::log(1.08), more = std::log(1.3);
  EXPECT_EQ(places(changes_of(exact({0, 0, 0, up, up, 0, 0, 0, 0}))), (std::vector<size_t>{3, 5}))
      << "what comes back";
  EXPECT_EQ(places(changes_of(exact({0, 0, 0, 0, up, 0, 0, 0}))), (std::vector<size_t>{4, 5}))
      << "in a single run";
  EXPECT_EQ(places(changes_of(exact({0, 0, up, up, -up, -up}))), (std::vector<size_t>{2, 4}));
  EXPECT_EQ(places(changes_of(exact({0, 0, 0, more, more, more, up, up}))),
            (std::vector<size_t>{3, 6}));
}

TEST(ChangePoints, WhatIsBelowTheLeastEffectIsNone) {
  const std::vector<LogTime> values = exact(step(5, 5, 1.015), 0.0005);
  EXPECT_TRUE(changes_of(values).steps.empty());
  EXPECT_EQ(places(find_changes({values}, {0.01, 0.05}).at(0)), std::vector<size_t>{5});
  // Two of them are one.
  const double half = std::log(1.015);
  EXPECT_EQ(changes_of(exact({0, 0, 0, half, 2 * half, 2 * half, 2 * half}, 0.0005)).steps.size(),
            1U);
}

TEST(ChangePoints, ADriftIsNoStep) {
  std::vector<double> levels;
  for (int i = 0; i < 8; ++i) levels.push_back(0.008 * i);
  const SeriesChanges changes = changes_of(exact(levels, 0.001));
  EXPECT_TRUE(changes.steps.empty());
  ASSERT_TRUE(changes.drift);
  EXPECT_NEAR(changes.drift->value, std::exp(0.056), 0.002);
  EXPECT_LT(changes.drift->tail, 0.001);
  // One too slow to matter, and too few runs to tell.
  for (double& level : levels) level /= 4;
  EXPECT_FALSE(changes_of(exact(levels, 0.001)).drift);
  EXPECT_FALSE(changes_of(exact({0, 0.02, 0.04, 0.06}, 0.001)).drift);
}

TEST(ChangePoints, ARunThatVariesMoreKeepsItsVariance) {
  std::vector<LogTime> values = exact(std::vector<double>(12, 0));
  values[6] = {0.05, 0.03 * 0.03, 4};
  EXPECT_TRUE(changes_of(values).steps.empty());
  values[6].variance = values[5].variance;
  EXPECT_EQ(places(changes_of(values)), (std::vector<size_t>{6, 7}));
}

TEST(ChangePoints, AStepOfAllSeriesIsNoVariationBetweenRuns) {
  Runs runs(0.005, 0);
  std::vector<std::vector<LogTime>> all;
  for (int i = 0; i < 20; ++i) all.push_back(runs.series(step(2, 1, 1.1)));
  for (const SeriesChanges& changes : find_changes(all)) {
    EXPECT_EQ(places(changes), std::vector<size_t>{2});
  }
}

TEST(ChangePoints, NothingIsFoundInNothing) {
  EXPECT_TRUE(find_changes({}).empty());
  EXPECT_TRUE(changes_of({}).steps.empty());
  EXPECT_TRUE(changes_of({{0, 1, 4}}).steps.empty());
}

/// Six standard deviations above a rate that is expected.
double most_of(int trials, double rate) {
  return trials * rate + 6 * std::sqrt(trials * rate * (1 - rate)) + 1;
}

bool any_change(const std::vector<std::vector<LogTime>>& series,
                const ChangeOptions& options = {}) {
  for (const SeriesChanges& changes : find_changes(series, options)) {
    if (!changes.steps.empty() || changes.drift) return true;
  }
  return false;
}

/// Histories of unchanged code, processes with a standard deviation of 1 %. `rate` is how many of 1000
/// or 4000 had any change point.
TEST(ChangePoints, FalseAlarmsAreRare) {
  struct Row {
    double between_runs;
    size_t points, runs;
    double effect, rate;
  };
  const Row rows[] = {{0, 1, 3, 0.02, 0.0005},
                      {0, 1, 20, 0.02, 0.0005},
                      {0, 40, 6, 0.02, 0.004},
                      {0.003, 1, 6, 0.02, 0.002},
                      {0.003, 40, 6, 0.02, 0.03},
                      {0.01, 40, 6, 0.02, 0.066},
                      {0.01, 40, 20, 0.02, 0.047},
                      // So few hardly show that runs vary by as much as processes do.
                      {0.01, 40, 3, 0.02, 0.15},
                      {0.01, 1, 3, 0.02, 0.27},
                      // Rates without a least effect, which hides most alarms.
                      {0, 1, 3, 0, 0.065},
                      {0, 1, 6, 0, 0.028},
                      {0, 1, 20, 0, 0.022},
                      {0, 40, 6, 0, 0.037},
                      {0, 40, 20, 0, 0.035}};
  for (const Row& row : rows) {
    Runs runs(0.01, row.between_runs);
    const int trials = row.points == 1 ? 1000 : 60;
    int alarms = 0;
    for (int i = 0; i < trials; ++i) {
      alarms += any_change(runs.unchanged(row.points, row.runs), {row.effect, 0.05}) ? 1 : 0;
    }
    EXPECT_LE(alarms, most_of(trials, row.rate))
        << row.points << " points, " << row.runs << " runs, " << row.between_runs;
  }
}

/// A step of 5 % in one of the points, processes with a standard deviation of 1 %: `rate` is how many
/// of 500 or 2000 were found at the right place, and alone.
TEST(ChangePoints, AStepOf5PercentIsFound) {
  struct Row {
    size_t points, before, after;
    double rate;
  };
  const Row rows[] = {{1, 2, 1, 0.998},  {1, 3, 3, 0.998},   {1, 5, 1, 0.989},
                      {40, 3, 3, 0.966}, {40, 19, 1, 0.988}, {40, 10, 10, 0.999}};
  for (const Row& row : rows) {
    Runs runs(0.01, 0);
    const int trials = row.points == 1 ? 1000 : 60;
    int missed = 0;
    for (int i = 0; i < trials; ++i) {
      auto all = runs.unchanged(row.points - 1, row.before + row.after);
      all.push_back(runs.series(step(row.before, row.after, 1.05)));
      missed += places(find_changes(all).back()) == std::vector<size_t>{row.before} ? 0 : 1;
    }
    EXPECT_LE(missed, most_of(trials, 1 - row.rate)) << row.points << " points, " << row.before;
  }
}

}  // namespace
}  // namespace warpmark
