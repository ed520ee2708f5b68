// Kills single-token changes of the comparison of benches: what is exactly at a bound, and what only
// one of two benches has.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "results/bench_comparison.hpp"
#include "results/time_comparison.hpp"

namespace warpmark {
namespace {

using Counters = std::vector<std::pair<std::string, int64_t>>;

Summary summary_around(double median, double low, double high, double confidence = 0.96,
                       size_t count = 20) {
  Summary summary;
  summary.count = count;
  summary.median = summary.q1 = summary.q3 = median;
  summary.interval = {low, high, confidence};
  return summary;
}

BenchCase case_of(const std::string& id) {
  BenchCase one;
  one.suite = id.substr(0, id.find('.'));
  one.id = id;
  return one;
}

BenchCase timed(const std::string& id, const Summary& cold) {
  BenchCase one = case_of(id);
  BenchSeries series;
  series.summary = cold;
  one.series.push_back(series);
  return one;
}

BenchCase counting(const std::string& id, Counters counters) {
  BenchCase one = case_of(id);
  one.counters = std::move(counters);
  return one;
}

BenchCase failing(const std::string& id, Verdict verdict, const std::string& reason) {
  BenchCase one = case_of(id);
  one.verdict = verdict;
  one.reason = reason;
  return one;
}

BenchResult run_of(std::vector<BenchCase> cases) {
  BenchResult result;
  result.device_name = "device";
  result.complete = true;
  result.cases = std::move(cases);
  return result;
}

ComparisonOptions effects(double times, double counts) {
  ComparisonOptions options;
  options.least_effect = times;
  options.least_count_effect = counts;
  return options;
}

ChangeVerdict verdict_of(const Summary& before, const Summary& after, double effect = 0.02) {
  const BenchComparison comparison = compare_benches(
      run_of({timed("a.n=1", before)}), run_of({timed("a.n=1", after)}), effects(effect, 0));
  return comparison.points.at(0).verdict;
}

ComparedPoint counted(const Counters& before, const Counters& after, double effect = 0) {
  return compare_benches(run_of({counting("a.n=1", before)}), run_of({counting("a.n=1", after)}),
                         effects(0, effect))
      .points.at(0);
}

std::vector<std::string> names(const ComparedPoint& point) {
  std::vector<std::string> all;
  for (const CounterChange& change : point.counters) all.push_back(change.name);
  return all;
}

std::string refusal_of(const BenchResult& before, const BenchResult& after) {
  try {
    (void)compare_benches(before, after);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

// Times of one process, whose interval is four standard errors wide. They are ten seconds long, so
// that differences between processes are nothing beside them but for the 0.1 % of each.
TEST(TimesAtABound, TheTailDecides) {
  // The logarithm of 1.2 over sqrt(0.05² + 0.1 / 2.4² + 2 * 0.001²) is 2.8 standard errors.
  EXPECT_EQ(verdict_of(summary_around(10, 9, 11), summary_around(12, 11, 13)),
            ChangeVerdict::slower);
  EXPECT_EQ(verdict_of(summary_around(12, 11, 13), summary_around(10, 9, 11)),
            ChangeVerdict::faster);
  EXPECT_EQ(verdict_of(summary_around(10, 8.5, 11.5), summary_around(12, 10, 14)),
            ChangeVerdict::inconclusive);
  EXPECT_EQ(verdict_of(summary_around(12, 10, 14), summary_around(10, 8.5, 11.5)),
            ChangeVerdict::inconclusive);
}

TEST(TimesAtABound, ARatioOfTheLeastEffectCountsBothWays) {
  const Summary less = summary_around(1, 1, 1), more = summary_around(1.02, 1.02, 1.02);
  EXPECT_EQ(verdict_of(less, more), ChangeVerdict::slower);
  EXPECT_EQ(verdict_of(more, less), ChangeVerdict::faster);
  const Summary nearly = summary_around(1.0199, 1.0199, 1.0199);
  EXPECT_EQ(verdict_of(less, nearly), ChangeVerdict::inconclusive);
  EXPECT_EQ(verdict_of(nearly, less), ChangeVerdict::inconclusive);
}

TEST(TimesAtABound, SamenessNeedsBothEndsOfTheInterval) {
  const Summary base = summary_around(10, 9.99, 10.01);
  EXPECT_EQ(verdict_of(base, summary_around(10.05, 10, 10.1)), ChangeVerdict::same);
  EXPECT_EQ(verdict_of(base, summary_around(10.05, 9.8, 10.6)), ChangeVerdict::inconclusive);
  EXPECT_EQ(verdict_of(base, summary_around(9.95, 9.4, 10.2)), ChangeVerdict::inconclusive);
}

TEST(TimesAtABound, BothIntervalsNeedTheirConfidence) {
  const Summary base = summary_around(10, 9.9, 10.1, 0.95), slow = summary_around(20, 19, 21, 0.95);
  EXPECT_EQ(verdict_of(base, slow), ChangeVerdict::slower);
  Summary unsure = base;
  unsure.interval.confidence = 0.949;
  EXPECT_EQ(verdict_of(unsure, slow), ChangeVerdict::inconclusive);
  Summary unsure_slow = slow;
  unsure_slow.interval.confidence = 0.949;
  EXPECT_EQ(verdict_of(base, unsure_slow), ChangeVerdict::inconclusive);
}

TEST(RatioOfTimes, OfOneProcessByHand) {
  BenchSeries fast, slow;
  fast.summary = summary_around(10e-6, 9.9e-6, 10.1e-6);
  slow.summary = summary_around(11e-6, 10.9e-6, 11.2e-6);
  const RatioOfTimes ratio = ratio_of_times(slow, fast);
  const auto square = [](double x) { return x * x; };
  const double error = std::sqrt(square(0.2 / 10) + square(0.2 / 11) + 2 * square(0.001) +
                                 square(0.2 / 10 / 4) + square(0.3 / 11 / 4));
  EXPECT_NEAR(std::log(ratio.low), std::log(1.1) - 1.959964 * error, 1e-6);
  EXPECT_NEAR(std::log(ratio.high), std::log(1.1) + 1.959964 * error, 1e-6);
  EXPECT_NEAR(ratio.tail, std::erfc(std::log(1.1) / error / std::sqrt(2.0)), 1e-5);
}

// A series of so many processes, whose medians are known well but are far from each other.
BenchSeries unsure(size_t processes) {
  BenchSeries series;
  series.summary = summary_around(1, 0.8, 1.2);
  for (size_t i = 0; i < processes; ++i)
    series.processes.push_back({20, 1 + 0.3 * static_cast<double>(i % 2), {}, {}, {}});
  return series;
}

TEST(TimesOfOneProcess, AreSaidToBeSoIfEitherSideHasOne) {
  const auto reason = [](size_t before, size_t after) {
    ComparedPoint point;
    compare_times(point, unsure(before), unsure(after), 0.02);
    EXPECT_EQ(point.verdict, ChangeVerdict::inconclusive);
    return point.reason;
  };
  EXPECT_EQ(reason(1, 1), "times of one process");
  EXPECT_EQ(reason(1, 4), "times of one process");
  EXPECT_EQ(reason(4, 1), "times of one process");
  EXPECT_EQ(reason(4, 4), "");
}

ComparedPoint inconclusive(double ratio, std::optional<double> tail) {
  ComparedPoint point;
  point.verdict = ChangeVerdict::inconclusive;
  point.ratio = Ratio{ratio, ratio, ratio};
  point.tail = tail;
  return point;
}

TEST(ManyPoints, AreEachJudged) {
  const ComparisonOptions options = effects(0.02, 0);
  ComparedPoint same = inconclusive(1, 1e-9);
  same.verdict = ChangeVerdict::same;
  std::vector<ComparedPoint> points = {inconclusive(1.5, {}),   same,
                                       inconclusive(1.5, 0.9),  inconclusive(1.01, 1e-9),
                                       inconclusive(1.5, 1e-9), inconclusive(0.5, 1e-9)};
  std::vector<ComparisonNote> notes;
  judge_times(points, options, notes);
  std::vector<ChangeVerdict> verdicts;
  for (const ComparedPoint& point : points) verdicts.push_back(point.verdict);
  EXPECT_EQ(verdicts, (std::vector{ChangeVerdict::inconclusive, ChangeVerdict::same,
                                   ChangeVerdict::inconclusive, ChangeVerdict::inconclusive,
                                   ChangeVerdict::slower, ChangeVerdict::faster}));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_FALSE(notes[0].grave);
  EXPECT_NE(notes[0].text.find("for 5 points"), std::string::npos);
}

TEST(ManyPoints, AreJudgedAtTheRateOfFalseAlarms) {
  const ComparisonOptions options = effects(0.02, 0);
  std::vector<ComparedPoint> points = {inconclusive(1.5, options.false_alarms)};
  std::vector<ComparisonNote> notes;
  judge_times(points, options, notes);
  EXPECT_EQ(points[0].verdict, ChangeVerdict::slower);
}

TEST(CountersAtABound, TheLeastEffectCountsBothWays) {
  EXPECT_EQ(counted({{"x", 100}}, {{"x", 105}}, 0.05).verdict, ChangeVerdict::slower);
  EXPECT_EQ(counted({{"x", 100}}, {{"x", 104}}, 0.05).verdict, ChangeVerdict::same);
  EXPECT_EQ(counted({{"x", 105}}, {{"x", 100}}, 0.05).verdict, ChangeVerdict::faster);
  EXPECT_EQ(counted({{"x", 104}}, {{"x", 100}}, 0.05).verdict, ChangeVerdict::same);
  EXPECT_EQ(counted({{"x", 100}}, {{"x", 101}}).verdict, ChangeVerdict::slower);
  EXPECT_EQ(counted({{"x", 101}}, {{"x", 100}}).verdict, ChangeVerdict::faster);
  EXPECT_EQ(counted({{"x", 100}}, {{"x", 100}}).verdict, ChangeVerdict::same);
}

ComparedPoint traded(const std::vector<CounterEffect>& count_effects, int64_t instructions = 93,
                     int64_t atomics = 102) {
  ComparisonOptions options = effects(0, 0);
  options.count_effects = count_effects;
  const Counters before = {{"ptx_thread_instructions", 100}, {"global_atomic_bytes", 100}};
  const Counters after = {{"ptx_thread_instructions", instructions},
                          {"global_atomic_bytes", atomics}};
  return compare_benches(run_of({counting("a.n=1", before)}), run_of({counting("a.n=1", after)}),
                         options)
      .points.at(0);
}

TEST(CounterEffects, OnlyThoseThatChangedByTheirOwnDecide) {
  const ComparedPoint all = traded({});
  EXPECT_EQ(all.verdict, ChangeVerdict::mixed);
  EXPECT_EQ(names(all),
            (std::vector<std::string>{"global_atomic_bytes", "ptx_thread_instructions"}));
  EXPECT_DOUBLE_EQ(all.ratio->value, 1.02);
  EXPECT_EQ(traded({{"atomic", 0.02}}).verdict, ChangeVerdict::mixed);
  const ComparedPoint within = traded({{"atomic", 0.021}});
  EXPECT_EQ(within.verdict, ChangeVerdict::faster);
  EXPECT_EQ(names(within),
            (std::vector<std::string>{"ptx_thread_instructions", "global_atomic_bytes"}));
  EXPECT_TRUE(within.counters[0].counts);
  EXPECT_FALSE(within.counters[1].counts);
  EXPECT_DOUBLE_EQ(within.counters[1].least_effect, 0.021);
  EXPECT_EQ(traded({{"instructions", 0.1}}).verdict, ChangeVerdict::slower);
  EXPECT_EQ(traded({{"instructions", 0.1}, {"atomic", 0.1}}).verdict, ChangeVerdict::same);
}

TEST(CounterEffects, TheLastThatConcernsACounterHolds) {
  EXPECT_EQ(traded({{"atomic", 1}, {"*_bytes", 0}}, 100).verdict, ChangeVerdict::slower);
  EXPECT_EQ(traded({{"*_bytes", 0}, {"atomic", 1}}, 100).verdict, ChangeVerdict::same);
  // A whole name is that counter alone, and of others a part counts.
  EXPECT_TRUE(concerns({"global_load_bytes", 0}, "global_load_bytes"));
  EXPECT_FALSE(concerns({"global_load_bytes", 0}, "async_global_load_bytes"));
  EXPECT_TRUE(concerns({"load_bytes", 0}, "async_global_load_bytes"));
  EXPECT_FALSE(concerns({"load*", 0}, "global_load_bytes"));
}

TEST(CounterEffects, OneThatConcernsNothingIsReported) {
  ComparisonOptions options;
  options.count_effects = {{"texture", 0.02}};
  const BenchResult run = run_of({counting("a.n=1", {{"x", 1}})});
  const BenchComparison none = compare_benches(run, run, options);
  ASSERT_EQ(none.notes.size(), 1U);
  EXPECT_EQ(none.notes[0].text,
            "the minimum effect of `texture` has no effect: this run counts nothing of that name");
  const BenchResult times = run_of({timed("a.n=1", summary_around(1, 1, 1))});
  const BenchComparison timed_ones = compare_benches(times, times, options);
  EXPECT_NE(timed_ones.notes.at(0).text.find("times are compared"), std::string::npos);
  EXPECT_FALSE(none.notes[0].grave);
}

TEST(CounterEffects, AreUsedIfOneCounterOfOneCaseHasTheName) {
  ComparisonOptions options;
  options.count_effects = {{"atomic", 0.02}, {"texture", 0.02}, {"load", 0.02}};
  const BenchResult run =
      run_of({counting("a.n=1", {{"global_load_bytes", 1}, {"global_atomic_bytes", 1}}),
              counting("a.n=2", {{"x", 1}})});
  const std::vector<ComparisonNote> notes = compare_benches(run, run, options).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].text.find("`texture`"), std::string::npos);
}

// Beyond 2^53 a ratio of doubles cannot distinguish neighbours, but the integers can.
TEST(CountersAtABound, GreatNumbersStayExact) {
  const int64_t great = int64_t{1} << 53;
  EXPECT_EQ(counted({{"x", great}}, {{"x", great + 1}}).verdict, ChangeVerdict::slower);
  EXPECT_EQ(counted({{"x", great + 1}}, {{"x", great}}).verdict, ChangeVerdict::faster);
  EXPECT_EQ(counted({{"x", great}}, {{"x", great + 1}}).ratio->value, 1);
}

TEST(CountersThatAreGone, AreLostAndNeverFaster) {
  const ComparedPoint gone = counted({{"x", 7}, {"y", 5}}, {{"y", 5}});
  EXPECT_EQ(gone.verdict, ChangeVerdict::lost);
  EXPECT_EQ(gone.reason, "the counter x is gone");
  EXPECT_FALSE(gone.ratio);
  // A counter that fell does not make up for it; the lost one comes first in the report.
  const ComparedPoint less = counted({{"y", 5}, {"x", 7}}, {{"y", 4}});
  EXPECT_EQ(less.verdict, ChangeVerdict::lost);
  EXPECT_EQ(names(less), (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(less.ratio);
  // A counter that grew is worse.
  const ComparedPoint more = counted({{"x", 7}, {"y", 5}}, {{"y", 6}});
  EXPECT_EQ(more.verdict, ChangeVerdict::slower);
  EXPECT_EQ(more.reason, "");
  EXPECT_EQ(names(more), (std::vector<std::string>{"y", "x"}));
  EXPECT_DOUBLE_EQ(more.ratio->value, 1.2);
  // A counter that grew and one that shrank cannot be weighed without the third.
  const ComparedPoint some = counted({{"x", 7}, {"y", 5}, {"z", 5}}, {{"y", 6}, {"z", 4}});
  EXPECT_EQ(some.verdict, ChangeVerdict::lost);
  EXPECT_EQ(names(some), (std::vector<std::string>{"x", "y", "z"}));
}

TEST(CountersThatAreNew, ChangeNoVerdict) {
  const ComparedPoint added = counted({{"y", 5}}, {{"x", 7}, {"y", 5}});
  EXPECT_EQ(added.verdict, ChangeVerdict::same);
  EXPECT_EQ(names(added), std::vector<std::string>{"x"});
  EXPECT_FALSE(added.ratio);
  // They come behind those that changed, as there is no ratio.
  EXPECT_EQ(names(counted({{"y", 100}}, {{"x", 7}, {"y", 101}}, 1)),
            (std::vector<std::string>{"y", "x"}));
  EXPECT_EQ(counted({{"y", 5}}, {{"x", 7}, {"y", 4}}).verdict, ChangeVerdict::faster);
  EXPECT_EQ(counted({{"y", 5}}, {{"x", 7}, {"y", 6}}).verdict, ChangeVerdict::slower);
}

TEST(CounterOrder, WhatDecidesAndThenWhatWentFarthest) {
  // If no counter decides, the order is by distance, and by the baseline's order if equal.
  const ComparedPoint none = counted({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}},
                                     {{"a", 50}, {"b", 10}, {"c", 50}, {"d", 300}}, 100);
  EXPECT_EQ(none.verdict, ChangeVerdict::same);
  EXPECT_EQ(names(none), (std::vector<std::string>{"b", "d", "a", "c"}));
  EXPECT_DOUBLE_EQ(none.ratio->value, 0.1);
  EXPECT_DOUBLE_EQ(none.ratio->low, 0.1);
  EXPECT_DOUBLE_EQ(none.ratio->high, 0.1);
  // Counters that decide come before others that changed more.
  const ComparedPoint grown =
      counted({{"a", 100}, {"b", 100}, {"c", 100}}, {{"a", 1}, {"b", 110}, {"c", 120}});
  EXPECT_EQ(grown.verdict, ChangeVerdict::mixed);
  EXPECT_EQ(names(grown), (std::vector<std::string>{"c", "b", "a"}));
  EXPECT_DOUBLE_EQ(grown.ratio->value, 1.2);
  const ComparedPoint shrunk =
      counted({{"a", 100}, {"b", 100}, {"n", 0}}, {{"a", 90}, {"b", 80}, {"n", 0}, {"z", 3}});
  EXPECT_EQ(shrunk.verdict, ChangeVerdict::faster);
  EXPECT_EQ(names(shrunk), (std::vector<std::string>{"b", "a", "z"}));
}

TEST(CounterOrder, NoChangeIsARatioOfOne) {
  const ComparedPoint same = counted({{"x", 3}}, {{"x", 3}});
  EXPECT_TRUE(same.counters.empty());
  EXPECT_EQ(same.ratio->value, 1);
  EXPECT_EQ(same.ratio->low, 1);
  EXPECT_EQ(same.ratio->high, 1);
}

TEST(CasesThatAreGone, AreMissingUnlessTheRunWasNotAskedForThem) {
  const Summary summary = summary_around(1, 1, 1);
  const BenchResult before = run_of({timed("a.n=1", summary), timed("b.n=1", summary)});
  BenchResult after = run_of({timed("a.n=1", summary)});
  EXPECT_EQ(compare_benches(before, after).points.at(1).verdict, ChangeVerdict::missing);
  after.asked_ids = {"a.n=1"};
  EXPECT_EQ(compare_benches(before, after).points.at(1).verdict, ChangeVerdict::deselected);
  after.asked_ids.clear();
  after.asked_select = "a";
  EXPECT_EQ(compare_benches(before, after).points.at(1).verdict, ChangeVerdict::deselected);
  after.asked_select = "n=1";  // would have it
  EXPECT_EQ(compare_benches(before, after).points.at(1).verdict, ChangeVerdict::missing);
  after.asked_ids = {"a.n=1"};
  EXPECT_EQ(compare_benches(before, after).points.at(1).verdict, ChangeVerdict::deselected);
}

TEST(CasesThatAreGone, AreLostWithTheirReason) {
  const Summary summary = summary_around(1, 1, 1);
  const BenchResult before = run_of({timed("a.n=1", summary), timed("b.n=1", summary)});
  const auto second = [&](const BenchCase& now) {
    return compare_benches(before, run_of({timed("a.n=1", summary), now})).points.at(1);
  };
  EXPECT_EQ(second(failing("b.n=1", Verdict::not_run, "")).reason, "not run");
  EXPECT_EQ(second(failing("b.n=1", Verdict::skipped, "no memory")).reason, "skipped: no memory");
  EXPECT_EQ(second(failing("b.n=1", Verdict::skipped, "")).verdict, ChangeVerdict::lost);
  // A case that passed without figures is lost, too.
  EXPECT_EQ(second(failing("b.n=1", Verdict::passed, "")).verdict, ChangeVerdict::lost);
  EXPECT_DOUBLE_EQ(second(failing("b.n=1", Verdict::failed, "")).baseline->median, 1);
}

TEST(CasesThatAreGone, OfTwoStatesOfTheCacheNoneIsShown) {
  BenchCase both = timed("b.n=1", summary_around(1, 1, 1));
  BenchSeries hot = both.series.front();
  hot.mode = TimingMode::hot;
  both.series.push_back(hot);
  const BenchResult before = run_of({timed("a.n=1", summary_around(1, 1, 1)), both});
  const BenchResult after = run_of({timed("a.n=1", summary_around(1, 1, 1))});
  EXPECT_FALSE(compare_benches(before, after).points.at(1).baseline);
}

TEST(SeriesThatAreGone, AreMissingAndNewOnesAreAdded) {
  BenchCase cold = timed("a.n=1", summary_around(1, 1, 1)), hot = cold;
  cold.series.front().mode = TimingMode::cold;
  hot.series.front().mode = TimingMode::hot;
  const BenchComparison comparison = compare_benches(run_of({cold}), run_of({hot}));
  ASSERT_EQ(comparison.points.size(), 2U);
  EXPECT_EQ(comparison.points[0].verdict, ChangeVerdict::missing);
  EXPECT_EQ(comparison.points[0].reason, "this run has no cold times");
  EXPECT_EQ(comparison.points[1].verdict, ChangeVerdict::added);
  EXPECT_EQ(comparison.points[1].mode, TimingMode::hot);
  EXPECT_TRUE(comparison.points[1].contender);
}

TEST(CountersOfOneSide, AreLostWhereBothDevicesCount) {
  BenchCase before = timed("a.n=1", summary_around(1, 1, 1)), after = before;
  before.counters = {{"x", 1}};
  BenchResult baseline = run_of({before}), contender = run_of({after});
  contender.capabilities = {"counters"};
  const ComparedPoint point = compare_benches(baseline, contender).points.at(0);
  EXPECT_EQ(point.verdict, ChangeVerdict::lost);
  EXPECT_TRUE(point.counted);
  // A case that had no counters before is compared by its times.
  baseline.capabilities = {"counters"};
  baseline.cases[0].counters.clear();
  contender.cases[0].counters = {{"x", 1}};
  EXPECT_EQ(compare_benches(baseline, contender).points.at(0).verdict, ChangeVerdict::same);
  // Counters alone against times alone: there is nothing to compare, and no silence.
  ComparisonOptions options;
  options.across_devices = true;
  const BenchComparison apart =
      compare_benches(run_of({counting("a.n=1", {{"x", 1}})}), run_of({after}), options);
  ASSERT_FALSE(apart.points.empty());
  EXPECT_EQ(apart.points[0].verdict, ChangeVerdict::lost);
}

TEST(CasesThatAreNew, AreReportedIfTheyHaveFigures) {
  const Summary summary = summary_around(1, 1, 1);
  const BenchResult before =
      run_of({timed("a.n=1", summary), failing("b.n=1", Verdict::failed, "x"),
              failing("c.n=1", Verdict::passed, "")});
  const BenchResult after =
      run_of({timed("a.n=1", summary), timed("b.n=1", summary), timed("c.n=1", summary),
              failing("d.n=1", Verdict::failed, "y")});
  const BenchComparison comparison = compare_benches(before, after);
  ASSERT_EQ(comparison.points.size(), 3U);
  EXPECT_EQ(comparison.points[1].verdict, ChangeVerdict::added);
  EXPECT_EQ(comparison.points[1].reason, "had no figures before: x");
  EXPECT_EQ(comparison.points[2].reason, "");
  EXPECT_EQ(comparison.count(ChangeVerdict::added), 2U);
}

TEST(CasesThatAreNew, OfADeviceThatCountsHaveNoTimes) {
  BenchCase counts = counting("b.n=1", {{"x", 1}});
  counts.series = timed("b.n=1", summary_around(1, 1, 1)).series;
  BenchResult before = run_of({counting("a.n=1", {{"x", 1}})});
  const BenchComparison comparison =
      compare_benches(before, run_of({counting("a.n=1", {{"x", 1}}), counts}));
  ASSERT_EQ(comparison.points.size(), 2U);
  EXPECT_TRUE(comparison.points[1].counted);
  EXPECT_FALSE(comparison.points[1].mode);
  EXPECT_FALSE(comparison.points[1].contender);
}

TEST(Comparable, NeedsACaseWithFiguresInBoth) {
  const Summary summary = summary_around(1, 1, 1);
  // A case without figures in the baseline is none in common.
  const BenchResult before =
      run_of({failing("a.n=1", Verdict::failed, ""), timed("b.n=1", summary)});
  EXPECT_NE(refusal_of(before, run_of({timed("a.n=1", summary)})).find("no case in common"),
            std::string::npos);
  EXPECT_NE(refusal_of(run_of({}), run_of({timed("a.n=1", summary)})).find("no case of"),
            std::string::npos);
  EXPECT_NE(refusal_of(before, run_of({})).find("no case in common"), std::string::npos);
  // A run that was cut short lost them.
  BenchResult torn = run_of({});
  torn.complete = false;
  EXPECT_EQ(compare_benches(before, torn).count(ChangeVerdict::lost), 1U);
}

TEST(Comparable, DevicesThatCountAndThatDoNotMayMeetWhereNothingIsMeasured) {
  BenchResult before = run_of({counting("a.n=1", {{"x", 1}})});
  before.capabilities = {"counters"};
  EXPECT_EQ(compare_benches(before, run_of({failing("a.n=1", Verdict::failed, "x")}))
                .count(ChangeVerdict::lost),
            1U);
  EXPECT_NE(refusal_of(before, run_of({timed("a.n=1", summary_around(1, 1, 1))})).find("only one"),
            std::string::npos);
}

TEST(Comparable, SourcesThatDifferAreReportedForCountersAndTimes) {
  BenchCase before = counting("a.n=1", {{"x", 1}}), after = before;
  EXPECT_FALSE(compare_benches(run_of({before}), run_of({after})).points.at(0).sources_differ);
  after.sources = "other";
  EXPECT_TRUE(compare_benches(run_of({before}), run_of({after})).points.at(0).sources_differ);
}

TEST(Comparable, SourcesAreKnownIfBothSidesSayThem) {
  const auto known = [](const std::string& before, const std::string& after) {
    BenchCase first = counting("a.n=1", {{"x", 1}}), second = first;
    first.sources = before;
    second.sources = after;
    return compare_benches(run_of({first}), run_of({second})).points.at(0).sources_known;
  };
  EXPECT_TRUE(known("one", "two"));
  EXPECT_FALSE(known("", "two"));
  EXPECT_FALSE(known("one", ""));
  EXPECT_FALSE(known("", ""));
}

TEST(Comparable, APinnedBaselineNeedsItsVersion) {
  BenchResult before = run_of({counting("a.n=1", {{"x", 1}})}), after = before;
  before.version = "1.0";
  after.version = "2.0";
  EXPECT_EQ(refusal_of(before, after), "");
  before.pinned = true;
  EXPECT_NE(refusal_of(before, after).find("is pinned to Warpmark 1.0"), std::string::npos);
  ComparisonOptions options;
  options.across_versions = true;
  EXPECT_EQ(compare_benches(before, after, options).points.size(), 1U);
  after.version = "1.0";
  EXPECT_EQ(refusal_of(before, after), "");
}

TEST(Words, EachVerdictHasItsOwn) {
  std::string all;
  for (const ChangeVerdict each : kChangeVerdicts) all += std::string(to_text(each)) + " ";
  EXPECT_EQ(all, "slower lost missing mixed inconclusive faster same added deselected ");
}

}  // namespace
}  // namespace warpmark
