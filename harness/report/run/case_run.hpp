// The state of one run of cases, the same for every front: its work as each case starts and ends.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "plan/plugin_loader.hpp"
#include "report/page/style.hpp"
#include "report/run/junit_file.hpp"
#include "report/run/run_report.hpp"
#include "results/journal.hpp"
#include "results/run_context.hpp"
#include "runtime/outcome.hpp"
#include "suite/case.hpp"

namespace warpmark {

struct CaseWork {
  Case which;
  std::vector<std::string> axes = {};  ///< axes of the command that repeats the case (RepeatedCase)
  /// The reason why the case cannot run: an error of the suite, or of the plan of this case.
  std::optional<Error> error = std::nullopt;
  /// Null if no plan is made, as for a case with an error or a skipped one.
  std::shared_ptr<const PlannedCase> planned = nullptr;
  std::optional<size_t> position = std::nullopt;  ///< index in the whole run of which this is a
                                                  ///< shard, from 0
  std::optional<uint64_t> trial = std::nullopt;   ///< the only one to run, in place of the run's
};

/// The conditions that fail a run although no case failed.
struct FailOn {
  bool skipped = false;                    ///< a case that was skipped
  bool notices = false;                    ///< a case with a notice, such as a compiler's warning
  std::vector<std::string> warnings = {};  ///< a case with one of these, of race_warnings()
};

/// The options of every front.
struct RunOptions {
  std::optional<std::filesystem::path> journal;  ///< JSON lines, written as cases end
  bool append_journal = false;                   ///< after the runs of other jobs
  std::optional<std::filesystem::path> junit;    ///< JUnit XML, replaced at the end
  bool junit_part = false;                       ///< of a report of several jobs
  FailOn fail_on;
  size_t max_failures = 0;  ///< number of failures after which the rest is not run; 0 for no limit
  bool json = false;        ///< the records of the journal instead of the console's report
  ConsoleStyle style;
  std::vector<RunReport*> reports;  ///< further reports, which the caller owns
};

class CaseRun {
 public:
  using MakeReport = std::function<std::unique_ptr<RunReport>()>;

  /// Opens the journal and the JUnit file, and writes the head of the console's report, which
  /// `make_console` makes, or of the JSON lines. `interrupt` is called in a signal handler.
  CaseRun(std::function<void()> interrupt, size_t cases, const RunContext& context,
          const RunOptions& options, const MakeReport& make_console, std::ostream& out);

  /// A case that ran.
  struct Attempt {
    Outcome outcome;
    std::optional<TimedCase> timed;
  };
  /// The result that the test framework is to report for one case.
  struct Result {
    Outcome outcome;
    std::optional<TimedCase> timed;
    std::string failure;  ///< the text of a failure; "" for none
    std::string skip;     ///< the reason of a skip; "" for none
    Position where;       ///< what is to blame
  };

  /// Begins a case. Returns false if it is not to be run: it has an error, or the run has ended
  /// early.
  bool begin(const CaseWork& work) noexcept;
  /// Ends the case that was begun last, and reports it: with the result of its attempt, or with
  /// none if there was no attempt or it threw an error, which stop() got. Never throws: an error
  /// of the journal ends the run, too, and `rethrow` hands it on.
  Result end(std::optional<Attempt> ran) noexcept;

  /// Ends the run: cases that come after are not run. The first error is the one that is reported.
  void stop(std::exception_ptr error) noexcept;

  /// The steps that a front adds to the end of a run; each may be empty.
  struct FrontEnd {
    /// Ends the processes that run the cases: none of them prints after that.
    std::function<void()> close;
    /// Writes the front's own file.
    std::function<void()> publish;
  };
  /// Finishes the reports in an order in which each knows how the ones before it went: the front's
  /// file, JUnit's, which can be replaced once more, console or JSON lines, and the journal, whose
  /// end says how the process ends.
  ExitCode finish(const FrontEnd& front);
  /// Throws the error that ended the run early, if there is one.
  void rethrow() const;

 private:
  /// The case that has begun.
  struct Begun {
    const CaseWork* work = nullptr;
    std::string started;             ///< date, for JUnit
    bool ended_before = false;       ///< the run had ended
    std::optional<Outcome> decided;  ///< outcome without an attempt
  };

  Outcome unfinished(const CaseWork& work, Verdict verdict, std::string reason) const;
  std::optional<Outcome> decided_outcome(const CaseWork& work) const;
  Result result_of(const Begun& begun, Attempt ran);
  void report(const EndedCase& ended);
  void add_to_junit(const CaseWork& work, const Result& result,
                    const std::string& started) noexcept;
  ExitCode exit_code() const;
  std::vector<std::string> why_no_success() const;
  void attempt(const std::function<void()>& step) noexcept;
  void finish_reports(double seconds) noexcept;
  /// Writes the JUnit file again with an error that it does not have yet, if possible.
  void correct_junit() noexcept;

  const RunContext& context_;
  FailOn fail_on_;
  size_t max_failures_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  InterruptGuard interrupt_;  ///< first: from the first word on, a signal leaves whole reports
  std::optional<JunitFile> junit_;
  std::optional<Journal> journal_;
  std::unique_ptr<RunReport> main_report_;  ///< the console's, or JSON lines
  std::vector<RunReport*> reports_;         ///< the main report last, so that it can report the
                                            ///< others
  Begun begun_;
  Totals totals_;
  size_t not_loaded_ = 0;                 ///< number of failed cases that could not be loaded
  ExitCode load_code_ = ExitCode::usage;  ///< exit code of the first of them
  size_t noticed_ = 0;                    ///< cases with notices
  size_t warned_ = 0;                     ///< cases that FailOn::warnings fails
  std::ostream& out_;
  std::exception_ptr error_;   ///< the error that ended the run early
  std::string error_message_;  ///< its message
  ExitCode error_code_ = ExitCode::success;
  bool junit_has_error_ = false;  ///< the JUnit file names the error
};

}  // namespace warpmark
