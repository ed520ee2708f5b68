// A history in words and pictures; the golden files of tests/cli/report have whole reports.
#include "report/history/history_report.hpp"

#include <gtest/gtest.h>

#include "report/history/history_rows.hpp"
#include "report/history/sparkline.hpp"

namespace warpmark {
namespace {

/// Times in µs, 0 for none, with an interval of 1 % on either side.
HistoryPoint times(const std::vector<double>& values, const std::string& id = "copy.n=4") {
  HistoryPoint point;
  point.suite = "copy";
  point.id = id;
  point.point = "n=4";
  point.mode = "cold";
  for (const double value : values) {
    point.verdicts.emplace_back();
    if (value == 0) {
      point.values.emplace_back();
    } else {
      point.values.push_back(
          HistoryValue{value * 1e-6, value * 0.99e-6, value * 1.01e-6, 0.95, 20});
    }
  }
  return point;
}

HistoryPoint counts(const std::vector<double>& values) {
  HistoryPoint point = times(values);
  point.mode.clear();
  point.counter = "global_load_bytes";
  for (size_t i = 0; i < values.size(); ++i) {
    if (point.values[i]) point.values[i] = HistoryValue{values[i], values[i], values[i]};
  }
  return point;
}

BenchHistory history_of(const std::vector<HistoryPoint>& points) {
  BenchHistory history;
  for (size_t i = 0; i < points.front().values.size(); ++i) {
    HistoryRun run;
    run.label = "run" + std::to_string(i);
    run.result.device_name = "device";
    run.result.date = "2026-11-02T09:30:00Z";
    history.runs.push_back(run);
  }
  history.points = points;
  return history;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

HistoryChange change_at(size_t run, double ratio) {
  HistoryChange change;
  change.run = run;
  change.ratio = {ratio, ratio - 0.003, ratio + 0.003};
  change.sources_differ = true;
  return change;
}

TEST(Sparkline, GapsStayGaps) {
  HistoryPoint point = times({10, 10, 0, 10, 10, 0, 10});
  point.verdicts[5] = "failed";
  const std::string svg = sparkline(history_of({point}), point);
  EXPECT_EQ(count_of(svg, "class=\"line\""), 2U) << "a single value has no line";
  EXPECT_EQ(count_of(svg, "class=\"band\""), 2U);
  EXPECT_EQ(count_of(svg, "<circle"), 5U);
  EXPECT_EQ(count_of(svg, "run5: failed"), 1U);
  EXPECT_EQ(count_of(svg, "run2"), 0U) << "one that the run does not have";
  EXPECT_NE(svg.find("<title>run0: 10.00 µs ±1.00 %</title>"), std::string::npos) << svg;
}

TEST(Sparkline, ChangesAreLines) {
  HistoryPoint point = times({10, 10, 11, 11, 9});
  point.changes = {change_at(2, 1.1), change_at(4, 0.82)};
  point.changes[1].reason = "the SM clock was 1500 and 1980 MHz";
  const std::string svg = sparkline(history_of({point}), point);
  EXPECT_EQ(count_of(svg, "class=\"worse\""), 1U);
  EXPECT_EQ(count_of(svg, "class=\"better explained\""), 1U);
  // Between the values before and after it: 12 + 336 * 1.5 / 4.
  EXPECT_NE(svg.find("class=\"worse\" d=\"M138.0"), std::string::npos) << svg;
}

TEST(Sparkline, NoiseIsNoStep) {
  const HistoryPoint point = times({10, 10.02, 9.99});
  const std::string svg = sparkline(history_of({point}), point);
  // Ends of a scale of 5 %, where the values span 2.3 %.
  EXPECT_NE(svg.find(">10.26 µs<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">9.755 µs<"), std::string::npos) << svg;
}

TEST(Sparkline, OfEqualCountsOfZeroAndOfNothing) {
  for (const HistoryPoint& point : {counts({4, 4}), counts({0, 0}), times({0, 0, 0}), times({5})}) {
    const std::string svg = sparkline(history_of({point}), point);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  }
}

TEST(HistoryRows, ChangesInWords) {
  HistoryPoint point = times({10, 10, 11});
  point.changes = {change_at(2, 1.1)};
  const BenchHistory history = history_of({point});
  EXPECT_EQ(change_lines(history, point),
            std::vector<std::string>{"+10.0 % (+9.7 … +10.3 %) from run2 on"});
  point.changes[0].sources_differ = false;
  EXPECT_EQ(remark_text(point, point.changes[0]), "of the same sources: look at the machine");
  point.changes[0].reason = "the SM clock was 1500 and 1980 MHz";
  EXPECT_EQ(remark_text(point, point.changes[0]), "the SM clock was 1500 and 1980 MHz");
  EXPECT_EQ(whole_change_text(point), "+10.0 %");
  EXPECT_EQ(whole_change_text(counts({7, 8, 7})), "same");
  EXPECT_EQ(whole_change_text(times({7, 0, 0})), "");
}

TEST(HistoryRows, FewRunsAreSaidToShowLittle) {
  const std::string few = "so few runs hardly show how much runs vary";
  EXPECT_NE(method_text(history_of({times({1, 1, 1})})).find(few), std::string::npos);
  EXPECT_EQ(method_text(history_of({times({1, 1, 1, 1, 1, 1})})).find(few), std::string::npos);
}

TEST(HistoryRows, OfManyGapsFourAreNamed) {
  HistoryPoint point = times({10, 0, 0, 0, 0, 0, 0});
  point.verdicts[2] = "skipped";
  EXPECT_EQ(gap_text(history_of({point}), point),
            "no value in run1, run2 (skipped), run3, run4, 2 other runs");
  EXPECT_EQ(gap_text(history_of({times({1, 1})}), times({1, 1})), "");
}

TEST(HistoryPage, FoldsWhatDidNotChange) {
  std::vector<HistoryPoint> points;
  for (int i = 0; i < 13; ++i) points.push_back(times({10, 10}, "copy.n=" + std::to_string(i)));
  EXPECT_NE(history_page(history_of(points)).find("13 points without a change</summary>"),
            std::string::npos);
  points.pop_back();
  EXPECT_EQ(history_page(history_of(points)).find("without a change"), std::string::npos);
}

TEST(HistoryPage, ARemarkThatAllShareIsMadeOnce) {
  std::vector<HistoryPoint> points = {times({10, 11}), times({10, 11}, "copy.n=5")};
  for (HistoryPoint& point : points) {
    point.changes = {change_at(1, 1.1)};
    point.changes[0].sources_differ = false;
  }
  const std::string remark = "of the same sources";
  EXPECT_EQ(count_of(history_page(history_of(points)), remark), 1U + 2U)
      << "two for screen readers";
  points[1].changes[0].sources_differ = true;
  const std::string page = history_page(history_of(points));
  EXPECT_NE(page.find("<span class=\"remark\">of the same sources"), std::string::npos);
}

}  // namespace
}  // namespace warpmark
