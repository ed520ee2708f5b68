// The check front: one GoogleTest test for each case, and its reports.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "plan/plugin_loader.hpp"
#include "report/case_run.hpp"
#include "results/run_context.hpp"
#include "runtime/outcome.hpp"
#include "suite/case.hpp"

namespace warpmark {

/// What runs the cases: a Session, or a test's stand-in.
class CaseRunner {
 public:
  virtual ~CaseRunner() = default;
  /// Runs one case that has no error, with the inputs of one trial. A plan that cannot be made is an
  /// outcome, too (load_failure). What it throws ends the run: an environment error, or an internal
  /// one.
  virtual Outcome verify(const CaseWork& work, uint64_t trial) = 0;
  /// After the last case, ends what runs them: nothing of it prints after that.
  virtual void close() {}
  /// Ends a `verify` that runs with Verdict::interrupted. Called in a signal handler.
  virtual void interrupt() noexcept = 0;
};

/// Runs every case with the trials of `context`, the first that fails deciding, suite by suite,
/// each as a GoogleTest test whose full name is the case id, and reports to `out` and to the files
/// of `options`. The first SIGINT, SIGTERM or SIGHUP marks what is not finished as interrupted
/// and finishes the reports; the second kills.
///
/// At most once in a process, because GoogleTest can be started once. GoogleTest's environment
/// variables have no effect. Returns success, verdict, skipped or interrupted. Throws what `runner`
/// or the journal threw after the reports were finished, with the cases that did not run marked
/// interrupted; an environment error before any case for files that cannot be written; a usage
/// error if there is no work.
ExitCode run_check(const std::vector<CaseWork>& work, CaseRunner& runner, const RunContext& context,
                   const RunOptions& options, std::ostream& out);

}  // namespace warpmark
