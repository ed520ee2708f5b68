// What `warpmark check` writes for a person while it runs and at its end.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_report.hpp"
#include "report/style.hpp"
#include "results/run_context.hpp"
#include "results/totals.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// A suite of the run, and how many of its cases come.
struct SuiteCount {
  std::string name;
  size_t cases = 0;
};

/// Cases come suite by suite: a suite's row is written as its last case ends, failures, skips and
/// notices at the end of the run, where a person looks for them.
class ConsoleReport : public RunReport {
 public:
  /// Writes the header and the reason of the device's choice.
  ConsoleReport(std::ostream& out, ConsoleStyle style, std::vector<SuiteCount> suites,
                const RunContext& context);

  void start_case(const std::string& case_id) override;
  void end_case(const Outcome& outcome, const std::string& reproduce) override;
  /// Writes what is left: unfinished rows, failures, skips, notices, durations, totals.
  void finish(const RunEnd& end) override;

 private:
  struct Row {
    Totals totals;
    double seconds = 0;  ///< sum over the cases
  };
  /// A notice, and the cases that had it.
  struct Notice {
    std::string text;
    std::string first_case;
    size_t cases = 0;
  };

  /// A text that others made, as it may be printed.
  std::string shown(std::string_view text) const;
  void erase_progress();
  void write_table_header();
  void write_row(const SuiteCount& suite, const Row& row);
  void write_block(Colour colour, const std::string& word, const std::string& title,
                   const std::string& text);
  void note(const Outcome& outcome);
  void write_case(const Outcome& outcome);
  void write_skips();
  void write_durations();

  std::ostream& out_;
  ConsoleStyle style_;
  std::vector<SuiteCount> suites_;
  size_t cases_ = 0;       ///< of all suites
  size_t name_width_ = 0;  ///< columns of the longest suite name
  size_t deselected_ = 0;
  size_t next_suite_ = 0;  ///< the first whose row is not written
  std::map<std::string, Row> open_rows_;
  Totals totals_;
  std::vector<std::pair<double, std::string>>
      durations_;  ///< seconds and ids, if they are asked for
  std::vector<std::pair<Outcome, std::string>> failures_;  ///< with the reproducing command
  std::vector<Outcome> skips_;
  std::vector<Notice> notices_;
  bool progress_shown_ = false;
};

}  // namespace warpmark
