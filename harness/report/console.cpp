#include "report/console.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/case_text.hpp"

namespace warpmark {

ConsoleReport::ConsoleReport(std::ostream& out, ConsoleStyle style, std::vector<SuiteCount> suites,
                             const RunContext& context)
    : out_(out), style_(style), suites_(std::move(suites)) {
  name_width_ = std::string_view("suite").size();
  for (const SuiteCount& suite : suites_) {
    cases_ += suite.cases;
    name_width_ = std::max(name_width_, suite.name.size());
  }
  out_ << coloured(style_, Colour::bold, "warpmark check") << ": "
       << run_text(suites_.size(), cases_, context) << "\n";
  if (!context.device.reason.empty()) {
    out_ << "device: " << printable(context.device.reason) << "\n";
  }
  out_ << "\n";
  write_table_header();
  out_.flush();
}

void ConsoleReport::start_case(const std::string& case_id) {
  if (!style_.progress) return;
  std::string line = fmt::format("[{}/{}] {}", totals_.cases() + 1, cases_, case_id);
  // A line that wraps could not be erased.
  if (line.size() >= style_.width) line.resize(style_.width > 0 ? style_.width - 1 : 0);
  erase_progress();
  out_ << line;
  out_.flush();
  progress_shown_ = true;
}

void ConsoleReport::end_case(const Outcome& outcome, const std::string& reproduce) {
  totals_.add(outcome.verdict);
  Row& row = open_rows_[outcome.suite];
  row.totals.add(outcome.verdict);
  row.seconds += outcome.seconds;
  if (outcome.verdict == Verdict::failed) failures_.emplace_back(outcome, reproduce);
  if (outcome.verdict == Verdict::skipped) skips_.push_back(outcome);
  note(outcome);
  for (const SuiteCount& suite : suites_) {
    if (suite.name != outcome.suite || row.totals.cases() < suite.cases) continue;
    erase_progress();
    write_row(suite, row);
    out_.flush();
    open_rows_.erase(outcome.suite);
    return;
  }
}

void ConsoleReport::finish(double seconds) {
  erase_progress();
  for (const SuiteCount& suite : suites_) {
    const auto row = open_rows_.find(suite.name);
    if (row != open_rows_.end()) write_row(suite, row->second);
  }
  open_rows_.clear();
  for (const auto& [outcome, reproduce] : failures_) {
    write_block(Colour::red, "FAILED", outcome.case_id, failure_text(outcome, reproduce));
  }
  for (const Notice& notice : notices_) {
    std::string title = notice.first_case;
    if (notice.cases > 1) title += " and " + count_text(notice.cases - 1, "more case");
    write_block(Colour::yellow, "NOTICE", title, notice.text);
  }
  write_skips();
  const Colour colour = totals_.failed > 0                  ? Colour::red
                        : totals_.passed == totals_.cases() ? Colour::green
                                                            : Colour::yellow;
  out_ << "\n" << coloured(style_, colour, totals_text(totals_, seconds)) << "\n";
  out_.flush();
}

void ConsoleReport::erase_progress() {
  if (progress_shown_) out_ << "\r\033[K";
  progress_shown_ = false;
}

void ConsoleReport::write_table_header() {
  out_ << coloured(style_, Colour::dim,
                   fmt::format("{:<{}}  {:>6}  {:>6}  {:>6}  {:>7}  {:>11}", "suite", name_width_,
                               "cases", "passed", "failed", "skipped", "time"))
       << "\n";
}

void ConsoleReport::write_row(const SuiteCount& suite, const Row& row) {
  const Totals& totals = row.totals;
  // Zeros as dashes: the eye finds the numbers that matter.
  const auto cell = [](size_t count) { return count == 0 ? "-" : std::to_string(count); };
  const std::string failed = fmt::format("{:>6}", cell(totals.failed));
  const std::string skipped = fmt::format("{:>7}", cell(totals.skipped));
  out_ << fmt::format("{:<{}}  {:>6}  {:>6}  ", suite.name, name_width_, suite.cases,
                      cell(totals.passed))
       << (totals.failed > 0 ? coloured(style_, Colour::red, failed) : failed) << "  "
       << (totals.skipped > 0 ? coloured(style_, Colour::yellow, skipped) : skipped)
       << fmt::format("  {:>11}", duration_text(row.seconds));
  const size_t ended = totals.passed + totals.failed + totals.skipped;
  if (ended < suite.cases) out_ << fmt::format("  ({} interrupted)", suite.cases - ended);
  out_ << "\n";
}

void ConsoleReport::write_block(Colour colour, const std::string& word, const std::string& title,
                                const std::string& text) {
  out_ << "\n" << coloured(style_, colour, word) << " " << printable(title) << "\n";
  for (const std::string& line : split(printable(trim(text)), '\n')) {
    out_ << (line.empty() ? "" : "  ") << line << "\n";
  }
}

void ConsoleReport::note(const Outcome& outcome) {
  for (const std::string& text : outcome.notices) {
    const auto same = std::find_if(notices_.begin(), notices_.end(),
                                   [&](const Notice& notice) { return notice.text == text; });
    if (same != notices_.end()) {
      ++same->cases;
    } else {
      notices_.push_back({text, outcome.case_id, 1});
    }
  }
}

void ConsoleReport::write_skips() {
  if (!skips_.empty()) out_ << "\n";
  for (const Outcome& skip : skips_) {
    out_ << coloured(style_, Colour::yellow, "SKIPPED") << " " << skip.case_id << ": "
         << printable(skip.reason) << "\n";
  }
}

}  // namespace warpmark
