// Checking cases: from paths to the exit code.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

#include "check/check.hpp"
#include "cli/job_setup.hpp"
#include "cli/keep_report.hpp"
#include "cli/last_failed_report.hpp"
#include "cli/lazy_python.hpp"
#include "cli/session_runner.hpp"
#include "compiler/cache.hpp"
#include "report/annotations.hpp"
#include "runtime/session.hpp"

namespace warpmark {

namespace {

bool wants_annotations(const JobRequest& request) {
  if (request.annotations != AnnotationMode::automatic) {
    return request.annotations == AnnotationMode::github;
  }
  // As GitHub's own tools ask. JSON lines are for programs, and go into files there.
  const char* actions = std::getenv("GITHUB_ACTIONS");
  return !request.json && actions != nullptr && std::string_view(actions) == "true";
}

}  // namespace

ExitCode check(const JobRequest& request, Output& out) {
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
  const std::vector<CaseWork> work = plan_all(chosen.take_cases(), request.choice.axes);

  Session session(python.interpreter(), request.session);
  RunContext context = make_context(request, deselected);
  if (!last_failed_note.empty()) context.notes.push_back(last_failed_note);
  if (!find_device(session, request, context, out)) return ExitCode::skipped;

  CheckOptions options;
  set_run_options(request, work.size(), options);
  if (!request.junit.empty()) options.junit = request.junit;
  SessionRunner runner(session, !request.keep.empty());
  options.reports.push_back(&last_failed);
  std::optional<KeepReport> keep;
  if (!request.keep.empty()) {
    keep.emplace(request.keep, request.keep_all, runner, work, python.interpreter());
    options.reports.push_back(&*keep);
  }
  // JSON lines stay alone on standard output; a runner reads both.
  std::ostream& commands = request.json ? std::cerr : std::cout;
  Annotations annotations;
  const bool annotate = wants_annotations(request);
  if (annotate) options.reports.push_back(&annotations);

  out.flush();  // the report goes to the same descriptor
  ExitCode code = ExitCode::internal;
  {
    std::optional<CommandsStopped> stopped;
    if (annotate) stopped.emplace(commands);
    code = run_check(work, runner, context, options, std::cout);
  }
  if (annotate) annotations.write(commands);
  std::cout.flush();
  if (!std::cout) throw environment_error("standard output cannot be written");
  return code;
}

}  // namespace warpmark
