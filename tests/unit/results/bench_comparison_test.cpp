#include "results/bench_comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <random>

#include "base/error.hpp"
#include "results/time_comparison.hpp"
#include "unit/results/example_measurement.hpp"

namespace warpmark {
namespace {

const std::filesystem::path kFixtures =
    std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results";

BenchResult fixture(const std::string& name) {
  return read_bench_result(kFixtures / (name + ".jsonl"));
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
BenchResult run_of(const BenchSeries& series, const std::string& id = "copy.n=1") {
  BenchResult result;
  result.device_name = "device";
  result.complete = true;
  BenchCase one;
  one.suite = "copy";
  one.id = id;
  one.series.push_back(series);
  one.kernels.resize(1);
  result.cases.push_back(one);
  return result;
}

/// A series of one process, as in older journals.
BenchSeries of_one(const Summary& summary) {
  BenchSeries series;
  series.summary = summary;
  return series;
}

/// A series of several processes with these medians.
BenchSeries of_several(const std::vector<double>& medians) {
  BenchSeries series;
  for (const double median : medians) series.processes.push_back({4, median, 1e-6, 1980, {}});
  const Mean mean = mean_of(medians);
  series.summary = around(mean.value, 0, 0, 4 * medians.size());
  series.summary.interval = mean.interval();
  return series;
}

ComparedPoint compare(const BenchSeries& baseline, const BenchSeries& contender,
                      const ComparisonOptions& options = {}) {
  return compare_benches(run_of(baseline), run_of(contender), options).points.at(0);
}

ChangeVerdict verdict(const BenchSeries& baseline, const BenchSeries& contender) {
  return compare(baseline, contender).verdict;
}

/// Simulates how an H200's times of kernels of some microseconds vary between processes.
class Processes {
 public:
  explicit Processes(double spread) : spread_(spread) { std::cout << "seed " << seed_ << "\n"; }
  BenchSeries run(double seconds) {
    std::vector<double> medians(5);
    for (double& median : medians) median = seconds * (1 + spread_ * noise_(random_));
    return of_several(medians);
  }

 private:
  const unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  std::normal_distribution<double> noise_;
  double spread_;
};

// From scipy.stats.ttest_ind(log(after), log(before), equal_var=False) of SciPy 1.16, which compares
// means of logarithms where ours are logarithms of means.
TEST(RatioOfTimes, IsWelchs) {
  const RatioOfTimes ratio = ratio_of_times(of_several({10.4, 10.7, 10.5, 10.9, 10.6}),
                                            of_several({10.0, 10.1, 9.9, 10.2, 10.15}));
  EXPECT_NEAR(ratio.value, 10.62 / 10.07, 1e-12);
  EXPECT_NEAR(ratio.tail, 0.000949059, 0.02 * 0.000949059);
  EXPECT_NEAR(std::log(ratio.low), 0.0301532, 2e-4);
  EXPECT_NEAR(std::log(ratio.high), 0.0760567, 2e-4);
}

TEST(RatioOfTimes, InvertsWhenExchanged) {
  const BenchSeries slow = of_several({11, 11.2, 10.9}), fast = of_several({10, 10.1, 10.2});
  const RatioOfTimes there = ratio_of_times(slow, fast), back = ratio_of_times(fast, slow);
  EXPECT_NEAR(back.value, 1 / there.value, 1e-12);
  EXPECT_NEAR(back.low, 1 / there.high, 1e-12);
  EXPECT_NEAR(back.high, 1 / there.low, 1e-12);
  EXPECT_NEAR(back.tail, there.tail, 1e-12);
}

TEST(RatioOfTimes, EqualMediansAreEqualByTheStepsOfTheClock) {
  const BenchSeries short_one = of_several({2e-6, 2e-6, 2e-6, 2e-6, 2e-6});
  const RatioOfTimes ratio =
      ratio_of_times(of_several({2.032e-6, 2.032e-6, 2.032e-6, 2.032e-6, 2.032e-6}), short_one);
  EXPECT_GT(ratio.tail, 1e-4) << "one step of 32 ns";
  EXPECT_LT(ratio.low, 1.01);
}

TEST(RatioOfTimes, HoldsTheTrueRatioAsOftenAsItSays) {
  Processes processes(0.01);
  int held = 0;
  const int runs = 4000;
  for (int i = 0; i < runs; ++i) {
    const RatioOfTimes ratio = ratio_of_times(processes.run(1.1), processes.run(1));
    held += static_cast<int>(ratio.low <= 1.1 && 1.1 <= ratio.high);
  }
  // 95 %, and six standard deviations below.
  EXPECT_GT(held, runs * 0.95 - 6 * std::sqrt(runs * 0.95 * 0.05));
}

TEST(CompareTimes, VerdictsByTailAndEffect) {
  const BenchSeries base = of_several({10, 10.01, 9.99});
  EXPECT_EQ(verdict(base, of_several({10.2, 10.21, 10.205})), ChangeVerdict::slower);
  EXPECT_EQ(verdict(base, of_several({9.8, 9.79, 9.8})), ChangeVerdict::faster);
  EXPECT_EQ(verdict(base, of_several({10.1, 10.11, 10.09})), ChangeVerdict::same);
  EXPECT_EQ(verdict(base, base), ChangeVerdict::same);
  // A great effect that may be chance shows nothing, and no sameness either.
  EXPECT_EQ(verdict(of_several({10, 9, 11}), of_several({12, 10, 13})),
            ChangeVerdict::inconclusive);
  // Sure to differ, but not by how much.
  EXPECT_EQ(verdict(base, of_several({10.19, 10.12, 10.24})), ChangeVerdict::inconclusive);
}

TEST(CompareTimes, TheLeastEffectCounts) {
  const BenchSeries base = of_several({100, 100.1, 99.9});
  const auto at = [&](double time, double effect) {
    ComparisonOptions options;
    options.least_effect = effect;
    return compare(base, of_several({time, time + 0.1, time - 0.1}), options).verdict;
  };
  EXPECT_EQ(at(104.9, 0.05), ChangeVerdict::inconclusive);
  EXPECT_EQ(at(105.1, 0.05), ChangeVerdict::slower);
  EXPECT_EQ(at(103, 0.05), ChangeVerdict::same);
  EXPECT_EQ(at(100.5, 0), ChangeVerdict::slower);
}

TEST(CompareTimes, ExchangingTheFilesExchangesTheVerdicts) {
  Processes processes(0.01);
  for (int i = 0; i < 2000; ++i) {
    const BenchSeries a = processes.run(1), b = processes.run(1 + 0.0001 * (i % 500));
    const ChangeVerdict there = verdict(a, b), back = verdict(b, a);
    const ChangeVerdict expected = there == ChangeVerdict::slower   ? ChangeVerdict::faster
                                   : there == ChangeVerdict::faster ? ChangeVerdict::slower
                                                                    : there;
    ASSERT_EQ(back, expected) << a.summary.median << " " << b.summary.median;
  }
}

TEST(CompareTimes, FewSamplesOfOneProcessShowNothing) {
  const ComparedPoint point =
      compare(of_one(around(10, 9.9, 10.1)), of_one(around(20, 19.9, 20.1, 4, 0.875)));
  EXPECT_EQ(point.verdict, ChangeVerdict::inconclusive);
  EXPECT_EQ(point.reason, "too few samples for an interval: 20 and 4");
}

// Within a process the median is known to 0.1 %, which says nothing of the next one.
TEST(CompareTimes, OneProcessShowsLittleOfAShortKernel) {
  const auto single = [](double seconds) {
    return of_one(around(seconds, 0.999 * seconds, 1.001 * seconds));
  };
  const ComparedPoint point = compare(single(5e-6), single(5.3e-6));
  EXPECT_EQ(point.verdict, ChangeVerdict::inconclusive);
  EXPECT_EQ(point.reason, "times of one process");
  EXPECT_EQ(verdict(single(5e-6), single(5e-6)), ChangeVerdict::inconclusive);
  EXPECT_EQ(verdict(single(5e-6), single(7e-6)), ChangeVerdict::slower);
  EXPECT_EQ(verdict(single(500e-6), single(530e-6)), ChangeVerdict::slower);
  EXPECT_EQ(verdict(single(500e-6), single(501e-6)), ChangeVerdict::same);
}

TEST(CompareTimes, EqualCodeIsNotFlaggedAndFivePercentAreFound) {
  Processes processes(0.01);
  int flagged = 0, found = 0;
  const int runs = 2000;
  for (int i = 0; i < runs; ++i) {
    const ChangeVerdict same = verdict(processes.run(1e-5), processes.run(1e-5));
    flagged += static_cast<int>(same == ChangeVerdict::slower || same == ChangeVerdict::faster);
    found += static_cast<int>(verdict(processes.run(1e-5), processes.run(1.05e-5)) ==
                              ChangeVerdict::slower);
  }
  EXPECT_LE(flagged, runs / 100);  // figure F11
  EXPECT_GE(found, runs * 95 / 100);
}

// One of a hundred points looks changed by chance; together they are held to one such run in twenty.
TEST(CompareTimes, ManyPointsAreHeldToWhatOneIs) {
  Processes processes(0.03);
  int alarms = 0;
  const int runs = 400;
  for (int i = 0; i < runs; ++i) {
    BenchResult before, after;
    before.device_name = after.device_name = "device";
    before.complete = after.complete = true;
    for (int point = 0; point < 30; ++point) {
      const std::string id = "copy.n=" + std::to_string(point);
      before.cases.push_back(run_of(processes.run(1e-5), id).cases.front());
      after.cases.push_back(run_of(processes.run(1e-5), id).cases.front());
    }
    const BenchComparison comparison = compare_benches(before, after);
    alarms += static_cast<int>(
        comparison.count(ChangeVerdict::slower) + comparison.count(ChangeVerdict::faster) > 0);
  }
  EXPECT_LT(alarms, runs * 0.05 + 6 * std::sqrt(runs * 0.05 * 0.95));
  EXPECT_TRUE(compare(processes.run(1), processes.run(1)).tail);
}

TEST(CompareTimes, AChangeThatTheClockExplainsIsSaidToBeSo) {
  const BenchSeries before = of_several({10, 10.01, 9.99});
  BenchSeries after = of_several({11, 11.01, 10.99});
  for (BenchProcess& process : after.processes) process.clock_mhz = 1800;
  const ComparedPoint point = compare(before, after);
  EXPECT_EQ(point.verdict, ChangeVerdict::inconclusive);
  EXPECT_EQ(point.reason, "the SM clock was 1980 and 1800 MHz, and in cycles it is the same");
  for (BenchProcess& process : after.processes) process.clock_mhz = 1960;
  EXPECT_EQ(verdict(before, after), ChangeVerdict::slower);
}

TEST(CompareTimes, AClockThatChangedIsNamed) {
  BenchSeries series = of_several({10, 10.01, 9.99});
  EXPECT_EQ(changed_clock(series), "");
  series.processes[1].clock_mhz = 1970;
  EXPECT_EQ(changed_clock(series), "");
  series.processes[1].clock_mhz = 1485;
  EXPECT_EQ(changed_clock(series), "the SM clock was 1485 to 1980 MHz");
  series.processes[1].clock_change = 0.5;
  EXPECT_EQ(changed_clock(series), "the SM clock was 990 to 1980 MHz");
  series.processes[0].clock_mhz.reset();
  EXPECT_EQ(changed_clock(series), "");
}

// Times hold what an empty kernel takes in their run: 1.4 us in one, 1.5 in the other.
TEST(CompareTimes, WhatAnEmptyKernelTakesInEachRunIsAllowedFor) {
  BenchResult before = run_of(of_several({3e-6, 3.01e-6, 2.99e-6}));
  BenchResult after = run_of(of_several({3.1e-6, 3.11e-6, 3.09e-6}));
  EXPECT_EQ(compare_benches(before, after).points[0].verdict, ChangeVerdict::slower);
  before.ceilings = Ceilings{1, 1, 1, 1.4e-6};
  after.ceilings = Ceilings{1, 1, 1, 1.5e-6};
  const ComparedPoint point = compare_benches(before, after).points[0];
  EXPECT_EQ(point.verdict, ChangeVerdict::same);
  EXPECT_NEAR(point.contender->median, 3e-6, 1e-12);
  // A journal of before has times with their overhead, 1 us here.
  before = run_of(of_one(around(4e-6, 3.99e-6, 4.01e-6)));
  const ComparedPoint old = compare_benches(before, after).points[0];
  EXPECT_NEAR(old.contender->median, 4.1e-6, 1e-12);
  EXPECT_EQ(old.verdict, ChangeVerdict::inconclusive);
}

TEST(Aligned, OverheadsOfOneRunAloneArePutBackWhicheverItIs) {
  const std::optional<Ceilings> ceilings = Ceilings{1, 1, 1, 1.4e-6};
  BenchSeries with = of_several({3e-6, 3.2e-6, 3.1e-6}), without = of_several({4e-6, 4.1e-6, 4e-6});
  with.processes[0].overhead_s = 2e-6;
  for (BenchProcess& process : without.processes) process.overhead_s.reset();
  const Mean mean = mean_of(std::vector{5e-6, 4.2e-6, 4.1e-6});
  const BenchSeries then = aligned(with, ceilings, without, ceilings, 1).first;
  const BenchSeries now = aligned(without, ceilings, with, ceilings, 1).second;
  for (const BenchSeries& series : {then, now}) {
    EXPECT_NEAR(series.summary.median, mean.value, 1e-15);
    EXPECT_NEAR(series.summary.interval.high, mean.interval().high, 1e-15);
    EXPECT_NEAR(series.processes[0].median_s, 5e-6, 1e-15);
  }
}

TEST(Aligned, NoTimeBecomesNothing) {
  const std::optional<Ceilings> before = Ceilings{1, 1, 1, 1e-6}, after = Ceilings{1, 1, 1, 9e-6};
  const BenchSeries series = of_several({3e-6, 3.2e-6, 9e-6});
  EXPECT_EQ(aligned(series, before, series, after, 1).second.summary.median, series.summary.median);
  // Each launch of a batch takes a launch's time.
  BenchSeries batch = series;
  batch.batch = 10;
  EXPECT_NEAR(aligned(batch, after, batch, before, 3).second.summary.median,
              series.summary.median + 24e-6, 1e-15);
  // All runs of a graph share the time of one launch.
  batch.mode = TimingMode::hot_graph;
  EXPECT_NEAR(aligned(batch, after, batch, before, 3).second.summary.median,
              series.summary.median + 0.8e-6, 1e-15);
}

// A run's measure of a launch is subtracted from its times, so aligning removes its effect.
TEST(Aligned, OtherMeasuresOfALaunchMakeNoDifference) {
  const PlannedCase planned = testing_results::planned();
  for (const TimingMode mode : {TimingMode::cold, TimingMode::hot, TimingMode::cold_graph}) {
    Measurement measured = testing_results::measurement();
    measured.kernels.push_back(measured.kernels.front());
    measured.series = {testing_results::series(mode, 10e-6, 0.01, 9)};
    measured.series[0].batch = mode == TimingMode::cold ? 1 : 20;
    measured.series[0].empty_seconds = {mode == TimingMode::cold ? 3e-6 : 2e-6};
    const std::optional<Ceilings> slow = Ceilings{1, 1, 1, 1.66e-6},
                                  fast = Ceilings{1, 1, 1, 1.38e-6};
    const BenchSeries before = timed_case(planned, "", {}, {measured, measured}, slow)->series[0];
    const BenchSeries after = timed_case(planned, "", {}, {measured, measured}, fast)->series[0];
    EXPECT_NE(before.summary.median, after.summary.median);
    EXPECT_NEAR(aligned(before, slow, after, fast, 2).second.summary.median, before.summary.median,
                1e-13)
        << to_text(mode);
  }
}

/// The comparison of two fixtures by "ID CACHE".
std::map<std::string, ComparedPoint> points_of(const BenchComparison& comparison) {
  std::map<std::string, ComparedPoint> points;
  for (const ComparedPoint& point : comparison.points) {
    const std::string cache = point.mode ? " " + std::string(to_text(*point.mode)) : "";
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
  ASSERT_EQ(comparison.notes.size(), 2U);
  EXPECT_EQ(comparison.notes[0].text, "the drivers differ: 13.0 and 13.1");
  EXPECT_EQ(
      comparison.notes[1].text,
      "Holm's correction for 18 points: a false alarm among them has a chance of 5 % at most");
  EXPECT_FALSE(comparison.notes[0].grave);
}

TEST(CompareFixtures, OlderJournalsShowLessOfShortKernels) {
  const BenchComparison comparison =
      compare_benches(fixture("h200_one_process"), fixture("h200_one_process_slower"));
  EXPECT_EQ(comparison.count(ChangeVerdict::slower), 4U);
  EXPECT_EQ(comparison.count(ChangeVerdict::faster), 4U);
  EXPECT_EQ(comparison.count(ChangeVerdict::same), 1U);
  EXPECT_EQ(comparison.count(ChangeVerdict::inconclusive), 9U);
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
  // A case that has recovered had no figures before, and is no news.
  const BenchComparison back = compare_benches(fixture("h200_failures"), fixture("h200"));
  EXPECT_EQ(back.count(ChangeVerdict::lost), 0U);
  EXPECT_EQ(points_of(back).at("copy.dtype=float32,n=1048576 cold").reason,
            "had no figures before: 3 of 1048576 elements of `out` are wrong");
}

TEST(CompareFixtures, WhatATornRunDidNotComeToIsLost) {
  const BenchComparison comparison = compare_benches(fixture("h200"), fixture("h200_torn"));
  EXPECT_EQ(comparison.count(ChangeVerdict::lost), 5U);
  EXPECT_EQ(points_of(comparison).at("reductions/sum.n=1048576").reason, "the run ended before it");
  ASSERT_EQ(comparison.notes.size(), 2U);
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
  EXPECT_FALSE(point.mode);
  EXPECT_FALSE(point.baseline);
  ASSERT_EQ(point.counters.size(), 2U);
  EXPECT_EQ(point.counters[0].name, "ptx_thread_instructions");
  EXPECT_EQ(point.counters[0].baseline, 11 * 257);
  EXPECT_EQ(point.counters[0].contender, 22 * 257);
  EXPECT_EQ(point.ratio->value, 2);
  EXPECT_EQ(compare_benches(fixture("cpu_more"), fixture("cpu")).count(ChangeVerdict::faster), 3U);
}

TEST(CompareCounters, ATradeIsMixedAndWhatGrewComesFirst) {
  const BenchComparison trade = compare_benches(fixture("cpu"), fixture("cpu_trade"));
  EXPECT_EQ(trade.count(ChangeVerdict::mixed), 3U);
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

TEST(CompareCounters, NewOnesAreReportedAndZerosCount) {
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
  EXPECT_EQ(point.verdict, ChangeVerdict::lost);
  std::vector<std::string> names;
  for (const CounterChange& change : point.counters) names.push_back(change.name);
  EXPECT_EQ(names, (std::vector<std::string>{"gone", "grew", "little", "less", "more"}));
  EXPECT_FALSE(point.ratio);
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

TEST(CompareCounters, AnotherCompilerIsReportedLoudly) {
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

TEST(CompareCounters, AnotherTargetOfCompilationIsReported) {
  BenchResult before = fixture("cpu"), after = fixture("cpu");
  after.target = "sm_90";
  EXPECT_TRUE(compare_benches(before, after).notes.empty()) << "older records have none";
  before.target = "sm_90a";
  const BenchComparison comparison = compare_benches(before, after);
  ASSERT_EQ(comparison.notes.size(), 1U);
  EXPECT_FALSE(comparison.notes[0].grave);
  EXPECT_EQ(comparison.notes[0].text, "the targets of compilation differ: sm_90a and sm_90");
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
  EXPECT_EQ(comparison.points.at(0).mode, TimingMode::hot);
  // One case that both have is enough to see it.
  BenchResult all = fixture("cpu");
  all.cases[0].id = "other.n=1";
  EXPECT_NE(refusal(all, timed).find("only one of the devices counts"), std::string::npos);
}

TEST(CompareRefuses, NothingInCommon) {
  const Summary summary = around(1, 1, 1);
  EXPECT_NE(refusal(run_of(of_one(summary)), run_of(of_one(summary), "other.n=1"))
                .find("no case in common"),
            std::string::npos);
  BenchResult without = run_of(of_one(summary));
  without.cases[0].series.clear();
  EXPECT_NE(refusal(without, run_of(of_one(summary))).find("has figures"), std::string::npos);
  // A case that failed is in common, and lost.
  without.cases[0].verdict = Verdict::failed;
  EXPECT_EQ(compare_benches(run_of(of_one(summary)), without).count(ChangeVerdict::lost), 1U);
}

}  // namespace
}  // namespace warpmark
