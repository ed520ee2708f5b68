#include "results/bench_comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <random>

#include "base/error.hpp"

namespace warpmark {
namespace {

const std::filesystem::path kResults = std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results";

BenchResult fixture(const std::string& name) {
  return read_bench_result(kResults / (name + ".jsonl"));
}

Summary around(double median, double low, double high, size_t count = 20,
               double confidence = 0.96) {
  Summary summary;
  summary.count = count;
  summary.median = summary.q1 = summary.q3 = median;
  summary.interval = {low, high, confidence};
  summary.min = low;
  summary.max = high;
  return summary;
}

/// A run of one case with one series.
BenchResult run_of(const Summary& summary, const std::string& id = "copy.n=1") {
  BenchResult result;
  result.device_name = "device";
  result.complete = true;
  BenchCase one;
  one.suite = "copy";
  one.id = id;
  BenchSeries series;
  series.summary = summary;
  one.series.push_back(series);
  result.cases.push_back(one);
  return result;
}

ComparedPoint compare(const Summary& baseline, const Summary& contender,
                      const ComparisonOptions& options = {}) {
  return compare_benches(run_of(baseline), run_of(contender), options).points.at(0);
}

ChangeVerdict verdict(const Summary& baseline, const Summary& contender) {
  return compare(baseline, contender).verdict;
}

TEST(RatioOfMedians, IsNarrowerThanTheCornersAndInvertsWhenExchanged) {
  const Summary slow = around(11, 10.8, 11.3), fast = around(10, 9.9, 10.05);
  const Ratio ratio = ratio_of_medians(slow, fast);
  EXPECT_DOUBLE_EQ(ratio.value, 1.1);
  EXPECT_GT(ratio.low, 10.8 / 10.05);
  EXPECT_LT(ratio.high, 11.3 / 9.9);
  // By hand: log(1.1) - sqrt(log²(11 / 10.8) + log²(10.05 / 10)).
  EXPECT_NEAR(ratio.low, std::exp(0.0953102 - std::hypot(0.0183492, 0.0049875)), 1e-6);
  const Ratio inverse = ratio_of_medians(fast, slow);
  EXPECT_NEAR(inverse.low, 1 / ratio.high, 1e-12);
  EXPECT_NEAR(inverse.high, 1 / ratio.low, 1e-12);
}

TEST(RatioOfMedians, AnIntervalWithoutWidthGivesOneWithout) {
  const Ratio ratio = ratio_of_medians(around(3, 3, 3), around(2, 2, 2));
  EXPECT_DOUBLE_EQ(ratio.low, 1.5);
  EXPECT_DOUBLE_EQ(ratio.high, 1.5);
}

TEST(RatioOfMedians, HoldsTheTrueRatioAsOftenAsItSays) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  // Skewed, as times are: a floor, and a tail above it.
  std::lognormal_distribution<double> tail(0, 0.5);
  const auto sampled = [&](double scale) {
    std::vector<double> samples(25);
    for (double& sample : samples) sample = scale * (1 + 0.05 * tail(random));
    return summarize(samples);
  };
  int held = 0;
  const int runs = 4000;
  for (int i = 0; i < runs; ++i) {
    const Ratio ratio = ratio_of_medians(sampled(1.1), sampled(1));
    held += static_cast<int>(ratio.low <= 1.1 && 1.1 <= ratio.high);
  }
  // 95 % and a little, as order statistics hold a little more; six standard deviations below.
  EXPECT_GT(held, runs * 0.95 - 6 * std::sqrt(runs * 0.95 * 0.05));
}

TEST(CompareTimes, VerdictsByIntervalAndEffect) {
  const Summary base = around(10, 9.99, 10.01);
  EXPECT_EQ(verdict(base, around(10.2, 10.19, 10.21)), ChangeVerdict::slower);
  EXPECT_EQ(verdict(base, around(9.8, 9.79, 9.81)), ChangeVerdict::faster);
  EXPECT_EQ(verdict(base, around(10.1, 10.09, 10.11)), ChangeVerdict::same);
  EXPECT_EQ(verdict(base, base), ChangeVerdict::same);
  // A great effect whose intervals meet shows nothing, and no sameness either.
  EXPECT_EQ(verdict(around(10, 9, 11), around(12, 10.9, 13)), ChangeVerdict::inconclusive);
  // Intervals apart, and yet too near and too wide for either.
  EXPECT_EQ(verdict(base, around(10.19, 10.1, 10.3)), ChangeVerdict::inconclusive);
}

TEST(CompareTimes, TheLeastEffectCounts) {
  const Summary base = around(100, 99.9, 100.1);
  ComparisonOptions options;
  options.least_effect = 0.05;
  EXPECT_EQ(compare(base, around(104.9, 104.8, 105), options).verdict, ChangeVerdict::inconclusive);
  EXPECT_EQ(compare(base, around(105, 104.9, 105.1), options).verdict, ChangeVerdict::slower);
  EXPECT_EQ(compare(base, around(103, 102.9, 103.1), options).verdict, ChangeVerdict::same);
  options.least_effect = 0;
  EXPECT_EQ(compare(base, around(100.3, 100.2, 100.4), options).verdict, ChangeVerdict::slower);
}

TEST(CompareTimes, ExchangingTheFilesExchangesTheVerdicts) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(0.95, 1.05), width(0, 0.02);
  const auto any = [&] {
    const double median = place(random);
    return around(median, median - width(random), median + width(random));
  };
  for (int i = 0; i < 2000; ++i) {
    const Summary a = any(), b = any();
    const ChangeVerdict there = verdict(a, b), back = verdict(b, a);
    const ChangeVerdict expected = there == ChangeVerdict::slower   ? ChangeVerdict::faster
                                   : there == ChangeVerdict::faster ? ChangeVerdict::slower
                                                                    : there;
    ASSERT_EQ(back, expected) << a.median << " " << b.median;
  }
}

