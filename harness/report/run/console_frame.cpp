#include "report/run/console_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/run/case_text.hpp"
#include "report/run/failure_cause.hpp"

namespace warpmark {

ConsoleFrame::ConsoleFrame(std::ostream& out, ConsoleStyle style, size_t suites, size_t cases,
                           const RunContext& context)
    : out_(out),
      style_(style),
      cases_(cases),
      deselected_(context.deselected),
      tolerances_(style.verbosity == Verbosity::verbose) {
  if (style_.verbosity == Verbosity::quiet) return;
  std::string head = coloured(style_, Colour::bold, "warpmark " + context.verb) + ": " +
                     run_text(suites, cases, context) + "\n";
  if (!context.device.reason.empty()) head += "device: " + printable(context.device.reason) + "\n";
  for (const std::string& note : context.notes) head += printable(note) + "\n";
  write(head + "\n");
}

void ConsoleFrame::show_progress(const std::string& case_id) {
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

void ConsoleFrame::write(const std::string& lines) {
  erase_progress();
  put(lines);
  out_.flush();
}

void ConsoleFrame::add(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  totals_.add(outcome.verdict);
  if (outcome.verdict == Verdict::failed) failures_.emplace_back(outcome, ended.reproduce);
  if (outcome.verdict == Verdict::skipped) skips_.push_back(outcome);
  if (style_.durations) durations_.emplace_back(outcome.seconds, outcome.case_id);
  note(outcome);
  for (const OutputVerdict& output : outcome.outputs)
    tolerances_.add(outcome.suite, outcome.case_id, output.output, output.tolerance);
}

void ConsoleFrame::finish(const RunEnd& end) {
  erase_progress();
  write_failures();
  for (const Notice& notice : notices_) {
    std::string title = notice.first_case;
    if (notice.cases > 1) title += " and " + count_text(notice.cases - 1, "more case");
    write_block(Colour::yellow, "NOTICE", title, notice.text);
  }
  if (style_.verbosity != Verbosity::quiet) {
    const std::vector<std::string> tolerances = tolerances_.lines();
    if (!tolerances.empty()) put("\n");
    for (const std::string& line : tolerances) put(printable(line) + "\n");
    write_skips();
    write_durations();
    if (!end.notes.empty()) put("\n");
    for (const std::string& text : end.notes) put(printable(text) + "\n");
  }
  const Colour colour = totals_.failed > 0                  ? Colour::red
                        : totals_.passed == totals_.cases() ? Colour::green
                                                            : Colour::yellow;
  const bool lines_above = style_.verbosity != Verbosity::quiet || !failures_.empty();
  put((lines_above ? "\n" : "") +
      coloured(style_, colour, totals_text(totals_, end.seconds, deselected_)) + "\n");
  out_.flush();
}

void ConsoleFrame::put(std::string_view lines) {
  if (style_.for_runner) {
    out_ << without_commands(lines);
  } else {
    out_ << lines;
  }
}

void ConsoleFrame::erase_progress() {
  if (progress_shown_) out_ << "\r\033[K";
  progress_shown_ = false;
}

void ConsoleFrame::write_block(Colour colour, const std::string& word, const std::string& title,
                               const std::string& text) {
  std::string block = "\n" + coloured(style_, colour, word) + " " + printable(title) + "\n";
  for (const std::string& line : split(printable(trim(text)), '\n')) {
    block += (line.empty() ? "" : "  ") + line + "\n";
  }
  put(block);
}

// Each cause is printed once, with the cases that it fails, and the gravest first.
void ConsoleFrame::write_failures() {
  struct Cause {
    const std::pair<Outcome, std::string>* first;
    std::vector<std::string> others;  ///< ids
    size_t shown = 1;                 ///< cases of this cause, each with a text of its own
  };
  std::vector<Cause> causes;
  std::map<std::string, size_t> known;  // the last of a cause, which stands for those that follow
  for (const auto& failure : failures_) {
    const std::string cause = failure_cause(failure.first);
    const auto [at, is_new] = known.emplace(cause, causes.size());
    const size_t before = is_new || cause.empty() ? 0 : causes[at->second].shown;
    if (before == 0 || style_.shown == 0 || before < style_.shown) {
      at->second = causes.size();
      causes.push_back({&failure, {}, before + 1});
    } else {
      causes[at->second].others.push_back(failure.first.case_id);
    }
  }
  std::ranges::stable_sort(causes, [](const Cause& a, const Cause& b) {
    return failure_rank(a.first->first) < failure_rank(b.first->first);
  });
  for (const Cause& cause : causes) {
    const auto& [outcome, reproduce] = *cause.first;
    std::string text = failure_text(outcome, reproduce);
    if (style_.verbosity == Verbosity::verbose) {
      const std::string bars = error_bars(outcome);
      if (!bars.empty()) text += "\n" + bars;
    }
    if (!cause.others.empty()) text += "\nthe same in " + other_cases(cause.others);
    write_block(Colour::red, "FAILED", cases_title(outcome.case_id, cause.others.size()), text);
  }
}

void ConsoleFrame::note(const Outcome& outcome) {
  for (const std::string& text : outcome.notices) {
    const auto same = std::ranges::find(notices_, text, &Notice::text);
    if (same != notices_.end()) {
      ++same->cases;
    } else {
      notices_.push_back({text, outcome.case_id, 1});
    }
  }
}

void ConsoleFrame::write_verdict(const Outcome& outcome) {
  const Colour colour = outcome.verdict == Verdict::passed   ? Colour::green
                        : outcome.verdict == Verdict::failed ? Colour::red
                                                             : Colour::yellow;
  write(coloured(style_, colour, fmt::format("{:<11}", in_words(outcome.verdict))) + " " +
        outcome.case_id + "  " + duration_text(outcome.seconds) + "\n");
}

void ConsoleFrame::write_durations() {
  if (!style_.durations || durations_.empty()) return;
  const size_t count =
      *style_.durations == 0 ? durations_.size() : std::min(*style_.durations, durations_.size());
  std::partial_sort(durations_.begin(), durations_.begin() + static_cast<std::ptrdiff_t>(count),
                    durations_.end(),
                    [](const auto& a, const auto& b) { return a.first > b.first; });
  put("\nslowest " + count_text(count, "case") + "\n");
  for (size_t i = 0; i < count; ++i) {
    put(fmt::format("{:>11}  {}\n", duration_text(durations_[i].first), durations_[i].second));
  }
}

void ConsoleFrame::write_skips() {
  if (!skips_.empty()) put("\n");
  for (const Outcome& skip : skips_) {
    put(coloured(style_, Colour::yellow, "SKIPPED") + " " + skip.case_id + ": " +
        printable(skip_text(skip)) + "\n");
  }
}

}  // namespace warpmark
