// `warpmark check` and `warpmark bench`: run cases, to compare or to measure.
#include <memory>

#include "cli/command.hpp"
#include "cli/job_options.hpp"

namespace warpmark {
namespace {

Command job_command(CLI::App& program, JobKind kind, const std::string& description) {
  struct State {
    std::vector<std::filesystem::path> paths;
    JobArguments arguments;
  };
  const auto state = std::make_shared<State>();
  CLI::App* app = program.add_subcommand(std::string(to_text(kind)), description);
  app->add_option("PATHS", state->paths, "Suite files and folders; else the folder `suites`")
      ->type_name("");
  state->arguments.add_to(*app, kind);
  return {app, [state, kind](Output& out) {
            JobRequest request;
            request.kind = kind;
            request.paths = state->paths;
            state->arguments.apply(request);
            return run_job(request, out);
          }};
}

}  // namespace

Command check_command(CLI::App& program) {
  return job_command(program, JobKind::check, "Run cases and compare with their references");
}

Command bench_command(CLI::App& program) {
  return job_command(program, JobKind::bench, "Measure how long cases take that are right");
}

}  // namespace warpmark
