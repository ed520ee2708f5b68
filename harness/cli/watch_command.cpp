// `warpmark watch`: checks suites, and again those whose files change.
#include <filesystem>
#include <memory>
#include <vector>

#include "cli/program/command.hpp"
#include "cli/request/job_options.hpp"
#include "cli/request/job_setup.hpp"
#include "cli/request/suites.hpp"
#include "cli/watch/watcher.hpp"
#include "ranks/ranks.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct WatchState {
  std::vector<fs::path> paths;
  JobArguments arguments;
  JobRequest request = {};
  bool once = false;              ///< the process that checks
  std::vector<fs::path> touched;  ///< for that process: the suites; empty for all
};

ExitCode watch(WatchState& state, Output& out) {
  JobRequest& request = state.request;
  request.paths = state.paths;
  // A mistake in the command line is reported here, since it would recur each time.
  state.arguments.apply(request);
  if (state.once) {
    request.touched = state.touched;
    return check(request, out);
  }
  for (const fs::path& path : state.paths) {
    require_path(path, "PATHS are suite files and folders; cases are chosen with --case");
  }
  (void)suite_files(state.paths);
  std::vector<fs::path> paths = state.paths;
  if (paths.empty()) paths.emplace_back("suites");
  return watch_suites(std::move(paths), request.json, out);
}

}  // namespace

Command watch_command(const ArgumentParser& program) {
  const auto state = std::make_shared<WatchState>();
  const ArgumentParser app = program.add_subcommand(
      "watch", "Check, and check again when a suite, kernel, header or plugin changes");
  app.add_option("PATHS", state->paths, "Suite files and folders; else the folder `suites`")
      .value_name("");
  state->arguments.add_to(app, JobKind::check);
  app.add_flag("--once", state->once).hide();
  app.add_option("--touched", state->touched).one_value_each_time().hide();
  return {app, [state](Output& out) {
            refuse_ranks("`warpmark watch` is for", "`warpmark check` runs on several");
            if (state->once) annotate_errors_of({state, &state->request}, out);
            return watch(*state, out);
          }};
}

}  // namespace warpmark
