// `warpmark run`: carries out a run configuration.
#include <algorithm>
#include <map>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/jobs/job_processes.hpp"
#include "cli/program/command.hpp"
#include "cli/request/job_options.hpp"
#include "cli/request/job_setup.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/run_config.hpp"
#include "cli/request/suites.hpp"

namespace warpmark {
namespace {

struct RunState {
  std::filesystem::path file;
  std::vector<std::string> jobs;
  std::string part;  ///< for run_job_processes: the file for the JUnit report
  JobArguments arguments;
  JobRequest request = {};  ///< the part known when an error comes
};

std::vector<RunJob> choose_jobs(const RunConfig& config, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return config.jobs;
  std::vector<std::string> known;
  for (const RunJob& job : config.jobs) known.push_back(job.name);
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string near = nearest(name, known);
    throw usage_error(
        fmt::format("the configuration has no job `{}`", printable(name)), {},
        near.empty() ? "jobs: " + join(known, ", ") : fmt::format("did you mean `{}`?", near));
  }
  std::vector<RunJob> chosen;
  for (const RunJob& job : config.jobs) {
    if (std::ranges::find(wanted, job.name) != wanted.end()) chosen.push_back(job);
  }
  return chosen;
}

// Two jobs that write one file would leave the second one's only; but a file that the command line
// names for all of them is written by all together.
void require_apart(const std::vector<RunJob>& jobs, const SharedFiles& shared) {
  std::error_code ignored;
  std::map<std::filesystem::path, std::pair<const RunJob*, std::string>> claimed;
  for (const RunJob& job : jobs) {
    std::vector<OutputFile> files = output_files(job.request);
    files.push_back({"--keep", job.request.keep});
    for (const OutputFile& file : files) {
      if (file.file.empty()) continue;
      const bool special = std::filesystem::exists(file.file, ignored) &&
                           !std::filesystem::is_regular_file(file.file, ignored) &&
                           !std::filesystem::is_directory(file.file, ignored);
      if (special) continue;
      const auto whole =
          std::filesystem::weakly_canonical(std::filesystem::absolute(file.file, ignored), ignored);
      const auto [owner, is_new] = claimed.emplace(whole, std::pair(&job, file.option));
      if (is_new) continue;
      const auto& [other, option] = owner->second;
      const bool together = option == file.option && other != &job &&
                            ((option == "--junit" && file.file == shared.junit) ||
                             (option == "--journal" && file.file == shared.journal));
      if (together) continue;
      throw usage_error(
          fmt::format("the jobs `{}` and `{}` both write {}", other->name, job.name,
                      printable(display_path(file.file))),
          {}, "choose one of them with --job, or name a file for each in the configuration");
    }
  }
}

ExitCode run(RunState& state, Output& out) {
  JobRequest& request = state.request;
  // The kind of job is not known yet: these options concern all jobs together.
  state.arguments.apply(request, {"json", "annotations", "junit", "journal", "keep"});
  require_path(state.file, "configurations are YAML files, as configs/demo.yaml");
  std::vector<RunJob> jobs = choose_jobs(load_run_config(state.file), state.jobs);
  // A mistake on the command line or in a later job is reported before the first job runs.
  std::vector<JobKind> kinds;
  kinds.reserve(jobs.size());
  for (const RunJob& job : jobs) kinds.push_back(job.request.kind);
  const std::string unused = state.arguments.unused_by(kinds);
  // Not every one of several jobs has to take an option.
  if (!unused.empty() && state.part.empty()) {
    throw usage_error(
        fmt::format("none of these jobs takes {}", unused), {},
        fmt::format("`warpmark {} --help` lists the options", to_text(kinds.front())));
  }
  const SharedFiles shared = {request.formats.junit, request.journal};
  const std::filesystem::path keep = request.keep;
  const bool several = jobs.size() > 1 || !state.part.empty();
  for (RunJob& job : jobs) {
    state.arguments.apply(job.request);
    job.request.config = state.file;
    // Another job with the same case would replace its files.
    if (several && !keep.empty() && job.request.kind == JobKind::check) {
      job.request.keep = keep / job.name;
    }
  }
  if (!several) {
    request = jobs.front().request;
    return run_job(request, out);
  }
  if (!state.part.empty()) {
    request = jobs.front().request;
    request.append_journal = !shared.journal.empty();
    if (!shared.junit.empty()) {
      request.formats.junit = state.part;
      request.junit_part = true;
    }
    return run_job(request, out);
  }
  for (const RunJob& job : jobs) require_own_files(job.request);
  require_apart(jobs, shared);
  for (const RunJob& job : jobs) {
    for (const RunJob& other : jobs) {
      require_kept(output_files(job.request), suite_files(other.request.paths).files);
    }
  }
  std::vector<std::string> names;
  names.reserve(jobs.size());
  for (const RunJob& job : jobs) names.push_back(job.name);
  return run_job_processes(names, shared, out);
}

}  // namespace

Command run_command(const ArgumentParser& program) {
  const auto state = std::make_shared<RunState>();
  const ArgumentParser app = program.add_subcommand(
      "run", "Run the jobs of a configuration; options here override those of the file");
  app.add_option("CONFIG", state->file, "A YAML file, as configs/demo.yaml")
      .required()
      .value_name("");
  app.add_option("--job", state->jobs, "Only the job of this name; may be repeated")
      .value_name("NAME")
      .one_value_each_time();
  app.add_option("--part", state->part).hide();  // for run_job_processes
  state->arguments.add_to(app);
  return {app, [state](Output& out) {
            annotate_errors_of({state, &state->request}, out);
            return run(*state, out);
          }};
}

}  // namespace warpmark
