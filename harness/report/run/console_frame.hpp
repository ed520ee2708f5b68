// The parts of every console report around its table: head, progress, failures, skips, the sum.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/page/style.hpp"
#include "report/run/run_report.hpp"
#include "report/run/tolerance_notes.hpp"
#include "results/run_context.hpp"
#include "results/totals.hpp"

namespace warpmark {

class ConsoleFrame {
 public:
  /// Writes the head and the reason of the device's choice.
  ConsoleFrame(std::ostream& out, ConsoleStyle style, size_t suites, size_t cases,
               const RunContext& context);

  /// Shows on terminals how far the run is, in a line that the next output erases.
  void show_progress(const std::string& case_id);
  /// Writes whole lines above the progress line.
  void write(const std::string& lines);
  /// "passed      doublify.n=400  0.12 s": a line for each case.
  void write_verdict(const Outcome& outcome);

  /// Counts the case, and keeps the parts of it that the end prints.
  void add(const EndedCase& ended);
  /// Writes failures, notices, skips, durations and totals.
  void finish(const RunEnd& end);

  const ConsoleStyle& style() const { return style_; }

 private:
  /// A notice, and the cases that had it.
  struct Notice {
    std::string text;
    std::string first_case;
    size_t cases = 0;
  };

  /// Writes whole lines, so that none is a command to a CI runner that reads them.
  void put(std::string_view lines);
  void erase_progress();
  void write_block(Colour colour, const std::string& word, const std::string& title,
                   const std::string& text);
  void note(const Outcome& outcome);
  void write_failures();
  void write_skips();
  void write_durations();

  std::ostream& out_;
  ConsoleStyle style_;
  size_t cases_ = 0;
  size_t deselected_ = 0;
  Totals totals_;
  std::vector<std::pair<double, std::string>>
      durations_;  ///< seconds and ids, if they are asked for
  std::vector<std::pair<Outcome, std::string>> failures_;  ///< with the reproducing command
  std::vector<Outcome> skips_;
  std::vector<Notice> notices_;
  ToleranceNotes tolerances_;
  bool progress_shown_ = false;
};

}  // namespace warpmark
