#include "report/console.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/case_text.hpp"

namespace warpmark {

ConsoleReport::ConsoleReport(std::ostream& out, ConsoleStyle style, std::vector<SuiteCount> suites,
                             const RunContext& context)
    : out_(out), style_(style), suites_(std::move(suites)), deselected_(context.deselected) {
  name_width_ = std::string_view("suite").size();
  for (const SuiteCount& suite : suites_) {
    cases_ += suite.cases;
    name_width_ = std::max(name_width_, suite.name.size());
  }
  if (style_.verbosity == Verbosity::quiet) return;
  out_ << coloured(style_, Colour::bold, "warpmark check") << ": "
       << run_text(suites_.size(), cases_, context) << "\n";
  if (!context.device.reason.empty()) {
    out_ << "device: " << shown(context.device.reason) << "\n";
  }
  for (const std::string& note : context.notes) out_ << shown(note) << "\n";
  out_ << "\n";
  if (style_.verbosity == Verbosity::normal) write_table_header();
  out_.flush();
}

void ConsoleReport::start_case(const std::string& case_id) {
  if (!style_.progress) return;
  std::string line = fmt::format("[{}/{}] ", totals_.cases() + 1, cases_);
  if (totals_.failed > 0) line += fmt::format("{} failed, ", totals_.failed);
  line += case_id;
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
  if (style_.durations) durations_.emplace_back(outcome.seconds, outcome.case_id);
  note(outcome);
  if (style_.verbosity == Verbosity::verbose) write_case(outcome);
  if (style_.verbosity != Verbosity::normal) return;
  // Suites come in order, so the row is almost always the next one.
  const auto is_it = [&](const SuiteCount& suite) { return suite.name == outcome.suite; };
  const auto suite = std::find_if(suites_.begin() + static_cast<std::ptrdiff_t>(next_suite_),
                                  suites_.end(), is_it);
  if (suite == suites_.end() || row.totals.cases() < suite->cases) return;
  erase_progress();
  write_row(*suite, row);
  out_.flush();
  open_rows_.erase(outcome.suite);
  while (next_suite_ < suites_.size() && suites_[next_suite_].name == outcome.suite) ++next_suite_;
}

void ConsoleReport::finish(const RunEnd& end) {
  erase_progress();
  for (const SuiteCount& suite : suites_) {
    const auto row = open_rows_.find(suite.name);
    if (style_.verbosity == Verbosity::normal && row != open_rows_.end()) {
      write_row(suite, row->second);
    }
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
  if (style_.verbosity != Verbosity::quiet) {
    write_skips();
    write_durations();
    if (!end.notes.empty()) out_ << "\n";
    for (const std::string& text : end.notes) out_ << shown(text) << "\n";
  }
  const Colour colour = totals_.failed > 0                  ? Colour::red
                        : totals_.passed == totals_.cases() ? Colour::green
                                                            : Colour::yellow;
  const bool lines_above = style_.verbosity != Verbosity::quiet || !failures_.empty();
  out_ << (lines_above ? "\n" : "")
       << coloured(style_, colour, totals_text(totals_, end.seconds, deselected_)) << "\n";
  out_.flush();
}

std::string ConsoleReport::shown(std::string_view text) const {
  return style_.for_runner ? without_commands(printable(text)) : printable(text);
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
  const size_t not_run = totals.not_run;
  if (not_run > 0) out_ << fmt::format("  ({} not run)", not_run);
  if (ended + not_run < suite.cases) {
    out_ << fmt::format("  ({} interrupted)", suite.cases - ended - not_run);
  }
  out_ << "\n";
}

void ConsoleReport::write_block(Colour colour, const std::string& word, const std::string& title,
                                const std::string& text) {
  out_ << "\n" << coloured(style_, colour, word) << " " << shown(title) << "\n";
  for (const std::string& line : split(shown(trim(text)), '\n')) {
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

void ConsoleReport::write_case(const Outcome& outcome) {
  erase_progress();
  std::string word(to_text(outcome.verdict));
  std::replace(word.begin(), word.end(), '_', ' ');
  const Colour colour = outcome.verdict == Verdict::passed   ? Colour::green
                        : outcome.verdict == Verdict::failed ? Colour::red
                                                             : Colour::yellow;
  out_ << coloured(style_, colour, fmt::format("{:<11}", word)) << " " << outcome.case_id << "  "
       << duration_text(outcome.seconds) << "\n";
  out_.flush();
}

void ConsoleReport::write_durations() {
  if (!style_.durations || durations_.empty()) return;
  const size_t count =
      *style_.durations == 0 ? durations_.size() : std::min(*style_.durations, durations_.size());
  std::partial_sort(durations_.begin(), durations_.begin() + static_cast<std::ptrdiff_t>(count),
                    durations_.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  out_ << "\nslowest " << count_text(count, "case") << "\n";
  for (size_t i = 0; i < count; ++i) {
    out_ << fmt::format("{:>11}  {}\n", duration_text(durations_[i].first), durations_[i].second);
  }
}

void ConsoleReport::write_skips() {
  if (!skips_.empty()) out_ << "\n";
  for (const Outcome& skip : skips_) {
    out_ << coloured(style_, Colour::yellow, "SKIPPED") << " " << skip.case_id << ": "
         << shown(skip.reason) << "\n";
  }
}

}  // namespace warpmark
