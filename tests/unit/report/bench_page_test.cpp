#include "report/bench/bench_page.hpp"

#include <gtest/gtest.h>

#include <set>

#include "report/bench/bench_markdown.hpp"
#include "report/bench/bench_plots.hpp"
#include "report/bench/glossary.hpp"
#include "report/page/html.hpp"
#include "report/page/markdown.hpp"
#include "report/page/page.hpp"

namespace warpmark {
namespace {

const std::filesystem::path kResults = std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results";

std::vector<NamedResult> named(const std::vector<std::string>& names) {
  std::vector<BenchResult> results;
  results.reserve(names.size());
  for (const std::string& name : names) {
    results.push_back(read_bench_result(kResults / (name + ".jsonl")));
  }
  return name_results(std::move(results));
}

std::vector<std::string> titles(const ReportTable& table) {
  std::vector<std::string> all;
  for (const ReportColumn& column : table.columns) all.push_back(column.title);
  return all;
}

TEST(ReportTable, OfOneResult) {
  const std::vector<ReportTable> tables = report_tables(named({"h200"}));
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].suite, "copy");
  EXPECT_EQ(titles(tables[0]),
            (std::vector<std::string>{"case", "mode", "time", "±", "GB/s", "of copy", "occupancy",
                                      "registers", "samples"}));
  EXPECT_EQ(tables[0].rows.size(), 16U);
  EXPECT_EQ(tables[0].rows[0],
            (std::vector<std::string>{"dtype=float32,n=65536", "cold", "2.226 µs", "±0.19 %",
                                      "235.5", "5.6 %", "100 %", "32", "25"}));
  EXPECT_EQ(titles(tables[1]).back(), "notes");
  EXPECT_EQ(tables[1].rows[0].back(), "the budget ended it");
}

TEST(ReportTable, OfSeveralResultsSideBySide) {
  const std::vector<ReportTable> tables = report_tables(named({"h200", "h200_failures"}));
  ASSERT_EQ(tables.size(), 3U);  // with `scan`, which only the second has
  const ReportTable& copy = tables[0];
  EXPECT_EQ(copy.columns.size(), 10U);
  EXPECT_EQ(copy.columns[6].result, 1U);
  // A failed case stands beside its time.
  EXPECT_EQ(copy.rows[2][2], "4.050 µs");
  EXPECT_EQ(copy.rows[2][6], "failed");
  EXPECT_EQ(
      copy.notes,
      (std::vector<std::string>{
          "dtype=float32,n=1048576 of h200_failures: 3 of 1048576 elements of `out` are wrong",
          "dtype=float32,n=268435456 of h200_failures: needs 2 GiB, the device has 1 GiB",
          "dtype=float64,n=65536 of h200_failures: throttled: sw_power_cap"}));
  EXPECT_EQ(tables[1].notes.at(0), "n=1048576 cold of h200: the budget ended it");
  // One that the second was not asked for is empty there.
  EXPECT_EQ(copy.rows.back()[6], "");
  EXPECT_EQ(tables[2].suite, "scan");
}

TEST(ReportTable, OfCounters) {
  const std::vector<ReportTable> tables = report_tables(named({"cpu"}));
  const std::vector<std::string> all = titles(tables.at(0));
  const auto found = std::find(all.begin(), all.end(), "thread instructions");
  ASSERT_NE(found, all.end());
  EXPECT_EQ(tables[0].rows[1][static_cast<size_t>(found - all.begin())], "2,827");
  EXPECT_EQ(std::find(all.begin(), all.end(), "of copy"), all.end());
}

TEST(ReportTable, NamesStayDifferent) {
  const std::vector<NamedResult> twice = named({"cpu", "cpu", "h200"});
  EXPECT_NE(twice[0].name, twice[1].name);
  EXPECT_EQ(twice[2].name, "h200");
}

TEST(ReportTable, OfCountersOfSeveralResultsHasChangesAndNoTimes) {
  const std::vector<ReportTable> tables = report_tables(named({"cpu", "cpu_more", "cpu"}));
  const ReportTable& table = tables.at(0);
  EXPECT_EQ(titles(table),
            (std::vector<std::string>{"case", "thread instructions", "thread instructions",
                                      "change", "thread instructions"}))
      << "nothing changed in the third";
  EXPECT_EQ(table.rows[1],
            (std::vector<std::string>{"n=257", "2,827", "5,654", "+100 %", "2,827"}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(ReportTable, ACountedCaseThatFailedSaysSo) {
  std::vector<NamedResult> results = named({"cpu", "h200"});
  BenchCase& one = results[0].result.cases[0];
  one.verdict = Verdict::failed;
  one.counters.clear();
  one.series.clear();
  for (BenchCase& counted : results[0].result.cases) {
    if (!counted.counters.empty()) counted.counters.emplace_back("global_load_bytes", 4096);
  }
  const ReportTable table = report_tables(results).at(0);
  EXPECT_EQ(titles(table),
            (std::vector<std::string>{"case", "thread instructions", "bytes loaded"}));
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"n=4", "failed", ""}));
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"n=257", "2,827", "4,096"}));
}

