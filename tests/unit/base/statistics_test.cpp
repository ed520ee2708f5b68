// Quantiles and the median's interval, against values from NumPy and SciPy.
#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "base/error.hpp"

namespace warpmark {
namespace {

std::vector<double> count_to(size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Quantile, IsNumPys) {
  const std::vector<double> four = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(four, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(four, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(four, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(four, 0.9), 6.8);
  EXPECT_DOUBLE_EQ(quantile(four, 1), 8);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{7}, 0.3), 7);
  EXPECT_THROW(quantile({}, 0.5), Error);
}

TEST(Quantile, LooksAtNothingBehindTheSamples) {
  const std::vector<double> longer = {1, 2, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(quantile(std::span(longer).first(2), 1), 2);
  EXPECT_EQ(quantile(std::span(longer).first(1), 0.5), 1);
}

// Ranks from scipy.stats.binom.ppf(0.025, n, 0.5), coverages from its cdf.
TEST(MedianInterval, HasTheRanksOfTheBinomialDistribution) {
  const Interval six = median_interval(count_to(6));
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
  EXPECT_NEAR(six.confidence, 0.96875, 1e-12);
  const Interval ten = median_interval(count_to(10));
  EXPECT_EQ(ten.low, 2);
  EXPECT_EQ(ten.high, 9);
  EXPECT_NEAR(ten.confidence, 0.978515625, 1e-12);
  const Interval hundred = median_interval(count_to(100));
  EXPECT_EQ(hundred.low, 40);
  EXPECT_EQ(hundred.high, 61);
  EXPECT_NEAR(hundred.confidence, 0.9647997997822952, 1e-10);
}

TEST(MedianInterval, TakesTheShortestThatHasExactlyWhatIsAsked) {
  // P(B(8, 1/2) <= 1) = 9/256, which is twice missed by a confidence of 1 - 18/256.
  const Interval interval = median_interval(count_to(8), 0.9296875);
  EXPECT_EQ(interval, (Interval{2, 7, 0.9296875}));
}

TEST(MedianInterval, SaysHowLittleFewSamplesShow) {
  const Interval one = median_interval(count_to(1));
  EXPECT_EQ(one, (Interval{1, 1, 0}));
  const Interval two = median_interval(count_to(2));
  EXPECT_EQ(two, (Interval{1, 2, 0.5}));
  EXPECT_EQ(median_interval(count_to(5)), (Interval{1, 5, 0.9375}));
  EXPECT_THROW(median_interval({}), Error);
}

TEST(MedianInterval, IsExactForMoreSamplesThanADoubleCanCount) {
  const Interval many = median_interval(count_to(5000));
  EXPECT_EQ(many.low + many.high, 5001);
  EXPECT_NEAR(many.low, 2500 - 1.96 * std::sqrt(5000) / 2, 2);
  EXPECT_GE(many.confidence, 0.95);
  EXPECT_LT(many.confidence, 0.96);
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> times(0, 1);  // its median is 1
  int held = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> samples(25);
    for (double& sample : samples) sample = times(random);
    std::sort(samples.begin(), samples.end());
    const Interval interval = median_interval(samples);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  // 95.7 % for 25 samples; six standard deviations are 1.9 %.
  EXPECT_NEAR(static_cast<double>(held) / kRuns, 0.957, 0.02);
}

TEST(Summary, OfUnsortedSamples) {
  const Summary summary = summarize({3, 1, 2, 5, 4, 6});
  EXPECT_EQ(summary.count, 6U);
  EXPECT_EQ(summary.median, 3.5);
  EXPECT_EQ(summary.q1, 2.25);
  EXPECT_EQ(summary.q3, 4.75);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 6);
  EXPECT_DOUBLE_EQ(summary.half_width(), 2.5 / 3.5);
}

TEST(Summary, HalfWidth) {
  EXPECT_TRUE(std::isinf(summarize({2}).half_width()));
  EXPECT_EQ(summarize({2, 2, 2}).half_width(), 0);
  EXPECT_EQ(summarize({0, 0}).half_width(), 0);
  EXPECT_TRUE(std::isinf(summarize({-1, 1}).half_width()));
  EXPECT_THROW(summarize({}), Error);
}

// From scipy.stats.t of SciPy 1.16: 2 * sf(t, freedom), and isf(tail / 2, freedom).
TEST(Student, TailsAreSciPys) {
  struct Row {
    double t, freedom, tail;
  };
  for (const Row& row : {Row{0.5, 1, 0.7048327646991335}, Row{2.776445, 4, 0.05000000538209156},
                         Row{2.0, 7.3, 0.08394103933410313}, Row{4.5, 4, 0.01082255046260825},
                         Row{12, 4, 0.000276428548502973}, Row{0.001, 2, 0.9992928933955901},
                         Row{3, 1000, 0.002766709044238193}}) {
    EXPECT_NEAR(student_tail(row.t, row.freedom), row.tail, 1e-13) << row.t;
    EXPECT_EQ(student_tail(-row.t, row.freedom), student_tail(row.t, row.freedom));
  }
  EXPECT_EQ(student_tail(std::numeric_limits<double>::infinity(), 4), 0);
  EXPECT_EQ(student_tail(1e200, 4), 0) << "its square is infinite";
}

TEST(Student, QuantilesAreSciPys) {
  struct Row {
    double tail, freedom, t;
  };
  for (const Row& row : {Row{0.05, 4, 2.776445105197794}, Row{0.05, 8, 2.306004135204166},
                         Row{0.01, 3.5, 5.085702223091258}, Row{0.05, 1, 12.7062047361747},
                         Row{0.05, 1e6, 1.959966356814107}}) {
    EXPECT_NEAR(student_quantile(row.tail, row.freedom), row.t, 1e-9 * row.t);
  }
  const double small = student_quantile(0.9, 5);
  EXPECT_LT(small, 1);
  EXPECT_NEAR(student_tail(small, 5), 0.9, 1e-12);
}

// From scipy.stats.f.sf of SciPy 1.10.
TEST(FTail, IsThatOfSciPy) {
  struct Row {
    double f, above, below, tail;
  };
  const Row rows[] = {{3.5, 4, 20, 0.025385230866441275},
                      {1, 2, 3, 0.46475800154489},
                      {0.2, 10, 5, 0.985131199591887},
                      {10, 1, 240, 0.0017671239498724337},
                      {1.5, 30, 1e4, 0.03891821108160516}};
  for (const Row& row : rows) {
    EXPECT_NEAR(f_tail(row.f, row.above, row.below), row.tail, 1e-12) << row.f;
  }
  EXPECT_EQ(f_tail(0, 4, 20), 1);
  EXPECT_EQ(f_tail(std::numeric_limits<double>::infinity(), 4, 20), 0);
}

TEST(Mean, HasTheErrorOfIndependentValues) {
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const Mean mean = mean_of(values);
  EXPECT_DOUBLE_EQ(mean.value, 3);
  EXPECT_DOUBLE_EQ(mean.error, std::sqrt(2.5 / 5));
  EXPECT_EQ(mean.freedom, 4);
  const Interval interval = mean.interval();
  EXPECT_NEAR(interval.low, 3 - 2.776445105197794 * std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(interval.high, 3 + 2.776445105197794 * std::sqrt(0.5), 1e-9);
  const Mean same = mean_of(std::vector<double>{2, 2, 2});
  EXPECT_EQ(same.interval().low, 2);
  EXPECT_EQ(same.interval().high, 2);
  const Mean one = mean_of(std::vector<double>{7});
  EXPECT_TRUE(std::isinf(one.error));
  EXPECT_EQ(one.freedom, 0);
  EXPECT_EQ(one.interval().confidence, 0);
  EXPECT_NEAR(mean_of(std::vector<double>{1, 3}).interval().high, 2 + 12.7062047361747, 1e-9);
  EXPECT_THROW(mean_of({}), Error);
}

// The error is that of scipy.stats.mstats.trimmed_stde(values, limits=(0.2, 0.2)).
TEST(TrimmedMean, LeavesAFifthOutAtEitherEnd) {
  const Mean five = trimmed_mean({30, 1, 2, 4, 8});
  EXPECT_DOUBLE_EQ(five.value, 14.0 / 3);
  EXPECT_DOUBLE_EQ(five.error, 2.2607766610417563);
  EXPECT_EQ(five.freedom, 2);
  const Mean eleven = trimmed_mean({7, 100, 3, -50, 4, 6, 1, 5, 8, 2, 40});
  EXPECT_DOUBLE_EQ(eleven.value, 5);
  EXPECT_DOUBLE_EQ(eleven.error, 1.1986386836230305);
  EXPECT_EQ(eleven.freedom, 6);
  const Mean four = trimmed_mean({5, 1, 9, 2});
  EXPECT_DOUBLE_EQ(four.value, 4.25);
  EXPECT_DOUBLE_EQ(four.error, 1.796988221070652);
  EXPECT_EQ(trimmed_mean({7}).value, 7);
  EXPECT_THROW(trimmed_mean({}), Error);
}

// One pair was taken while something else ran: it is in no level.
TEST(PairedLevels, DifferByTheDifferenceOfNeighbours) {
  const std::vector<double> first = {10, 12, 11, 500, 9, 10.5, 11.5};
  const std::vector<double> second = {9, 11.5, 10, 480, 9.5, 9, 11};
  const PairedLevels levels = paired_levels(first, second);
  EXPECT_DOUBLE_EQ(levels.first, 11);
  EXPECT_DOUBLE_EQ(levels.second, 10.1);
  EXPECT_DOUBLE_EQ(levels.error, 0.23804761428476162);
  const PairedLevels exchanged = paired_levels(second, first);
  EXPECT_DOUBLE_EQ(exchanged.first, levels.second);
  EXPECT_DOUBLE_EQ(exchanged.second, levels.first);
  EXPECT_DOUBLE_EQ(exchanged.error, levels.error);
  EXPECT_THROW(paired_levels(first, std::span(second).first(6)), Error);
  EXPECT_THROW(paired_levels({}, {}), Error);
}

// The example of statsmodels.stats.multitest.multipletests(method="holm").
TEST(Holm, AdjustsBehindTheSmallest) {
  const std::vector<double> adjusted = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06) << "never less than that of a smaller one";
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
  EXPECT_EQ(holm(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace warpmark
