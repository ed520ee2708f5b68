// `warpmark check`: runs cases and compares their outputs with the references.
#include <memory>

#include "cli/check_request.hpp"
#include "cli/command.hpp"
#include "cli/lazy_python.hpp"
#include "cli/pending.hpp"
#include "cli/suites.hpp"

namespace warpmark {

ExitCode check(const CheckRequest& request, Output& out) {
  LazyPython python;
  const std::vector<LoadedSuite> suites = load_suites(request.paths, python.list_evaluator());
  const std::vector<Case> cases = select_cases(suites, request.case_ids);
  out.flush();  // the front writes to the same descriptor
  // ---- the call into the check front: everything before is what `run` shares with `check` ----
  return run_check_front(python.interpreter(), request, cases);
}

namespace {

struct CheckOptions {
  CheckRequest request;
  std::string seed, timeout_s;
  bool no_cache = false;
};

}  // namespace

Command check_command(CLI::App& program) {
  const auto options = std::make_shared<CheckOptions>();
  CheckRequest& request = options->request;
  CLI::App* app = program.add_subcommand("check", "Run cases and compare with their references");
  app->add_option("PATHS", request.paths, "Suite files and folders; else the folder `suites`")
      ->type_name("");
  app->add_option("--case", request.case_ids, "The case with this id only; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  app->add_option("--device", request.session.device,
                  "auto (default), gpu, cpu, or one with a number: gpu:1")
      ->type_name("D");
  app->add_option("--seed", options->seed, "Seed of all inputs (default 0)")->type_name("N");
  app->add_option("--timeout-s", options->timeout_s,
                  "Seconds that the device part of a case may take (default 60)")
      ->type_name("S");
  app->add_flag("--in-process", request.session.in_process,
                "Run cases in this process, for debuggers: a crash ends all of them");
  app->add_flag("--no-cache", options->no_cache, "Compile every kernel again");
  app->add_option("--journal", request.journal, "Append every outcome to this file, as JSON lines")
      ->type_name("FILE");
  app->add_option("--junit", request.junit, "Write a JUnit XML report")->type_name("FILE");
  return {app, [app, options](Output& out) {
            CheckRequest whole = options->request;
            if (app->count("--seed") > 0) {
              whole.session.seed = parse_seed(options->seed, "--seed");
            }
            if (app->count("--timeout-s") > 0) {
              whole.session.timeout_s = parse_timeout(options->timeout_s, "--timeout-s");
            }
            whole.session.use_cache = !options->no_cache;
            return check(whole, out);
          }};
}

}  // namespace warpmark
