#include "results/bench_history.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {
namespace {

const std::filesystem::path kResults = std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results";

std::vector<BenchResult> fixtures(const std::string& name, const std::string& letters) {
  std::vector<BenchResult> results;
  for (const char letter : letters) {
    results.push_back(read_bench_result(kResults / fmt::format("{}_{}.jsonl", name, letter)));
  }
  return results;
}

// Views, as GCC 13 suspects a reference from a call that binds a temporary string.
const HistoryPoint& find(const BenchHistory& history, std::string_view suite,
                         std::string_view what) {
  for (const HistoryPoint& point : history.points) {
    if (point.suite == suite && (point.mode == what || point.counter == what)) return point;
  }
  throw internal_error(fmt::format("no point {} {}", suite, what));
}

std::vector<size_t> runs_of_changes(const HistoryPoint& point) {
  std::vector<size_t> all;
  for (const HistoryChange& change : point.changes) all.push_back(change.run);
  return all;
}

std::string refusal(std::vector<BenchResult> results) {
  try {
    make_history(std::move(results));
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(BenchHistory, OrdersRunsByDateAndNamesThemByCommit) {
  const BenchHistory history = make_history(fixtures("history", "abcdef"));
  std::vector<std::string> labels;
  for (const HistoryRun& run : history.runs) labels.push_back(run.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"0a1b2c3", "1b2c3d4", "2c3d4e5", "3d4e5f6", "4e5f6a7",
                                              "4e5f6a7-dirty"}));
  EXPECT_EQ(history.runs[0].result.file.filename(), "history_c.jsonl");
  ASSERT_EQ(history.runs[4].notes.size(), 1U);
  EXPECT_EQ(history.runs[4].notes[0].text, "the drivers differ: 13.0 and 13.1");
  EXPECT_TRUE(history.runs[5].notes.empty());
}

TEST(BenchHistory, LabelsStayDifferent) {
  std::vector<BenchResult> results = fixtures("history", "aabc");
  results.back().commit.reset();
  std::vector<std::string> labels;
  for (const HistoryRun& run : make_history(std::move(results)).runs) labels.push_back(run.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"history_c", "1b2c3d4 (history_a)",
                                              "1b2c3d4 (history_a) #2", "3d4e5f6"}));
}

TEST(BenchHistory, FindsWhatChanged) {
  const BenchHistory history = make_history(fixtures("history", "fedcba"));
  EXPECT_FALSE(history.counted);
  for (const std::string mode : {"cold", "hot"}) {
    const HistoryPoint& blur = find(history, "kernels/blur", mode);
    ASSERT_EQ(runs_of_changes(blur), std::vector<size_t>{3}) << mode;
    EXPECT_NEAR(blur.changes[0].ratio.value, 1.08, 0.005);
    EXPECT_TRUE(blur.changes[0].sources_differ);
    EXPECT_LT(blur.changes[0].tail.value(), 0.001);
    const HistoryPoint& sum = find(history, "kernels/sum", mode);
    ASSERT_EQ(runs_of_changes(sum), std::vector<size_t>{4}) << mode;
    EXPECT_NEAR(sum.changes[0].ratio.value, 0.9, 0.005);
    EXPECT_FALSE(sum.changes[0].sources_differ) << "another kernel came a run earlier";
    const HistoryPoint& scan = find(history, "kernels/scan", mode);
    EXPECT_TRUE(scan.changes.empty());
    ASSERT_TRUE(scan.drift) << mode;
    EXPECT_NEAR(scan.drift->value, std::pow(1.009, 5), 0.01);
    for (const char* suite : {"kernels/copy", "kernels/histogram"}) {
      EXPECT_FALSE(find(history, suite, mode).changed()) << suite << mode;
    }
  }
}

TEST(BenchHistory, WhatARunHasNotIsAGap) {
  const BenchHistory history = make_history(fixtures("history", "abcdef"));
  const HistoryPoint& sort = find(history, "kernels/sort", "cold");
  EXPECT_FALSE(sort.values[2]);
  EXPECT_EQ(sort.verdicts[2], "failed");
  EXPECT_TRUE(sort.values[3]);
  EXPECT_FALSE(sort.changed());
  const HistoryPoint& histogram = find(history, "kernels/histogram", "hot");
  EXPECT_FALSE(histogram.values[1]);
  EXPECT_EQ(histogram.verdicts[1], "");
  EXPECT_TRUE(histogram.values[2]);
}

