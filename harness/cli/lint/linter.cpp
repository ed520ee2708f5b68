#include "cli/lint/linter.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <variant>

#include "base/file.hpp"
#include "cli/jobs/device_threads.hpp"
#include "plan/trial.hpp"
#include "python/function.hpp"
#include "results/covered_files.hpp"
#include "runtime/argument_order.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/counterexample.hpp"
#include "runtime/wide_indices.hpp"
#include "suite/suite_problems.hpp"

namespace warpmark {

Linter::Linter(LintOptions options, LazyPython& python)
    : options_(std::move(options)), python_(python) {
  options_.session.coverage = options_.coverage;
  options_.session.threads = device_threads(1);
  if (options_.is_static) return;
  attempt([&] { session_ = std::make_unique<Session>(python_.interpreter(), options_.session); });
  if (options_.session.threads > 1) ahead_.emplace(options_.session, options_.session.threads);
}

void Linter::suite(const std::filesystem::path& file) {
  const size_t known = problems_.size();
  planned_.clear();
  timed_.clear();
  std::shared_ptr<const Suite> suite;
  attempt([&] {
    try {
      suite = load_suite(file);
    } catch (const Error&) {
      for (const Error& problem : suite_problems(file)) add(problem);
      throw;
    }
  });
  if (!suite) return;
  for (const Kernel* kernel : kernels(*suite)) kernel_file(*suite, *kernel);
  texts(*suite);
  plans(suite, Purpose::check);
  // The bench axes make other cases, which must hold as well.
  if (!suite->bench.axes.empty()) plans(suite, Purpose::bench);
  // A suite that does not even load or plan would only be reported twice.
  if (problems_.size() == known && has_session()) examine(suite);
}

// Many cases may share one problem.
void Linter::add(const Error& problem) {
  if (seen_.insert(problem.what()).second) problems_.push_back(problem);
}

void Linter::attempt(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    if (error.code() == ExitCode::usage) {
      add(error);
    } else if (!failure_) {
      failure_ = error;
    }
  }
}

void Linter::kernel_file(const Suite& suite, const Kernel& kernel) {
  if (!kernel.file) return;
  attempt([&] {
    try {
      read_file(suite.folder / kernel.file->text);
    } catch (const Error& error) {
      throw error.at(kernel.file->where);
    }
  });
}

void Linter::texts(const Suite& suite) {
  texts_.clear();
  for (const PythonText& text : python_texts(suite)) value(suite, text);
  for (const SuiteCheck& check : suite.checks) {
    for (const NamedText& named : check.values) numpy(named.value);
    for (const Located& one : check.args) numpy(one);
  }
  bounds(suite.tolerance);
  for (const OutputTolerance& own : suite.output_tolerances) bounds(own.tolerance);
}

void Linter::bounds(const SuiteTolerance& tolerance) {
  for (const auto* bound : {&tolerance.ulp, &tolerance.rtol, &tolerance.atol, &tolerance.times}) {
    if (*bound) numpy(**bound);
  }
}

void Linter::value(const Suite& suite, const PythonText& text) {
  if (!text.function) return numpy(text);
  texts_.insert(text.text);
  const auto written = expression_from(text.text, text.where);
  attempt([&] { check_syntax(python_.interpreter(), python_function(written, suite.folder)); });
}

void Linter::numpy(const Located& text) {
  texts_.insert(text.text);
  attempt([&] { check_syntax(python_.interpreter(), expression_from(text.text, text.where)); });
}

void Linter::plans(const std::shared_ptr<const Suite>& suite, Purpose purpose) {
  std::vector<Case> all;
  attempt([&] { all = warpmark::cases(suite, python_.list_evaluator(), purpose); });
  if (purpose == Purpose::check) cases_ += all.size();
  for (const Case& which : all) {
    // A point that a rule skips need not have a plan.
    if (which.skip) continue;
    attempt([&] { plan(which, purpose); });
    const bool timed = purpose == Purpose::bench || suite->bench.axes.empty();
    if (const auto& against = suite->bench.against_baseline; timed && against && against->most) {
      attempt([&] { positive_number(*against->most, which.scope()); });
    }
    if (timed && suite->bench.budget_s) {
      attempt([&] { positive_number(*suite->bench.budget_s, which.scope()); });
    }
  }
}