TEST(CompareTimes, FewSamplesShowNothing) {
  const ComparedPoint point = compare(around(10, 9.9, 10.1), around(20, 19.9, 20.1, 4, 0.875));
  EXPECT_EQ(point.verdict, ChangeVerdict::inconclusive);
  EXPECT_EQ(point.reason, "too few samples for an interval: 20 and 4");
}

TEST(CompareTimes, EqualCodeIsNotFlaggedAndFivePercentAreFound) {
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  std::lognormal_distribution<double> tail(0, 0.5);
  // The noise of a quiet GPU: half a percent, and some launches of ten percent more.
  const auto sampled = [&](double scale) {
    std::vector<double> samples(30);
    for (double& sample : samples) {
      sample = 1e-5 * scale * (1 + 0.005 * tail(random) + (random() % 20 == 0 ? 0.1 : 0));
    }
    return summarize(samples);
  };
  int flagged = 0, found = 0;
  const int runs = 2000;
  for (int i = 0; i < runs; ++i) {
    const ChangeVerdict same = verdict(sampled(1), sampled(1));
    flagged += static_cast<int>(same == ChangeVerdict::slower || same == ChangeVerdict::faster);
    found += static_cast<int>(verdict(sampled(1), sampled(1.05)) == ChangeVerdict::slower);
  }
  EXPECT_LE(flagged, runs / 100);  // figure F11
  EXPECT_GE(found, runs * 95 / 100);
}

/// The comparison of two fixtures by "ID CACHE".
std::map<std::string, ComparedPoint> points_of(const BenchComparison& comparison) {
  std::map<std::string, ComparedPoint> points;
  for (const ComparedPoint& point : comparison.points) {
    const std::string cache = point.cache ? " " + std::string(to_text(*point.cache)) : "";
    points.emplace(point.id + cache, point);
  }
  return points;
}

