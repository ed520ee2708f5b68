#include "report/run/console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/run/counters_text.hpp"

namespace warpmark {
namespace {

size_t count_cases(const std::vector<SuiteCount>& suites) {
  return std::accumulate(suites.begin(), suites.end(), size_t{0},
                         [](size_t sum, const SuiteCount& suite) { return sum + suite.cases; });
}

}  // namespace

ConsoleReport::ConsoleReport(std::ostream& out, ConsoleStyle style, std::vector<SuiteCount> suites,
                             const RunContext& context)
    : frame_(out, style, suites.size(), count_cases(suites), context), suites_(std::move(suites)) {
  name_width_ = std::string_view("suite").size();
  for (const SuiteCount& suite : suites_) name_width_ = std::max(name_width_, suite.name.size());
  if (style.verbosity == Verbosity::normal) write_table_header();
}

void ConsoleReport::start_case(const std::string& case_id) {
  frame_.show_progress(case_id);
}

void ConsoleReport::end_case(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  frame_.add(ended);
  Row& row = open_rows_[outcome.suite];
  row.totals.add(outcome.verdict);
  row.seconds += outcome.seconds;
  if (verbosity() == Verbosity::verbose) frame_.write_verdict(outcome);
  if (verbosity() != Verbosity::quiet && !outcome.counters.empty()) {
    frame_.write(counters_text(outcome, frame_.style()));
  }
  if (verbosity() != Verbosity::normal) return;
  // Suites come in order, so the row is almost always the next one.
  const auto is_it = [&](const SuiteCount& suite) { return suite.name == outcome.suite; };
  const auto suite = std::find_if(suites_.begin() + static_cast<std::ptrdiff_t>(next_suite_),
                                  suites_.end(), is_it);
  if (suite == suites_.end() || row.totals.cases() < suite->cases) return;
  write_row(*suite, row);
  open_rows_.erase(outcome.suite);
  while (next_suite_ < suites_.size() && suites_[next_suite_].name == outcome.suite) ++next_suite_;
}

void ConsoleReport::finish(const RunEnd& end) {
  for (const SuiteCount& suite : suites_) {
    const auto row = open_rows_.find(suite.name);
    if (verbosity() == Verbosity::normal && row != open_rows_.end()) {
      write_row(suite, row->second);
    }
  }
  open_rows_.clear();
  frame_.finish(end);
}

void ConsoleReport::write_table_header() {
  const ConsoleStyle& style = frame_.style();
  frame_.write(coloured(style, Colour::dim,
                        fmt::format("{:<{}}  {:>6}  {:>6}  {:>6}  {:>7}  {:>11}", "suite",
                                    name_width_, "cases", "passed", "failed", "skipped", "time")) +
               "\n");
}

void ConsoleReport::write_row(const SuiteCount& suite, const Row& row) {
  const Totals& totals = row.totals;
  const ConsoleStyle& style = frame_.style();
  // Zeros as dashes: the eye finds the numbers that matter.
  const auto cell = [](size_t count) { return count == 0 ? "-" : std::to_string(count); };
  const auto marked = [&](size_t count, Colour colour, size_t width) {
    const std::string text = fmt::format("{:>{}}", cell(count), width);
    return count > 0 ? coloured(style, colour, text) : text;
  };
  std::string line =
      fmt::format("{:<{}}  {:>6}  {:>6}  {}  {}  {:>11}", suite.name, name_width_, suite.cases,
                  cell(totals.passed), marked(totals.failed, Colour::red, 6),
                  marked(totals.skipped, Colour::yellow, 7), duration_text(row.seconds));
  const size_t ended = totals.passed + totals.failed + totals.skipped;
  const size_t not_run = totals.not_run;
  if (not_run > 0) line += fmt::format("  ({} not run)", not_run);
  if (ended + not_run < suite.cases) {
    line += fmt::format("  ({} interrupted)", suite.cases - ended - not_run);
  }
  frame_.write(line + "\n");
}

}  // namespace warpmark
