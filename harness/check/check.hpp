// The check front: one GoogleTest test for each case, and its reports.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "report/run/case_run.hpp"
#include "results/run_context.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// The object that runs the cases: a Session, or a stub in tests.
class CaseRunner {
 public:
  virtual ~CaseRunner() = default;
  /// Runs one case that has no error, with the inputs of one trial. A plan that cannot be made is
  /// an outcome, too (load_failure). An exception ends the run: an environment error, or an
  /// internal one.
  virtual Outcome verify(const CaseWork& work, uint64_t trial) = 0;
  /// Called after the last case: ends the processes that run cases, so that none prints after that.
  virtual void close() {}
  /// Ends a `verify` that runs with Verdict::interrupted. Called in a signal handler.
  virtual void interrupt() noexcept = 0;
};

/// Runs every case with the trials of `context`, the first that fails deciding, suite by suite,
/// each as a GoogleTest test whose full name is the case id, and reports to `out` and to the files
/// of `options`. The first SIGINT, SIGTERM or SIGHUP marks unfinished cases as interrupted and
/// finishes the reports; the second kills.
///
/// At most once in a process, because GoogleTest can be started once. GoogleTest's environment
/// variables have no effect. Returns success, verdict, skipped or interrupted. Throws the exception
/// of `runner` or the journal after the reports are finished, with the cases that did not run
/// marked interrupted; an environment error before any case for files that cannot be written; a
/// usage error if there is no work.
ExitCode run_check(const std::vector<CaseWork>& work, CaseRunner& runner, const RunContext& context,
                   const RunOptions& options, std::ostream& out);

}  // namespace warpmark
