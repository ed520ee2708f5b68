// The state of one run of the check front: what is done as each case comes and ends.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "check/check.hpp"
#include "check/junit.hpp"
#include "report/run_report.hpp"
#include "results/journal.hpp"

namespace warpmark {

class CheckRun {
 public:
  /// Opens the journal and writes the head of the console's report, or of the JSON lines.
  CheckRun(CaseRunner& runner, const std::vector<CheckWork>& work, const RunContext& context,
           const CheckOptions& options, std::ostream& out);

  /// What GoogleTest is to report for one case.
  struct Result {
    Outcome outcome;
    std::string failure;  ///< the text of a failure; "" for none
    std::string skip;     ///< the reason of a skip; "" for none
  };

  /// Runs the case, or marks it if the run has ended early, and reports it. Never throws: what the
  /// runner or the journal throws ends the run, and `finish` hands it on.
  Result run(const CheckWork& work) noexcept;

  /// Ends the run: cases that come after are not run. The first error is the one that is told.
  void stop(std::exception_ptr error) noexcept;

  /// Finishes the reports in an order in which each knows how the ones before it went: JUnit, which
  /// can be replaced once more, console or JSON lines, and the journal, whose end tells how the
  /// process ends.
  ExitCode finish(const JunitFile* junit);
  /// Throws what ended the run early, if anything did.
  void rethrow() const;

 private:
  Outcome verify(const CheckWork& work);
  Outcome run_trials(const CheckWork& work);
  void report(const Outcome& outcome, const std::string& reproduce);
  ExitCode exit_code() const;
  void attempt(const std::function<void()>& step) noexcept;
  void finish_reports(double seconds);
  void correct(const JunitFile* junit) noexcept;

  CaseRunner& runner_;
  const RunContext& context_;
  bool single_case_;
  size_t max_failures_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  InterruptGuard interrupt_;  ///< first: from the first word on, a SIGINT leaves whole reports
  std::optional<Journal> journal_;
  std::unique_ptr<RunReport> main_report_;  ///< the console's, or JSON lines
  std::vector<RunReport*> reports_;         ///< that one last, so that it can tell of the others
  Totals totals_;
  std::ostream& out_;
  std::exception_ptr error_;   ///< what ended the run early
  std::string error_message_;  ///< its words
  ExitCode error_code_ = ExitCode::success;
  bool junit_tells_ = false;  ///< of the error
};

}  // namespace warpmark
