// `warpmark run`: does what a run configuration says.
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/job_options.hpp"
#include "cli/job_processes.hpp"
#include "cli/output_files.hpp"
#include "cli/run_config.hpp"
#include "cli/suites.hpp"

namespace warpmark {
namespace {

struct RunState {
  std::filesystem::path file;
  std::vector<std::string> jobs;
  bool part = false;
  JobArguments arguments;
};

std::vector<RunJob> choose_jobs(const RunConfig& config, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return config.jobs;
  std::vector<std::string> known;
  for (const RunJob& job : config.jobs) known.push_back(job.name);
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest(name, known);
    throw usage_error(
        fmt::format("the configuration has no job `{}`", printable(name)), {},
        near.empty() ? "jobs: " + join(known, ", ") : fmt::format("did you mean `{}`?", near));
  }
  std::vector<RunJob> chosen;
  for (const RunJob& job : config.jobs) {
    if (std::find(wanted.begin(), wanted.end(), job.name) != wanted.end()) chosen.push_back(job);
  }
  return chosen;
}

ExitCode run(const RunState& state, JobRequest& request, Output& out) {
  state.arguments.apply(request, {"json", "annotations"});  // its kind is not known yet
  require_path(state.file, "configurations are YAML files, as configs/demo.yaml");
  std::vector<RunJob> jobs = choose_jobs(load_run_config(state.file), state.jobs);
  // A mistake on the command line or in a later job is told before the first one runs.
  std::vector<JobKind> kinds;
  kinds.reserve(jobs.size());
  for (const RunJob& job : jobs) kinds.push_back(job.request.kind);
  const std::string unused = state.arguments.unused_by(kinds);
  // Of several jobs, an option need not be for each.
  if (!unused.empty() && !state.part) {
    throw usage_error(fmt::format("{} is for none of these jobs", unused), {},
                      fmt::format("`warpmark {} --help` says what is", to_text(kinds.front())));
  }
  for (RunJob& job : jobs) {
    state.arguments.apply(job.request);
    job.request.config = state.file;
  }
  if (jobs.size() == 1) {
    request = jobs.front().request;
    return run_job(request, out);
  }
  for (const RunJob& job : jobs) {
    for (const RunJob& other : jobs) {
      require_kept(output_files(job.request), suite_files(other.request.paths));
    }
  }
  std::vector<std::string> names;
  names.reserve(jobs.size());
  for (const RunJob& job : jobs) names.push_back(job.name);
  return run_job_processes(names, out);
}

}  // namespace

Command run_command(CLI::App& program) {
  const auto state = std::make_shared<RunState>();
  CLI::App* app = program.add_subcommand(
      "run", "Do what a run configuration says; options here go before those there");
  app->add_option("CONFIG", state->file, "A YAML file, as configs/demo.yaml")
      ->required()
      ->type_name("");
  app->add_option("--job", state->jobs, "Only the job of this name; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app->add_flag("--part", state->part)->group("");  // of run_job_processes
  state->arguments.add_to(*app);
  return {app, [state](Output& out) {
            JobRequest request;  // what is known of it when an error comes
            return annotating(
                out, [&] { return wants_annotations(request.annotations, request.json); },
                [&] { return run(*state, request, out); });
          }};
}

}  // namespace warpmark
