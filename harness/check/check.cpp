#include "check/check.hpp"

#include <filesystem>
#include <system_error>

#include "check/check_run.hpp"
#include "check/googletest.hpp"
#include "check/junit.hpp"

namespace warpmark {
namespace {

RegisteredTest test_of(const CheckWork& item, CheckRun& run) {
  const Suite& suite = *item.which.suite;
  Position where = suite.where;
  where.file = display_path(suite.file);
  RegisteredTest test;
  test.suite = suite.name;
  test.name = item.which.id.substr(suite.name.size() + 1);
  test.where = where;
  test.body = [&item, &run, where] {
    CheckRun::Result result = run.run(item);
    const Position& blamed = result.outcome.where;
    return TestReport{std::move(result.failure), std::move(result.skip),
                      blamed.known() ? blamed : where};
  };
  return test;
}

}  // namespace

ExitCode run_check(const std::vector<CheckWork>& work, CaseRunner& runner,
                   const RunContext& context, const CheckOptions& options, std::ostream& out) {
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
  CheckRun run(runner, work, context, options, out);
  std::vector<RegisteredTest> tests;
  for (const CheckWork& item : work) {
    if (!item.which.id.starts_with(item.which.suite->name + ".")) {
      throw internal_error("the case id " + item.which.id + " does not start with its suite");
    }
    tests.push_back(test_of(item, run));
  }
  run_googletest(tests, junit ? junit->draft() : std::filesystem::path());
  const ExitCode code = run.finish(junit ? &*junit : nullptr);
  run.rethrow();
  return code;
}

}  // namespace warpmark