TEST(BenchHistory, EachDifferenceOfACounterIsAChange) {
  const BenchHistory history = make_history(fixtures("counted", "abcdef"));
  EXPECT_TRUE(history.counted);
  ASSERT_EQ(history.points.size(), 4U);
  const HistoryPoint& first = history.points[0];
  EXPECT_EQ(first.counter, "ptx_thread_instructions");
  EXPECT_EQ(runs_of_changes(first), std::vector<size_t>{2});
  EXPECT_EQ(first.changes[0].ratio.value, 48.0 / 44);
  EXPECT_FALSE(first.changes[0].tail);
  EXPECT_EQ(first.unchanged_counters, 3U);
  const HistoryPoint& loads = history.points[3];
  EXPECT_EQ(loads.id, "doublify.n=1024");
  EXPECT_EQ(loads.counter, "global_read_bytes");
  EXPECT_EQ(runs_of_changes(loads), std::vector<size_t>{4});
  EXPECT_EQ(history.points[2].unchanged_counters, 2U);
  // Another compiler may be why counts differ.
  EXPECT_TRUE(history.runs[5].notes.at(0).grave);
  // By the least effect, too.
  HistoryOptions options;
  options.least_count_effect = 0.2;
  EXPECT_FALSE(make_history(fixtures("counted", "abcdef"), options).points[0].changed());
}

TEST(BenchHistory, ACounterThatIsGoneIsShown) {
  std::vector<BenchResult> results = fixtures("counted", "abcdef");
  for (BenchCase& one : results[0].cases)
    std::erase_if(one.counters,
                  [](const auto& counter) { return counter.first == "global_write_bytes"; });
  const BenchHistory history = make_history(std::move(results));
  const HistoryPoint& point = find(history, "doublify", "global_write_bytes");
  EXPECT_FALSE(point.values[1]);
  EXPECT_FALSE(point.changed());
}

TEST(BenchHistory, OtherDevicesAreRefused) {
  std::vector<BenchResult> results = fixtures("history", "abc");
  results.push_back(read_bench_result(kResults / "a100.jsonl"));
  const std::string message = refusal(results);
  EXPECT_NE(message.find("a history is of one device"), std::string::npos) << message;
  EXPECT_NE(message.find("NVIDIA A100-SXM4-80GB ("), std::string::npos) << message;
  results.pop_back();
  results[2].capabilities.emplace_back("counters");
  EXPECT_NE(refusal(results).find("only one of the devices counts"), std::string::npos);
}

TEST(BenchHistory, AJournalThatIsNotWholeIsNotedOnce) {
  std::vector<BenchResult> results = fixtures("history", "cab");
  results[0].complete = false;
  const BenchHistory history = make_history(std::move(results));
  ASSERT_EQ(history.runs[0].notes.size(), 1U);
  EXPECT_TRUE(history.runs[0].notes[0].grave);
  EXPECT_TRUE(history.runs[1].notes.empty());
}

TEST(BenchHistory, AChangeOfTheClockIsNotHeldAgainstTheKernel) {
  std::vector<BenchResult> results = fixtures("history", "abcdef");
  for (BenchResult& result : results) {
    for (BenchCase& one : result.cases) {
      if (one.suite != "kernels/blur" || result.date < "2026-11-11") continue;
      for (BenchProcess& process : one.series[0].processes) process.clock_mhz = 1980 / 1.08;
    }
  }
  const BenchHistory history = make_history(std::move(results));
  EXPECT_EQ(find(history, "kernels/blur", "cold").changes.at(0).reason,
            "the SM clock was 1980 and 1833 MHz, and in cycles it is the same");
  EXPECT_EQ(find(history, "kernels/blur", "hot").changes.at(0).reason, "");
}

// As compare_benches() allows for it.
TEST(BenchHistory, WhatAnEmptyKernelTakesIsAllowedFor) {
  const std::vector<BenchResult> results = fixtures("history", "cab");
  const auto first_time = [](std::vector<BenchResult> all) {
    return find(make_history(std::move(all)), "kernels/copy", "cold").values[0]->value;
  };
  const double plain = first_time(results);
  EXPECT_NEAR(plain, results[0].find("kernels/copy.n=16777216")->series[0].summary.median, 1e-15);
  std::vector<BenchResult> other = results;
  other[0].ceilings->launch_s -= 1e-6;
  EXPECT_NEAR(first_time(other), plain + 1e-6, 1e-12) << "the others have a longer launch";
  other = results;
  for (BenchCase& one : other[1].cases) {
    for (BenchSeries& series : one.series) {
      for (BenchProcess& process : series.processes) process.overhead_s.reset();
    }
  }
  EXPECT_NEAR(first_time(other), plain + 1.8e-6, 1e-12) << "one run timed no empty kernel";
}

TEST(BenchHistory, AJournalMayHaveSeveralRuns) {
  const TemporaryFolder folder("history-test");
  const std::filesystem::path all = folder.path() / "all.jsonl";
  std::ofstream(all) << read_file(kResults / "check.jsonl")
                     << read_file(kResults / "history_a.jsonl")
                     << read_file(kResults / "history_b.jsonl");
  const std::vector<BenchResult> results = read_bench_results(all);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(make_history(results).runs[0].label, "1b2c3d4");
  EXPECT_THROW(read_bench_results(kResults / "check.jsonl"), Error);
}

}  // namespace
}  // namespace warpmark