TEST(CompareFixtures, ASlowerAndAFasterKernel) {
  const BenchComparison comparison = compare_benches(fixture("h200"), fixture("h200_slower"));
  EXPECT_FALSE(comparison.counted);
  EXPECT_EQ(comparison.count(ChangeVerdict::slower), 4U);
  EXPECT_EQ(comparison.count(ChangeVerdict::faster), 4U);
  EXPECT_EQ(comparison.count(ChangeVerdict::inconclusive), 1U);
  EXPECT_EQ(comparison.count(ChangeVerdict::same), 9U);
  EXPECT_EQ(comparison.points.size(), 18U);
  // In the baseline's order.
  EXPECT_EQ(comparison.points.front().id, "copy.dtype=float32,n=65536");
  auto points = points_of(comparison);
  const ComparedPoint& slower = points.at("copy.dtype=float64,n=268435456 cold");
  EXPECT_EQ(slower.verdict, ChangeVerdict::slower);
  EXPECT_NEAR(slower.ratio->value, 1.07, 0.005);
  EXPECT_TRUE(slower.sources_differ);
  const ComparedPoint& wild = points.at("reductions/sum.n=1048576 cold");
  EXPECT_EQ(wild.verdict, ChangeVerdict::inconclusive);
  EXPECT_FALSE(wild.sources_differ);
  ASSERT_FALSE(wild.notes.empty());
  EXPECT_EQ(wild.notes.front().substr(0, 9), "unstable:");
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_EQ(comparison.notes[0].text, "the drivers differ: 13.0 and 13.1");
  EXPECT_FALSE(comparison.notes[0].grave);
}

TEST(CompareFixtures, LostMissingAndAdded) {
  const BenchComparison comparison = compare_benches(fixture("h200"), fixture("h200_failures"));
  auto points = points_of(comparison);
  const ComparedPoint& failed = points.at("copy.dtype=float32,n=1048576");
  EXPECT_EQ(failed.verdict, ChangeVerdict::lost);
  EXPECT_EQ(failed.reason, "failed: 3 of 1048576 elements of `out` are wrong");
  EXPECT_EQ(points.at("copy.dtype=float32,n=268435456").reason,
            "skipped: needs 2 GiB, the device has 1 GiB");
  EXPECT_EQ(points.at("copy.dtype=float64,n=268435456").verdict, ChangeVerdict::missing);
  EXPECT_EQ(points.at("scan.n=134217728 cold").verdict, ChangeVerdict::added);
  EXPECT_EQ(comparison.points.back().suite, "scan");
  const std::vector<std::string>& notes = points.at("copy.dtype=float64,n=65536 cold").notes;
  EXPECT_EQ(notes, (std::vector<std::string>{"the contender was throttled: sw_power_cap",
                                             "the SM clock was 1980 and 1755 MHz"}));
  // What is better again is no news of a case that it had not.
  const BenchComparison back = compare_benches(fixture("h200_failures"), fixture("h200"));
  EXPECT_EQ(back.count(ChangeVerdict::lost), 0U);
  EXPECT_EQ(points_of(back).at("copy.dtype=float32,n=1048576 cold").reason,
            "had no figures before: 3 of 1048576 elements of `out` are wrong");
}

TEST(CompareFixtures, WhatATornRunDidNotComeToIsLost) {
  const BenchComparison comparison = compare_benches(fixture("h200"), fixture("h200_torn"));
  EXPECT_EQ(comparison.count(ChangeVerdict::lost), 5U);
  EXPECT_EQ(points_of(comparison).at("reductions/sum.n=1048576").reason, "the run ended before it");
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_TRUE(comparison.notes[0].grave);
  EXPECT_NE(comparison.notes[0].text.find("h200_torn.jsonl did not come to its end"),
            std::string::npos);
  // A torn baseline has less to hold a contender to.
  EXPECT_EQ(compare_benches(fixture("h200_torn"), fixture("h200")).count(ChangeVerdict::lost), 0U);
}

