#include "check/check.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "check/googletest.hpp"
#include "check/junit.hpp"
#include "report/console.hpp"

namespace warpmark {
namespace {

std::vector<SuiteCount> count_suites(const std::vector<CaseWork>& work) {
  std::vector<SuiteCount> suites;
  std::map<std::string, size_t> index;
  for (const CaseWork& item : work) {
    const std::string& name = item.which.suite->name;
    const auto [at, added] = index.emplace(name, suites.size());
    if (added) suites.push_back({name, 0});
    ++suites[at->second].cases;
  }
  return suites;
}

// The first trial that does not pass decides; a skip depends on no inputs.
Outcome run_trials(const CaseWork& work, CaseRunner& runner, const RunContext& context) {
  Outcome outcome;
  double seconds = 0;
  for (uint64_t trial = context.first_trial; trial < context.first_trial + context.trials;
       ++trial) {
    outcome = runner.verify(work.which, work.planned, trial);
    seconds += outcome.seconds;
    if (context.trials_given && outcome.verdict == Verdict::failed) outcome.trial = trial;
    if (outcome.verdict != Verdict::passed) break;
  }
  outcome.seconds = seconds;
  return outcome;
}

RegisteredTest test_of(const CaseWork& item, CaseRun& run, CaseRunner& runner,
                       const RunContext& context) {
  const Suite& suite = *item.which.suite;
  Position where = suite.where;
  where.file = display_path(suite.file);
  RegisteredTest test;
  test.suite = suite.name;
  test.name = item.which.id.substr(suite.name.size() + 1);
  test.where = where;
  test.body = [&item, &run, &runner, &context, where] {
    CaseRun::Result result = run.run(item, [&] {
      return CaseRun::Attempt{run_trials(item, runner, context), {}};
    });
    const Position& blamed = result.outcome.where;
    return TestReport{std::move(result.failure), std::move(result.skip),
                      blamed.known() ? blamed : where};
  };
  return test;
}

}  // namespace

ExitCode run_check(const std::vector<CaseWork>& work, CaseRunner& runner, const RunContext& context,
                   const CheckOptions& options, std::ostream& out) {
  if (work.empty()) {
    throw usage_error("there is no case to check", {}, "`warpmark list` shows the cases");
  }
  std::error_code gone;
  if (std::filesystem::current_path(gone).empty()) {  // then GoogleTest ends the process
    throw environment_error("the working directory cannot be found: " + gone.message(),
                            "change to a folder that exists");
  }
  std::optional<JunitFile> junit;
  if (options.junit) junit.emplace(*options.junit);
  const auto make_console = [&] {
    return std::make_unique<ConsoleReport>(out, options.style, count_suites(work), context);
  };
  CaseRun run([&runner] { runner.interrupt(); }, work.size(), context, options, make_console, out);
  std::vector<RegisteredTest> tests;
  for (const CaseWork& item : work) {
    if (!item.which.id.starts_with(item.which.suite->name + ".")) {
      throw internal_error("the case id " + item.which.id + " does not start with its suite");
    }
    tests.push_back(test_of(item, run, runner, context));
  }
  run_googletest(tests, junit ? junit->draft() : std::filesystem::path());
  const ExitCode code = run.finish();
  // The JUnit file first: what ended the run early must not cost the reports, nor be hidden by
  // them.
  try {
    if (junit) junit->publish();
  } catch (...) {
    run.stop(std::current_exception());
  }
  run.rethrow();
  return code;
}

}  // namespace warpmark
