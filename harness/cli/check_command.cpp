// `warpmark check`: runs cases and compares their outputs with the references.
#include <memory>

#include "cli/check_request.hpp"
#include "cli/command.hpp"

namespace warpmark {

namespace {

struct CheckArguments {
  CheckRequest request;
  std::string seed, timeout_s;
  bool no_cache = false;
};

}  // namespace

Command check_command(CLI::App& program) {
  const auto options = std::make_shared<CheckArguments>();
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
  app->add_flag("--skip-without-device", request.skip_without_device,
                "Exit with 77 instead of 3 where the device is not there, as ctest wants it");
  app->add_flag("--no-cache", options->no_cache, "Compile every kernel again");
  app->add_option("--journal", request.journal, "Append every outcome to this file, as JSON lines")
      ->type_name("FILE");
  app->add_option("--junit", request.junit, "Write a JUnit XML report")->type_name("FILE");
  return {app, [app, options](Output& out) {
            CheckRequest whole = options->request;
            if (app->count("--seed") > 0) {
              whole.session.seed = parse_seed(options->seed, "--seed");
              whole.seed_given = true;
            }
            if (app->count("--timeout-s") > 0) {
              whole.session.timeout_s = parse_timeout(options->timeout_s, "--timeout-s");
            }
            whole.device_given = app->count("--device") > 0;
            whole.session.use_cache = !options->no_cache;
            return check(whole, out);
          }};
}

}  // namespace warpmark
