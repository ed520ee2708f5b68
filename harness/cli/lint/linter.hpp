// Finds the problems of suites, one suite after another.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/jobs/look_ahead.hpp"
#include "cli/program/lazy_python.hpp"
#include "plan/plugin_loader.hpp"
#include "report/run/tolerance_notes.hpp"
#include "runtime/session.hpp"
#include "runtime/trivial_findings.hpp"
#include "suite/suite_find.hpp"
#include "worker/coverage.hpp"

namespace warpmark {

struct LintOptions {
  bool is_static = false;  ///< only checks that need neither compiler nor NumPy
  bool coverage = false;   ///< also launches the cases, to see what none of them executes
  SessionOptions session;  ///< session of the other checks
};

class Linter {
 public:
  /// Starts the worker and NumPy's import, unless the checks are static. `python` must outlive it.
  Linter(LintOptions options, LazyPython& python);

  void suite(const std::filesystem::path& file);
  /// Adds what something else found.
  void add(const Error& problem);
  void warn(const Error& warning) { warnings_.push_back(warning); }
  void fail(const Error& failure) {
    if (!failure_) failure_ = failure;
  }
  /// Adds the error of a file that is no suite.
  void suite(const BadSuite& bad) { add(bad.error); }

  /// Warns of lines and branches that no case of these suites reached, if coverage is wanted. To be
  /// called after the last suite: a header may be reached by any of them.
  void end();

  size_t cases() const { return cases_; }
  /// Each problem once, in the order of the suites: usage errors and errors that would fail a case
  /// in `check`.
  const std::vector<Error>& problems() const { return problems_; }
  /// Findings of random trials, and code that no case reaches, which may be intended; each once.
  const std::vector<Error>& warnings() const { return warnings_; }
  /// The tolerances that references give (from_float64).
  std::vector<std::string> tolerances() const { return tolerances_.lines(); }
  /// The error that kept a part from being checked, such as a missing Python or NVRTC.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void attempt(const std::function<void()>& step);
  void kernel_file(const Suite& suite, const Kernel& kernel);
  void texts(const Suite& suite);
  void bounds(const SuiteTolerance& tolerance);
  void value(const Suite& suite, const PythonText& text);
  void numpy(const Located& text);
  void plans(const std::shared_ptr<const Suite>& suite, Purpose purpose);
  void plan(const Case& which, Purpose purpose);
  bool has_session();
  void examine(const std::shared_ptr<const Suite>& suite);
  Outcome examine_ahead(const Case& which, const PlannedCase& planned, const LookAtCase& look);
  void add_units();
  void case_failed(const Case& which, FailureKind failure, const Error& error);
  void launches(const Case& which, const PlannedCase& planned);
  void argument_orders(const PlannedCase& planned);
  bool compile(const Case& which, const PlannedCase& planned);
  bool examine(const Case& which, const PlannedCase& planned, TrivialFindings& findings);
  void execute(const Case& which, const PlannedCase& planned);
  void try_claims(const Case& which);
  void indices(const Case& which, const PlannedCase& planned);
  void indices_beyond(const Case& which, const PlannedCase& planned);

  LintOptions options_;
  LazyPython& python_;
  PluginLoader plugins_;
  std::unique_ptr<Session> session_;
  std::optional<LookAhead> ahead_;
  bool session_failed_ = false;
  size_t cases_ = 0;
  Coverage coverage_;            ///< of all suites
  std::set<std::string> texts_;  ///< texts of the current suite, checked at their own places
  std::vector<std::pair<Case, PlannedCase>> planned_;  ///< cases of the current suite, to examine
  std::vector<std::pair<Case, PlannedCase>> timed_;    ///< the same with the axes of `bench`
  ToleranceNotes tolerances_;
  std::set<std::string> seen_;
  std::vector<Error> problems_, warnings_;
  std::optional<Error> failure_;
};

}  // namespace warpmark
