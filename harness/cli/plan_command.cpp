// `warpmark plan`: what would be compiled, allocated, launched and compared for each case.
#include <memory>

#include "base/log_text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_options.hpp"
#include "plan/plugin_loader.hpp"

namespace warpmark {
namespace {

struct PlanOptions {
  std::vector<std::filesystem::path> paths;
  JobArguments choice;
};

ExitCode print_plans(const PlanOptions& options, Output& out) {
  LazyPython python;
  PluginLoader plugins;
  JobRequest request;
  options.choice.apply(request);
  ChosenCases chosen = choose_cases(options.paths, request.choice, python.list_evaluator());
  chosen.require_all_loaded();
  ExitCode code = ExitCode::success;
  for (const Case& which : chosen.take_cases()) {
    try {
      const PlannedCase planned = make_plan(which, plugins);
      out.write(json_without_commands(describe(planned.plan)));
      try {
        check_launches(planned.plan, planned.positions);
      } catch (const Error& error) {
        // It would fail `check`, too; what is planned is shown all the same.
        out.flush();
        print_error(out, error.what());
        code = ExitCode::verdict;
      }
    } catch (const Error& error) {
      // Rules skip points that make no sense, and those need not have a plan.
      if (!which.skip) throw;
      out.flush();
      print_error(out, fmt::format("note: {} is skipped ({}) and has no plan: {}", which.id,
                                   *which.skip, error.message()));
    }
  }
  return code;
}

}  // namespace

Command plan_command(const ArgumentParser& program) {
  const auto options = std::make_shared<PlanOptions>();
  const ArgumentParser app =
      program.add_subcommand("plan", "Print the plans of cases as JSON, without running them");
  add_suite_paths(app, options->paths);
  options->choice.add_to(app, {"cases", "select", "axes"});
  return {app, [options](Output& out) { return print_plans(*options, out); }};
}

}  // namespace warpmark
