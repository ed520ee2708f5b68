// Checking cases, as `check` and `run` do: from paths to the exit code.
#include <unistd.h>

#include <iostream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "check/check.hpp"
#include "cli/check_request.hpp"
#include "cli/lazy_python.hpp"
#include "cli/suites.hpp"
#include "driver/choose.hpp"
#include "plan/plugin_loader.hpp"
#include "results/reproduce.hpp"
#include "runtime/session.hpp"

namespace warpmark {

namespace {

class SessionRunner : public CaseRunner {
 public:
  explicit SessionRunner(Session& session) : session_(session) {}

  Outcome verify(const Case& which, const PlannedCase& planned) override {
    if (!which.skip) return session_.verify(which, planned);
    Outcome outcome;
    outcome.suite = which.suite->name;
    outcome.case_id = which.id;
    outcome.verdict = Verdict::skipped;
    outcome.reason = *which.skip;
    return outcome;
  }
  void interrupt() noexcept override { session_.interrupt(); }

 private:
  Session& session_;
};

// How this process was called; proc(5): the arguments, each ended by a null byte.
std::string command_line() {
  std::string words;
  try {
    words = read_file("/proc/self/cmdline");
  } catch (const Error&) {
    return "warpmark";  // for the journal only, which is no reason to run nothing
  }
  if (!words.empty()) words.pop_back();
  std::string line;
  for (const std::string& word : split(words, '\0')) {
    line += (line.empty() ? "" : " ") + shell_word(word);
  }
  return line;
}

// All plans are made before any case runs: what cannot be planned is a mistake in a file.
std::vector<CheckWork> plan_all(const std::vector<Case>& selected) {
  PluginLoader plugins;
  std::vector<CheckWork> work;
  work.reserve(selected.size());
  for (const Case& which : selected) {
    work.push_back({which, which.skip ? PlannedCase{} : make_plan(which, plugins)});
  }
  return work;
}

}  // namespace

ExitCode check(const CheckRequest& request, Output& out) {
  LazyPython python;
  const std::vector<Case> selected =
      select_cases(load_suites(request.paths, python.list_evaluator()), request.case_ids);
  const std::vector<CheckWork> work = plan_all(selected);
  Session session(python.interpreter(), request.session);

  RunContext context;
  context.command = command_line();
  context.device_request = request.device_given ? request.session.device : "";
  context.seed_given = request.seed_given;
  context.seed = request.session.seed;
  try {
    context.device = session.require();
  } catch (const NoDeviceError& error) {
    if (!request.skip_without_device) throw;
    out.print("skipped: {}\n", error.message());
    return ExitCode::skipped;
  }

  CheckOptions options;
  if (!request.journal.empty()) options.journal = request.journal;
  if (!request.junit.empty()) options.junit = request.junit;
  options.single_case = !request.case_ids.empty() && selected.size() == 1;
  options.style = console_style(STDOUT_FILENO);
  out.flush();  // the report goes to the same descriptor
  SessionRunner runner(session);
  const ExitCode code = run_check(work, runner, context, options, std::cout);
  std::cout.flush();
  if (!std::cout) throw environment_error("standard output cannot be written");
  return code;
}

}  // namespace warpmark
