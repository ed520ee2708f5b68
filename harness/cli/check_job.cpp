// Checking cases, as `check` and `run` do: from paths to the exit code.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "check/check.hpp"
#include "cli/axis_override.hpp"
#include "cli/check_request.hpp"
#include "cli/keep_report.hpp"
#include "cli/last_failed_report.hpp"
#include "cli/lazy_python.hpp"
#include "cli/session_runner.hpp"
#include "compiler/cache.hpp"
#include "driver/choose.hpp"
#include "plan/plugin_loader.hpp"
#include "report/annotations.hpp"
#include "results/reproduce.hpp"
#include "runtime/session.hpp"

namespace warpmark {

namespace {

// How this process was called.
std::string command_line() {
  std::vector<std::string> words;
  try {
    words = own_arguments();
  } catch (const Error&) {
    return "warpmark";  // for the journal only, which is no reason to run nothing
  }
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

// All plans are made before any case runs: what cannot be planned is a mistake in a file.
std::vector<CheckWork> plan_all(std::vector<Case> cases, const std::vector<Axis>& overrides) {
  PluginLoader plugins;
  std::vector<CheckWork> work;
  work.reserve(cases.size());
  for (Case& which : cases) {
    PlannedCase planned = which.skip ? PlannedCase{} : make_plan(which, plugins);
    std::vector<std::string> axes = override_texts(which, overrides);
    work.push_back({std::move(which), std::move(planned), std::move(axes)});
  }
  return work;
}

RunContext make_context(const CheckRequest& request, size_t deselected) {
  RunContext context;
  context.command = command_line();
  context.device_request = request.device_given ? request.session.device : "";
  context.seed_given = request.seed_given;
  context.seed = request.session.seed;
  if (request.timeout_given) context.timeout_s = request.session.timeout_s;
  context.first_trial = request.first_trial;
  context.trials = request.trials;
  context.trials_given = request.trials_given;
  context.deselected = deselected;
  return context;
}

CheckOptions make_options(const CheckRequest& request, size_t cases, const Output& out) {
  CheckOptions options;
  if (!request.journal.empty()) options.journal = request.journal;
  if (!request.junit.empty()) options.junit = request.junit;
  options.single_case = !request.choice.ids.empty() && cases == 1;
  options.max_failures = request.max_failures;
  options.json = request.json;
  options.style = console_style(STDOUT_FILENO);
  options.style.verbosity = request.verbosity;
  options.style.for_runner = out.for_runner();
  options.style.durations = request.durations;
  return options;
}

}  // namespace

ExitCode check(const CheckRequest& request, Output& out) {
  const bool annotate = wants_annotations(request.annotations, request.json);
  if (annotate) out.write_for_runner();
  if (request.keep_all && request.keep.empty()) {
    throw usage_error("--keep-all needs --keep DIR", {}, "which says where to keep the files");
  }
  LazyPython python;
  ChosenCases chosen = choose_cases(request.paths, request.choice, python.list_evaluator());
  const std::filesystem::path cache = CompileCache::default_folder();
  const LastFailed memory(cache.empty() ? cache : cache / "last-failed");
  std::string last_failed_note;
  if (request.last_failed) last_failed_note = keep_last_failed(chosen, memory);
  const size_t deselected = chosen.deselected;
  LastFailedReport last_failed(memory, chosen.suites);
  const std::vector<CheckWork> work = plan_all(chosen.take_cases(), request.choice.axes);

  auto session = std::make_unique<Session>(python.interpreter(), request.session);
  RunContext context = make_context(request, deselected);
  if (!last_failed_note.empty()) context.notes.push_back(last_failed_note);
  try {
    context.device = session->require();
  } catch (const NoDeviceError& error) {
    if (!request.skip_without_device) throw;
    if (!request.json) out.print("skipped: {}\n", error.message());
    return ExitCode::skipped;
  }

  CheckOptions options = make_options(request, work.size(), out);
  SessionRunner runner(std::move(session), !request.keep.empty());
  options.reports.push_back(&last_failed);
  std::optional<KeepReport> keep;
  if (!request.keep.empty()) {
    keep.emplace(request.keep, request.keep_all, runner, work, python.interpreter());
    options.reports.push_back(&*keep);
  }
  // Where kernels print: a worker's standard output is its standard error.
  std::ostream& log = request.session.in_process && !request.json ? std::cout : std::cerr;
  std::optional<Annotations> annotations;
  if (annotate) options.reports.push_back(&annotations.emplace(log));

  out.flush();  // the report goes to the same descriptor
  return run_check(work, runner, context, options, std::cout);
}

}  // namespace warpmark