void Linter::plan(const Case& which, Purpose purpose) {
  PlannedCase planned = make_plan(which, plugins_);
  // Besides the suite's own texts, a plugin may have made some.
  const auto check = [&](const NumpyText& text) {
    if (!text.function && texts_.count(text.text) == 0) {
      numpy({text.text, planned.positions.find(text.at)});
    }
  };
  for (const Buffer& buffer : planned.plan.buffers) {
    if (buffer.value) check(*buffer.value);
  }
  for (const Scalar& scalar : planned.plan.scalars) {
    if (!scalar.integer && !scalar.tensor_map) check(scalar.value);
  }
  for (const Expected& expected : planned.plan.expected) check(expected.value);
  for (const PlannedCheck& asked : planned.plan.checks) {
    for (const auto& named : asked.values) check(named.second);
    for (const NumpyText& one : asked.args) check(one);
  }
  launches(which, planned);
  argument_orders(planned);
  if (purpose == Purpose::check) {
    planned_.emplace_back(which, std::move(planned));
  } else {
    timed_.emplace_back(which, std::move(planned));
  }
}

// Checks launches by arithmetic over axes; the rest needs kernels.
void Linter::launches(const Case& which, const PlannedCase& planned) {
  try {
    check_launches(planned.plan, planned.positions);
  } catch (const Error& error) {
    case_failed(which, FailureKind::launch, error);
  }
  for (const auto& other : {planned.baseline, planned.smaller}) {
    if (other) launches(which, *other);
  }
}

// Types that happen to fit let arguments pass that stand in the wrong places. Steps may swap them on
// purpose: then one of the launches has them in the kernel's order.
void Linter::argument_orders(const PlannedCase& planned) {
  std::map<std::string, std::string> orders;  // by entry; "" once one is right
  for (const Step& step : planned.plan.steps) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    if (launch == nullptr) continue;
    const std::string order = misplaced_arguments(planned, *launch);
    const auto known = orders.try_emplace(launch->entry, order).first;
    if (order.empty()) known->second.clear();
  }
  const Position where = planned.positions.find("/arguments");
  for (const auto& [entry, order] : orders) {
    if (order.empty() || !seen_.insert(where.text() + order).second) continue;
    warnings_.push_back(
        usage_error(order, where, "list the arguments in the order of the parameters"));
  }
}

// A missing compiler or NumPy is reported once, and the rest is checked without it.
bool Linter::has_session() {
  if (!session_ || session_failed_) return false;
  session_failed_ = true;
  attempt([&] {
    const DeviceFacts& device = session_->require();
    if (options_.coverage && !device.has("profile")) {
      throw environment_error(device.name + " cannot count which lines run",
                              "the CPU device can: --device cpu, which is the default");
    }
    session_failed_ = false;
  });
  return !session_failed_;
}

void Linter::examine(const std::shared_ptr<const Suite>& suite) {
  if (ahead_ && ahead_->has_begun()) add_units();
  TrivialFindings findings(suite);
  bool whole = true;
  for (const auto& one : planned_) {
    bool seen = false;
    attempt([&] {
      seen = examine(one.first, one.second, findings);
      if (seen) {
        try_claims(one.first);
        indices(one.first, one.second);
      }
    });
    whole = whole && seen;
  }
  if (options_.coverage) {
    for (const auto& one : planned_) attempt([&] { execute(one.first, one.second); });
  }
  // Their arrays are large, and are not made.
  for (const auto& one : timed_) {
    attempt([&] {
      if (compile(one.first, one.second)) indices(one.first, one.second);
    });
  }
  if (!planned_.empty()) indices_beyond(planned_.front().first, planned_.front().second);
  for (const Error& problem : trivial_problems(*suite, findings.findings())) add(problem);
  // If a case was not examined, an exception may be needed for it.
  if (!whole) return;
  for (const LintException::Allowed& allowed : findings.unneeded()) {
    add(unneeded_exception(allowed));
  }
}

// A mistake of sizes or dtypes often fails many cases; only the first is reported.
void Linter::case_failed(const Case& which, FailureKind failure, const Error& error) {
  const std::string key = fmt::format("{} {}", to_text(failure), error.where().text());
  if (!seen_.insert(key).second) return;
  problems_.emplace_back(ExitCode::verdict, fmt::format("{}: {}", which.id, error.message()),
                         error.where(), error.hint());
}

// The lines of a case count however it ends: `check` judges it.
void Linter::execute(const Case& which, const PlannedCase& planned) {
  const Outcome outcome = session_->verify(which, planned);
  if (!outcome.coverage.empty())
    coverage_.add(of_own_texts(outcome.coverage, own_texts(planned.plan, *which.suite)));
}

void Linter::end() {
  const auto warn = [&](const std::string& path, int64_t line, std::string text) {
    warnings_.push_back(usage_error(std::move(text), {path, static_cast<int>(line), 0}));
  };
  for (const auto& [path, file] : coverage_.files) {
    for (const auto& range : unreached(file)) warn(path, range.first, unreached_text(range));
    for (const UntakenSide& side : untaken(file))
      warn(path, side.line, "the branch " + untaken_text(side));
  }
}