TEST(ReportTable, OfPeaks) {
  const std::vector<ReportTable> tables = report_tables(named({"peaks"}));
  EXPECT_EQ(titles(tables.at(0)),
            (std::vector<std::string>{"case", "mode", "time", "±", "GB/s", "of copy", "GFLOP/s",
                                      "of peak", "occupancy", "registers", "samples"}));
}

TEST(Glossary, ExplainsWhatIsThere) {
  std::vector<NamedResult> results = named({"h200"});
  const auto terms = [&] {
    std::set<std::string> names;
    for (const auto& [name, text] : glossary(report_tables(results))) names.insert(name);
    return names;
  };
  EXPECT_TRUE(terms().contains("cold") && terms().contains("hot") && terms().contains("±"));
  EXPECT_FALSE(terms().contains("of peak") || terms().contains("cold graph"));
  // Every mode has a word.
  BenchCase& one = results[0].result.cases[0];
  const BenchSeries pattern = one.series[0];
  for (const TimingMode mode : each_value<TimingMode>()) {
    if (one.find_series(mode) != nullptr) continue;
    one.series.push_back(pattern);
    one.series.back().mode = mode;
  }
  for (const TimingMode mode : each_value<TimingMode>()) {
    EXPECT_TRUE(terms().contains(std::string(to_text(mode)))) << to_text(mode);
  }
  results = named({"cpu"});
  EXPECT_FALSE(terms().contains("cold") || terms().contains("±") || terms().contains("time"));
  EXPECT_TRUE(terms().contains("thread instructions"));
}

TEST(SuitePlots, RatesAgainstNByDtype) {
  const std::vector<SuitePlots> all = suite_plots(named({"h200"}));
  ASSERT_EQ(all.size(), 2U);
  ASSERT_EQ(all[0].lines.plots.size(), 2U);
  EXPECT_EQ(all[0].lines.plots[0].caption, "float32");
  const LinePlot& plot = all[0].lines.plots[0].plot;
  EXPECT_EQ(plot.x_label, "n");
  EXPECT_EQ(plot.y_label, "GB/s");
  EXPECT_FALSE(plot.log_y);
  ASSERT_EQ(plot.lines.size(), 2U);
  EXPECT_EQ(plot.lines[0].label, "cold");
  EXPECT_EQ(plot.lines[1].label, "hot");
  EXPECT_TRUE(plot.lines[1].dashed);
  EXPECT_EQ(plot.lines[0].colour, plot.lines[1].colour);
  EXPECT_EQ(plot.lines[0].x, (std::vector<double>{65536, 1048576, 16777216, 268435456}));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_LE(plot.lines[0].low[i], plot.lines[0].y[i]);
    EXPECT_GE(plot.lines[0].high[i], plot.lines[0].y[i]);
  }
  ASSERT_EQ(plot.levels.size(), 1U);
  EXPECT_DOUBLE_EQ(plot.levels[0].value, 4230);
  ASSERT_EQ(all[0].strips.size(), 1U);
  EXPECT_EQ(all[0].strips[0].rows.size(), 16U);
  EXPECT_EQ(all[0].strips[0].rows[0].values.size(), 25U);
}

TEST(SuitePlots, SeveralResultsAreLinesOfTheirOwn) {
  const std::vector<SuitePlots> all = suite_plots(named({"h200", "h200_slower", "h200_failures"}));
  const LinePlot& plot = all[0].lines.plots[0].plot;
  EXPECT_EQ(plot.lines.size(), 6U);
  EXPECT_EQ(plot.lines[0].label, "h200, cold");
  EXPECT_EQ(plot.levels.size(), 1U);  // of the same kind of device
}