TEST(CompareFixtures, CountersAreExact) {
  const BenchComparison same = compare_benches(fixture("cpu"), fixture("cpu"));
  EXPECT_TRUE(same.counted);
  EXPECT_EQ(same.count(ChangeVerdict::same), 3U);
  const BenchComparison more = compare_benches(fixture("cpu"), fixture("cpu_more"));
  EXPECT_EQ(more.count(ChangeVerdict::slower), 3U);
  const ComparedPoint& point = more.points.at(1);
  EXPECT_TRUE(point.counted);
  EXPECT_FALSE(point.cache);
  EXPECT_FALSE(point.baseline);
  ASSERT_EQ(point.counters.size(), 2U);
  EXPECT_EQ(point.counters[0].name, "ptx_thread_instructions");
  EXPECT_EQ(point.counters[0].baseline, 11 * 257);
  EXPECT_EQ(point.counters[0].contender, 22 * 257);
  EXPECT_EQ(point.ratio->value, 2);
  EXPECT_EQ(compare_benches(fixture("cpu_more"), fixture("cpu")).count(ChangeVerdict::faster), 3U);
}

TEST(CompareCounters, OneThatGrewDecidesWhateverTheOthersDid) {
  const BenchComparison trade = compare_benches(fixture("cpu"), fixture("cpu_trade"));
  EXPECT_EQ(trade.count(ChangeVerdict::slower), 3U);
  const ComparedPoint& point = trade.points.at(1);
  ASSERT_EQ(point.counters.size(), 2U);
  EXPECT_EQ(point.counters[0].name, "ptx_thread_instructions");
  EXPECT_EQ(point.counters[1].name, "global_read_bytes");
  // One instruction of 2,827 is below one percent.
  ComparisonOptions options;
  options.least_count_effect = 0.01;
  const BenchComparison lenient = compare_benches(fixture("cpu"), fixture("cpu_trade"), options);
  EXPECT_EQ(lenient.points.at(1).verdict, ChangeVerdict::faster);
  EXPECT_EQ(lenient.points.at(1).counters[0].name, "global_read_bytes");
}

TEST(CompareCounters, NewOnesAreToldAndZerosTell) {
  BenchResult before = fixture("cpu"), after = fixture("cpu");
  before.cases[0].counters.emplace_back("bank_conflicts", 0);
  after.cases[0].counters.emplace_back("bank_conflicts", 1);
  after.cases[1].counters.emplace_back("unheard_of", 7);
  const BenchComparison comparison = compare_benches(before, after);
  EXPECT_EQ(comparison.points[0].verdict, ChangeVerdict::slower);
  EXPECT_TRUE(std::isinf(comparison.points[0].ratio->value));
  EXPECT_EQ(comparison.points[1].verdict, ChangeVerdict::same);
  ASSERT_EQ(comparison.points[1].counters.size(), 1U);
  EXPECT_FALSE(comparison.points[1].counters[0].baseline);
}

BenchResult counted(const std::vector<std::pair<std::string, int64_t>>& counters) {
  BenchResult result = fixture("cpu");
  result.cases.resize(1);
  result.cases[0].counters = counters;
  return result;
}

TEST(CompareCounters, ThoseThatDecideComeFirstThenTheFarthest) {
  const ComparedPoint point =
      compare_benches(counted({{"gone", 7}, {"less", 100}, {"little", 1000}, {"grew", 100}}),
                      counted({{"less", 90}, {"little", 1001}, {"grew", 101}, {"more", 3}}))
          .points.at(0);
  EXPECT_EQ(point.verdict, ChangeVerdict::slower);
  std::vector<std::string> names;
  for (const CounterChange& change : point.counters) names.push_back(change.name);
  EXPECT_EQ(names, (std::vector<std::string>{"grew", "little", "less", "gone", "more"}));
  EXPECT_EQ(point.ratio->value, 1.01);
}