// Runs the trial that the plugin makes of the case, if any. The case's own kernel has no problem so
// far.
void Linter::try_claims(const Case& which) {
  const std::optional<PlannedTrial> trial = make_trial(which, plugins_);
  if (!trial) return;
  CaseArtifacts made;
  const Outcome outcome = session_->verify(which, trial->planned, {}, &made);
  if (outcome.error) return case_failed(which, outcome.failure, *outcome.error);
  if (outcome.verdict != Verdict::passed) return;
  for (const Claim& claim : trial->claims) {
    const std::optional<std::string> found = counterexample(claim, made.results);
    if (!found) continue;
    const Position where = trial->planned.positions.find(claim.at);
    if (seen_.insert(fmt::format("{} {}", claim.broken, where.text())).second) {
      warnings_.push_back(usage_error(fmt::format("{}: {}: {}", which.id, claim.broken, *found),
                                      where, claim.hint));
    }
    return;  // the gravest comes first, and often causes the others
  }
}

// Evaluates the indices of a case that has very many elements.
void Linter::indices(const Case& which, const PlannedCase& planned) {
  if (planned.plan.fault || planned.plan.compile_error || !may_have_wide_indices(which, planned)) {
    return;
  }
  CaseArtifacts made;
  if (session_->compile(which, planned, made).verdict != Verdict::passed) return;
  for (const Error& warning : wrapped_indices(which, planned, made)) {
    if (seen_.insert("index " + warning.where().text()).second) warnings_.push_back(warning);
  }
}

// The same of points that nobody has listed, and that the kernel's parameters promise to serve. Such
// a point need not have a plan, as limits of launches and of sizes may forbid it.
void Linter::indices_beyond(const Case& which, const PlannedCase& planned) {
  if (planned.plan.fault || planned.plan.compile_error) return;
  CaseArtifacts made;
  if (session_->compile(which, planned, made).verdict != Verdict::passed) return;
  for (const Case& larger : beyond_32_bits(which, planned, made)) {
    try {
      const PlannedCase plan = make_plan(larger, plugins_);
      check_launches(plan.plan, plan.positions);
      indices(larger, plan);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage && error.code() != ExitCode::verdict) throw;
    }
  }
}

// Adds the kernels of the suite to those that are compiled ahead.
void Linter::add_units() {
  for (const auto* list : {&planned_, &timed_}) {
    for (const auto& [which, planned] : *list) {
      ahead_->add(*which.suite, planned);
      if (planned.baseline) ahead_->add(*which.suite, *planned.baseline);
    }
  }
}

Outcome Linter::examine_ahead(const Case& which, const PlannedCase& planned,
                              const LookAtCase& look) {
  if (!ahead_) return session_->examine(which, planned, look);
  ahead_->settle(*session_, *which.suite, planned);
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome = session_->examine(which, planned, look);
  ahead_->judge(*session_, outcome, std::chrono::steady_clock::now() - begin, [&] { add_units(); });
  return outcome;
}

// True if the kernels compile, take the arguments and can be launched.
bool Linter::compile(const Case& which, const PlannedCase& planned) {
  if (planned.plan.compile_error) return true;
  const Outcome outcome = examine_ahead(which, planned, nullptr);
  if (outcome.verdict == Verdict::failed) {
    case_failed(which, outcome.failure, outcome.error.value());
  }
  return outcome.verdict == Verdict::passed;
}

bool Linter::examine(const Case& which, const PlannedCase& planned, TrivialFindings& findings) {
  if (planned.baseline && !compile(which, *planned.baseline)) return false;
  // A case that must fault or not compile has nothing to judge.
  if (planned.plan.fault || planned.plan.compile_error) return compile(which, planned);
  if (planned.plan.expected.empty() && planned.plan.checks.empty()) {
    findings.add_without_outputs(which);
    return compile(which, planned);
  }
  TrivialCheck check(python_.interpreter(), true);
  const Outcome outcome =
      examine_ahead(which, planned, [&](const ReadyCase& ready) { return check.look(ready); });
  if (outcome.verdict == Verdict::failed) {
    case_failed(which, outcome.failure, outcome.error.value());
    return false;
  }
  if (outcome.verdict != Verdict::passed) return false;
  for (const TrivialCheck::Judged& one : check.judged())
    tolerances_.add(which.suite->name, which.id, one.output, one.tolerance);
  findings.add(which, check);
  return true;
}

}  // namespace warpmark
