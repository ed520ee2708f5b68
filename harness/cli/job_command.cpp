// `warpmark check` and `warpmark bench`: run cases, to compare or to measure.
#include <memory>

#include "cli/jobs/bench_self_test.hpp"
#include "cli/program/command.hpp"
#include "cli/request/job_options.hpp"
#include "cli/request/job_setup.hpp"
#include "cli/request/rank_job.hpp"

namespace warpmark {
namespace {

// True if the arguments ask for a shard. Errors are ignored, since the first rank reports them.
bool has_shard(const JobArguments& arguments) {
  JobRequest request;
  request.kind = JobKind::bench;
  try {
    arguments.apply(request);
  } catch (const Error&) {
  }
  return request.shard.has_value();
}

Command job_command(const ArgumentParser& program, JobKind kind, const std::string& description) {
  struct State {
    std::vector<std::filesystem::path> paths;
    JobArguments arguments;
    std::filesystem::path share;
    bool self_test = false, profile = false;
    JobRequest request;
  };
  const auto state = std::make_shared<State>();
  const ArgumentParser app = program.add_subcommand(std::string(to_text(kind)), description);
  add_suite_paths(app, state->paths);
  state->arguments.add_to(app, kind);
  if (kind == JobKind::check) {
    app.add_option("--share", state->share,
                   "For ctest: share starts with tests of the same suite, in this folder")
        .value_name("DIR");
  } else {
    app.add_flag("--profile", state->profile,
                 "Run each case once, for ncu and nsys, and take no time");
    app.add_flag("--self-test", state->self_test, "Measure false alarms and power on this machine");
  }
  return {app,
          [state, kind](Output& out) {
            if (kind == JobKind::bench && is_other_rank() && !has_shard(state->arguments)) {
              return ExitCode::success;
            }
            JobRequest& request = state->request;
            request.kind = kind;
            annotate_errors_of({state, &request}, out);
            request.paths = state->paths;
            state->arguments.apply(request);
            request.share = state->share;
            request.profile = state->profile;
            if (state->self_test) {
              if (!state->paths.empty())
                throw usage_error("--self-test brings its own kernels, and takes no PATHS");
              return bench_self_test(request, out);
            }
            if (kind == JobKind::check) {
              if (const auto code = join_ranks(request, out)) return *code;
              return check(request, out);
            }
            return bench(request, out);
          },
          true};
}

}  // namespace

Command check_command(const ArgumentParser& program) {
  return job_command(program, JobKind::check, "Run cases and compare with their references");
}

Command bench_command(const ArgumentParser& program) {
  return job_command(program, JobKind::bench, "Measure the time of cases whose results are right");
}

}  // namespace warpmark
