// The console report of `warpmark check`, while it runs and at its end.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "report/page/style.hpp"
#include "report/run/console_frame.hpp"
#include "report/run/run_report.hpp"
#include "results/run_context.hpp"
#include "results/totals.hpp"

namespace warpmark {

/// A suite of the run, and the number of its cases.
struct SuiteCount {
  std::string name;
  size_t cases = 0;
};

/// Cases come suite by suite: a suite's row is written as its last case ends, failures, skips and
/// notices at the end of the run, where a person looks for them.
class ConsoleReport : public RunReport {
 public:
  /// Writes the head.
  ConsoleReport(std::ostream& out, ConsoleStyle style, std::vector<SuiteCount> suites,
                const RunContext& context);

  void start_case(const std::string& case_id) override;
  void end_case(const EndedCase& ended) override;
  /// Writes unfinished rows and the end of the report.
  void finish(const RunEnd& end) override;

 private:
  struct Row {
    Totals totals;
    double seconds = 0;  ///< sum over the cases
  };

  Verbosity verbosity() const { return frame_.style().verbosity; }
  void write_table_header();
  void write_row(const SuiteCount& suite, const Row& row);

  ConsoleFrame frame_;
  std::vector<SuiteCount> suites_;
  size_t name_width_ = 0;  ///< columns of the longest suite name
  size_t next_suite_ = 0;  ///< index of the first suite whose row is not written
  std::map<std::string, Row> open_rows_;
};

}  // namespace warpmark
