#include "results/line_comparison.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "results/counted_baseline.hpp"
#include "results/counted_lines.hpp"
#include "results/journal.hpp"
#include "results/measurement_fields.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

using LineTexts = std::vector<std::string>;

std::vector<CountedLine> lines_with(const LineTexts& texts) {
  std::vector<CountedLine> lines;
  for (const std::string& text : texts) {
    CountedLine& line = lines.emplace_back();
    line.file = "k.cu";
    line.number = static_cast<int64_t>(lines.size());
    line.text = text;
  }
  return lines;
}

std::vector<int64_t> matched(const LineTexts& before, const LineTexts& after) {
  return matched_lines(lines_with(before), lines_with(after));
}

TEST(MatchedLines, ALineThatIsPutInMovesNoOther) {
  EXPECT_EQ(matched({"a = 1;", "b = 2;", "c = 3;"}, {"new();", "a = 1;", "b = 2;", "c = 3;"}),
            (std::vector<int64_t>{-1, 0, 1, 2}));
  EXPECT_EQ(matched({"a = 1;", "b = 2;", "c = 3;"}, {"a = 1;", "c = 3;"}),
            (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(matched({}, {"a"}), std::vector<int64_t>{-1});
  EXPECT_EQ(matched({"a"}, {}), std::vector<int64_t>{});
}

TEST(MatchedLines, EqualTextsGoByTheirOrder) {
  EXPECT_EQ(matched({"__syncthreads();", "x = y;", "__syncthreads();"},
                    {"__syncthreads();", "x = y;", "z = w(q);", "__syncthreads();"}),
            (std::vector<int64_t>{0, 1, -1, 2}));
}

TEST(MatchedLines, AChangedLineIsFoundByItsWords) {
  EXPECT_EQ(matched({"int i = threadIdx.x;", "out[i] = f * src[i];", "}"},
                    {"int i = threadIdx.x;", "float z = load(n);", "out[i] = f * src[i] + 0.f * z;",
                     "}"}),
            (std::vector<int64_t>{0, -1, 1, 2}));
  // Another line is in the same place.
  EXPECT_EQ(matched({"out[i] = f * src[i];"}, {"atomicAdd(total, 1);"}), std::vector<int64_t>{-1});
}

TEST(MatchedLines, WithoutTextsNumbersAreAllThereIs) {
  std::vector<CountedLine> before = lines_with({"", ""}), after = lines_with({"", "", ""});
  before[0].number = 4690;
  after[1].number = 4690;
  EXPECT_EQ(matched_lines(before, after), (std::vector<int64_t>{-1, 0, -1}));
}

TEST(MatchedLines, OfManyLinesOnlyEqualOnesAreFound) {
  LineTexts before, after = {"first of all"};
  for (int i = 0; i < 2500; ++i) {
    before.push_back("line " + std::to_string(i % 2400));
    after.push_back(before.back());
  }
  const std::vector<int64_t> found = matched(before, after);
  EXPECT_EQ(found[0], -1);
  EXPECT_EQ(found[1], 0);
  EXPECT_EQ(found[2500], 2499);
}

BenchCase case_with(const std::vector<std::pair<std::string, int64_t>>& counters,
                    std::vector<CountedLine> lines) {
  BenchCase one;
  one.suite = "a";
  one.id = "a.n=1";
  one.counters = counters;
  one.lines = std::move(lines);
  return one;
}

ComparedPoint compared(const BenchCase& before, const BenchCase& after,
                       const ComparisonOptions& options = {}) {
  BenchResult baseline, contender;
  baseline.complete = contender.complete = true;
  baseline.cases = {before};
  contender.cases = {after};
  return compare_benches(baseline, contender, options).points.at(0);
}

TEST(GrownLines, AreThoseOfCountersThatDecide) {
  std::vector<CountedLine> before = lines_with({"a();", "b();", "c();"}), after = before;
  before[0].counters = {{"load", 10}, {"ptx", 50}};
  before[1].counters = {{"load", 10}, {"ptx", 50}};
  before[2].counters = {{"ptx", 100}};
  after[0].counters = {{"load", 10}, {"ptx", 60}};
  after[1].counters = {{"load", 30}, {"ptx", 51}};
  after[2].counters = {{"ptx", 90}};
  BenchCase then = case_with({{"load", 20}, {"ptx", 200}}, before);
  BenchCase now = case_with({{"load", 40}, {"ptx", 201}}, after);
  now.folder = "suites/x";
  const ComparedPoint point = compared(then, now);
  ASSERT_EQ(point.lines.size(), 2U);
  // By the share of what a counter grew by: 10 of 1 instruction before 20 of 20 bytes.
  EXPECT_EQ(point.lines[0].number, 1);
  EXPECT_EQ(point.lines[0].file, "suites/x/k.cu");
  EXPECT_EQ(point.lines[0].text, "a();");
  EXPECT_EQ(point.lines[1].counters.at(0).name, "load");
  EXPECT_EQ(point.lines[1].counters.at(0).baseline, 10);
  EXPECT_EQ(point.lines[1].counters.at(0).contender, 30);
  EXPECT_EQ(point.lines[1].counters.at(1).name, "ptx");
  ComparisonOptions options;
  options.least_count_effect = 0.1;  // ptx grew by less
  const ComparedPoint loads = compared(then, now, options);
  ASSERT_EQ(loads.lines.size(), 1U);
  EXPECT_EQ(loads.lines[0].number, 2);
  EXPECT_EQ(loads.lines[0].counters.size(), 1U);
  // A point whose counters fell, or are not known by lines, has no lines.
  EXPECT_TRUE(compared(now, then).lines.empty());
  now.lines.clear();
  EXPECT_TRUE(compared(then, now).lines.empty());
}

TEST(GrownLines, OfABaselineWithoutLinesAreThoseWithMost) {
  std::vector<CountedLine> after = lines_with({"a();", "b();", "c();"});
  after[0].counters = {{"load", 10}};
  after[1].counters = {{"load", 30}};
  // No line has flops, which grew more.
  const ComparedPoint point = compared(case_with({{"flops", 1}, {"load", 20}}, {}),
                                       case_with({{"flops", 9}, {"load", 40}}, after));
  ASSERT_EQ(point.lines.size(), 2U);
  EXPECT_EQ(point.lines[0].number, 2);
  EXPECT_EQ(point.lines[0].file, "k.cu");
  EXPECT_FALSE(point.lines[0].counters.at(0).baseline);
  EXPECT_EQ(point.lines[0].counters.at(0).contender, 30);
}

TEST(GrownLines, LinesOfAnotherFileAreNew) {
  std::vector<CountedLine> before = lines_with({"a();"}), after = before;
  before[0].counters = {{"load", 10}};
  after[0].counters = {{"load", 12}};
  after[0].file = "other.cu";
  const ComparedPoint point =
      compared(case_with({{"load", 10}}, before), case_with({{"load", 12}}, after));
  EXPECT_EQ(point.lines.at(0).counters.at(0).baseline, 0);
}

TEST(CountedLines, HaveTextsAndTheCountersThatAreAskedFor) {
  const Json launch = {{"lines",
                        {{{"file", "/x/k.cu"}, {"line", 2}, {"ptx", 5}, {"other", 7}},
                         {{"file", "/cuda/include/cuda_fp16.h"}, {"line", 9}, {"ptx", 1}},
                         {{"file", "/x/k.cu"}, {"line", 3}, {"other", 7}},
                         {{"file", "/x/k.cu"}, {"line", 40}, {"ptx", 2}}}}};
  const std::vector<CountedLine> lines =
      counted_lines({launch, launch}, {{"k.cu", "first\n\t second \r\n", 1}}, {"ptx"});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].file, "cuda_fp16.h");
  EXPECT_EQ(lines[0].text, "");
  EXPECT_EQ(lines[1].file, "k.cu");
  EXPECT_EQ(lines[1].number, 2);
  EXPECT_EQ(lines[1].text, "second");
  EXPECT_EQ(lines[1].counters, (std::vector<std::pair<std::string, int64_t>>{{"ptx", 10}}));
  EXPECT_EQ(lines[2].number, 40);
}

