// Checking cases: from paths to the exit code.
#include <algorithm>
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
#include "runtime/session.hpp"

namespace warpmark {

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

  auto session = std::make_unique<Session>(python.interpreter(), request.session);
  RunContext context = make_context(request, deselected);
  if (!last_failed_note.empty()) context.notes.push_back(last_failed_note);
  if (!find_device(*session, request, context, out)) return ExitCode::skipped;

  const std::vector<std::string>& can = context.device.capabilities;
  if (!request.session.counters.empty() &&
      std::find(can.begin(), can.end(), "profile") == can.end()) {
    context.notes.push_back(context.device.name +
                            " does not count: `--counters` is for the CPU device (--device cpu)");
  }
  CheckOptions options;
  set_run_options(request, work.size(), out, options);
  if (!request.junit.empty()) options.junit = request.junit;
  SessionRunner runner(std::move(session), !request.keep.empty());
  options.reports.push_back(&last_failed);
  std::optional<KeepReport> keep;
  if (!request.keep.empty()) {
    keep.emplace(request.keep, request.keep_all, runner, work, python.interpreter());
    options.reports.push_back(&*keep);
  }
  const auto annotations = add_annotations(request, options);

  out.flush();  // the report goes to the same descriptor
  return run_check(work, runner, context, options, std::cout);
}

}  // namespace warpmark
