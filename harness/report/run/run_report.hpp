// The interface of reports that follow a run case by case: console, JSON lines, annotations, files.
#pragma once

#include <string>
#include <vector>

#include "results/outcome_record.hpp"
#include "results/totals.hpp"

namespace warpmark {

/// How a run ended.
struct RunEnd {
  Totals totals;
  double seconds = 0;  ///< wall clock of the whole run
  int exit_code = 0;
  std::string error;               ///< the error that ended the run early; "" for none
  std::vector<std::string> notes;  ///< notes of the reports: "kept 1 failure in kept"
};

/// Gets every case of a run, in order. An exception that it throws ends the run as an environment
/// error.
class RunReport {
 public:
  RunReport() = default;
  RunReport(const RunReport&) = delete;
  RunReport& operator=(const RunReport&) = delete;
  virtual ~RunReport() = default;

  virtual void start_case(const std::string& case_id) { (void)case_id; }
  virtual void end_case(const EndedCase& ended) = 0;
  /// Lines for the end of the console report; asked for once, after the last case.
  virtual std::vector<std::string> notes() { return {}; }
  /// A sentence with the reason why the run fails although no case does; "" for none. Asked for
  /// after notes().
  virtual std::string why_failed() const { return ""; }
  virtual void finish(const RunEnd& end) { (void)end; }
};

}  // namespace warpmark