TEST(CountedBaseline, IdsAreInTheOrderOfTheirNumbers) {
  const std::vector<std::string> order = {"a.n=2",       "a.n=016",     "a.n=16",  "a.n=100",
                                          "a.n=100,m=1", "a.t=float32", "a/b.n=1", "b"};
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(is_before(order[i], order[j]), i < j) << order[i] << " " << order[j];
    }
  }
}

TEST(AddRecords, StandBeforeTheEndAndComeBack) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "j.jsonl";
  const auto fixture = std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results/cpu.jsonl";
  write_file_atomically(file, read_file(fixture));
  std::vector<CountedLine> lines = lines_with({"a();"});
  lines[0].counters = {{"ptx_thread_instructions", 7}};
  add_records(file, {{{"type", "lines"},
                      {"case", "doublify.n=257"},
                      {"folder", "suites"},
                      {"lines", record_json(lines)}}});
  const BenchResult result = read_bench_result(file);
  EXPECT_TRUE(result.complete);
  ASSERT_EQ(result.cases[1].lines.size(), 1U);
  EXPECT_EQ(result.cases[1].lines[0].text, "a();");
  EXPECT_EQ(result.cases[1].lines[0].counters, lines[0].counters);
  EXPECT_EQ(result.cases[1].folder, "suites");
  EXPECT_TRUE(result.cases[0].lines.empty());
  // Only regular files are written to, and none without records to add.
  add_records("/dev/null", {{{"type", "lines"}}});
  const std::string text = read_file(file);
  add_records(file, {});
  EXPECT_EQ(read_file(file), text);
}

}  // namespace
}  // namespace warpmark