TEST(CompareCounters, ARatioIsOfTheCountsThemselves) {
  const auto ratio = [](int64_t before, int64_t after) {
    return compare_benches(counted({{"a", before}}), counted({{"a", after}}))
        .points.at(0)
        .ratio->value;
  };
  EXPECT_EQ(ratio(1, 2), 2);
  EXPECT_EQ(ratio(2, 1), 0.5);
  EXPECT_EQ(ratio(1, 0), 0);
  EXPECT_TRUE(std::isinf(ratio(0, 1)));
}

TEST(CompareCounters, ARunWhoseCasesAllFailedIsOfADeviceThatCounts) {
  BenchResult after = fixture("cpu");
  for (BenchCase& one : after.cases) {
    one.series.clear();
    one.counters.clear();
    one.verdict = Verdict::failed;
  }
  const BenchComparison comparison = compare_benches(fixture("cpu"), after);
  EXPECT_TRUE(comparison.counted);
  EXPECT_EQ(comparison.count(ChangeVerdict::lost), 3U);
  EXPECT_FALSE(comparison.points.at(0).baseline);  // its time says nothing
}

TEST(CompareCounters, AnotherCompilerIsToldLoudly) {
  BenchResult after = fixture("cpu");
  after.nvrtc_version = "12.8";
  after.driver_version = 1;
  after.processor = "another";
  const BenchComparison comparison = compare_benches(fixture("cpu"), after);
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_TRUE(comparison.notes[0].grave);
  EXPECT_EQ(comparison.notes[0].text,
            "the compilers differ: NVRTC 13.0 and NVRTC 12.8, and each makes its own instructions, "
            "so that counts differ for that alone");
}

std::string refusal(const BenchResult& baseline, const BenchResult& contender,
                    const ComparisonOptions& options = {}) {
  try {
    (void)compare_benches(baseline, contender, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.message();
  }
  return "";
}

TEST(CompareRefuses, OtherDevices) {
  const std::string text = refusal(fixture("h200"), fixture("a100"));
  EXPECT_NE(text.find("the devices differ: NVIDIA H200 ("), std::string::npos);
  EXPECT_NE(text.find("NVIDIA A100-SXM4-80GB ("), std::string::npos);
  ComparisonOptions options;
  options.across_devices = true;
  const BenchComparison comparison = compare_benches(fixture("h200"), fixture("a100"), options);
  EXPECT_EQ(comparison.count(ChangeVerdict::missing), 8U);
  EXPECT_TRUE(comparison.notes.at(0).grave);
}

TEST(CompareRefuses, CountedAgainstTimed) {
  BenchResult timed = fixture("cpu");
  for (BenchCase& one : timed.cases) one.counters.clear();
  timed.capabilities.clear();
  EXPECT_NE(refusal(fixture("cpu"), timed).find("only one of the devices counts"),
            std::string::npos);
  ComparisonOptions options;
  options.across_devices = true;
  const BenchComparison comparison = compare_benches(fixture("cpu"), timed, options);
  EXPECT_FALSE(comparison.counted);
  EXPECT_EQ(comparison.points.at(0).cache, CacheState::hot);
  // One case that both have is enough to see it.
  BenchResult all = fixture("cpu");
  all.cases[0].id = "other.n=1";
  EXPECT_NE(refusal(all, timed).find("only one of the devices counts"), std::string::npos);
}

TEST(CompareRefuses, NothingInCommon) {
  const Summary summary = around(1, 1, 1);
  EXPECT_NE(refusal(run_of(summary), run_of(summary, "other.n=1")).find("no case in common"),
            std::string::npos);
  BenchResult without = run_of(summary);
  without.cases[0].series.clear();
  EXPECT_NE(refusal(without, run_of(summary)).find("has figures"), std::string::npos);
  // One that failed is in common, and lost.
  without.cases[0].verdict = Verdict::failed;
  EXPECT_EQ(compare_benches(run_of(summary), without).count(ChangeVerdict::lost), 1U);
}

}  // namespace
}  // namespace warpmark