TEST(SuitePlots, CountersAreDrawnAndTheirTimesAreNot) {
  const std::vector<SuitePlots> all = suite_plots(named({"cpu"}));
  ASSERT_EQ(all.at(0).lines.plots.size(), 1U);
  EXPECT_EQ(all[0].lines.plots[0].plot.y_label, "thread instructions");
  EXPECT_EQ(all[0].lines.plots[0].plot.lines[0].y, (std::vector<double>{44, 2827, 11264}));
  EXPECT_TRUE(all[0].strips.empty());
}

TEST(SuitePlots, ManyLinesAndSamplesAreSpread) {
  std::vector<NamedResult> results = named({"h200"});
  std::vector<BenchCase>& cases = results[0].result.cases;
  const BenchCase pattern = cases.back();
  cases.clear();
  for (int variant = 0; variant < 10; ++variant) {
    for (const char* n : {"1", "2"}) {
      BenchCase one = pattern;
      one.point = {{"variant", "v" + std::to_string(variant)}, {"n", n}};
      one.series[0].samples.assign(5000, one.series[0].summary.median);
      cases.push_back(one);
    }
  }
  const std::vector<SuitePlots> all = suite_plots(results);
  ASSERT_EQ(all[0].lines.plots.size(), 2U);
  EXPECT_EQ(all[0].lines.plots[0].plot.lines.size(), 8U);
  EXPECT_EQ(all[0].lines.plots[1].plot.lines.size(), 2U);
  EXPECT_EQ(all[0].strips[0].rows[0].values.size(), 150U);
}

TEST(SuitePlots, WithoutANumericAxisThereIsNoLine) {
  std::vector<NamedResult> results = named({"h200"});
  for (BenchCase& one : results[0].result.cases) one.point = {{"mode", "fast"}};
  EXPECT_TRUE(suite_plots(results)[0].lines.plots.empty());
  for (BenchCase& one : results[0].result.cases) one.point.clear();
  EXPECT_TRUE(suite_plots(results)[0].lines.plots.empty());
}

const std::string kEvil = "<script>alert('x')</script>&\"|`\n\x1b[31m";

std::vector<NamedResult> evil() {
  std::vector<NamedResult> results = named({"h200_failures"});
  BenchResult& result = results[0].result;
  result.device_name = result.command = result.processor = result.date = result.version = kEvil;
  result.nvrtc_version = result.error = kEvil;
  result.complete = false;
  result.commit = kEvil;
  for (BenchCase& one : result.cases) {
    one.suite = one.id = one.reason = kEvil;
    for (KernelFacts& kernel : one.kernels) {
      kernel.entry = kEvil;
      kernel.local_bytes = 8;
    }
    one.after.throttle_reasons = {kEvil};
  }
  result.cases.resize(3);
  results[0].name = kEvil;
  results.push_back(results[0]);
  return results;
}

TEST(BenchPage, EscapesAllThatAResultSays) {
  for (const size_t count : {1U, 2U}) {
    std::vector<NamedResult> results = evil();
    results.resize(count);
    const std::string page = bench_page(results, {}, kEvil);
    EXPECT_EQ(page.find("<script"), std::string::npos);
    EXPECT_EQ(page.find('\x1b'), std::string::npos);
    EXPECT_NE(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"),
              std::string::npos);
    EXPECT_NE(page.find("<svg class=\"plot\""), std::string::npos);
    const std::string markdown = bench_markdown(results);
    EXPECT_EQ(markdown.find('\x1b'), std::string::npos);
  }
}

TEST(Markdown, TextIsShownAsItIs) {
  EXPECT_EQ(markdown_text("a|b *c* [d](e) <f> @g #1\nh"),
            "a\\|b \\*c\\* \\[d\\](e) &lt;f&gt; &#64;g &#35;1 h");
  EXPECT_EQ(markdown_code("a|b`c\nd"), "`a\\|b'c d`");
}

TEST(Markdown, ATableIsReadableAsText) {
  using Cells = std::vector<PageCell>;
  const PageTable table = {
      {{"case"}, {"µs", true}, {"notes"}},
      {{Cells{{"a"}, {"1"}, {"as long as it likes"}}}, {Cells{{"bcdef"}, {"22.5 µ"}, {""}}}}};
  EXPECT_EQ(markdown_table(table),
            "| case  |     µs | notes |\n"
            "|-------|-------:|-------|\n"
            "| a     |      1 | as long as it likes |\n"
            "| bcdef | 22.5 µ |       |\n");
}

TEST(Html, Text) {
  EXPECT_EQ(html_text("a<b>&\"'\x01"), "a&lt;b&gt;&amp;&quot;&#39;\xEF\xBF\xBD");
}

}  // namespace
}  // namespace warpmark
