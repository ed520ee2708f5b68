// Runs the check front with outcomes from the command line instead of a device.
//
// Usage: check_probe [--journal FILE] [--junit FILE] [--case ID]... [--maxfail N]
//                    [--trials N] [--first-trial N] [--json] [-v] [-q] [--durations N] [--annotate]
//                    [--fail-on-skipped] [--fail-on-notices]
//                    SUITE=ACTIONS...
// Each letter of ACTIONS is what comes of one case of the file SUITE, in order:
//   0 to 9 fails in the trial of that number only
//   f, s, n, e, x, w, k as of each front: support/scripted_front.hpp   p passes
//   S is skipped in the trials 0, 1 and 3   F is so, too, and fails in the trial 4
//   N passes, with a notice in the trial 1 only
//   j puts a folder in the place of the JUnit file, and passes
#include <filesystem>
#include <iostream>
#include <optional>

#include "check/check.hpp"
#include "cli/program/argument_parser.hpp"
#include "report/problems/annotations.hpp"
#include "support/scripted_front.hpp"

namespace {

using namespace warpmark;

class ScriptedRunner : public CaseRunner {
 public:
  testing_front::Script script;
  std::filesystem::path junit;

  Outcome verify(const CaseWork& work, uint64_t trial) override {
    const Case& which = work.which;
    const char letter = in_trial(script.letter(which), trial);
    Outcome outcome = script.outcome(which, letter);
    if (letter == 'f') {
      // Control characters, bad UTF-8, markup and U+FFFF: reports must stay valid.
      outcome.message = outcome.where.text() +
                        ": 2 of 16 elements of `z` are wrong\n"
                        "  first: z[3] = 0.5, expected 1, bound 0 <\x1b[31m\xff]]>&\xEF\xBF\xBF>";
    }
    if (letter == 'j') {
      std::filesystem::remove(junit);
      std::filesystem::create_directories(junit / "in the way");
    }
    return outcome;
  }

  void interrupt() noexcept override { script.interrupt(); }

 private:
  static char in_trial(char action, uint64_t trial) {
    const bool skips = trial == 0 || trial == 1 || trial == 3;
    if (action >= '0' && action <= '9') return trial == uint64_t(action - '0') ? 'f' : 'p';
    if (action == 'F' && trial == 4) return 'f';
    if (action == 'S' || action == 'F') return skips ? 's' : 'p';
    if (action == 'N') return trial == 1 ? 'n' : 'p';
    return action;
  }
};

// A report that cannot be written, which ends a run.
class BrokenReport : public RunReport {
 public:
  void end_case(const EndedCase& ended) override {
    if (ended.outcome.verdict == Verdict::failed) throw environment_error("no room for the report");
  }
  std::vector<std::string> notes() override { return {"a note of a report"}; }
};

RunContext example_context() {
  RunContext context;
  context.version = "1.2.3";
  context.date = "2026-11-21T00:00:00Z";
  context.command = "check_probe";
  context.device_request = "cpu";
  context.device.kind = "cpu";
  context.device.name = "Warpmark CPU";
  context.device.reason = "no GPU: no libcuda.so.1; using the CPU device";
  context.device.architecture = 90;
  context.device.driver_version = 13000;
  context.device.nvrtc_version = "13.0";
  context.device.capabilities = {"exact_bounds"};
  context.device.attributes = {{"multiprocessor_count", 1}};
  return context;
}

int run(int argc, char** argv) {
  CommandLine app("", "check_probe");
  RunOptions options;
  std::vector<std::string> ids;
  std::vector<std::string> scripts;
  app.add_option("--journal", options.journal);
  app.add_option("--junit", options.junit);
  app.add_flag("--fail-on-skipped", options.fail_on.skipped);
  app.add_flag("--fail-on-notices", options.fail_on.notices);
  app.add_option("--case", ids).one_value_each_time();
  RunContext context = example_context();
  bool verbose = false, quiet = false, broken = false, annotate = false;
  app.add_option("--maxfail", options.max_failures);
  const CommandOption trials = app.add_option("--trials", context.trials);
  const CommandOption first_trial = app.add_option("--first-trial", context.first_trial);
  app.add_option("--durations", options.style.durations);
  app.add_flag("--json", options.json);
  app.add_flag("-v", verbose);
  app.add_flag("-q", quiet);
  app.add_flag("--broken", broken);
  app.add_flag("--annotate", annotate);
  app.add_option("scripts", scripts);
  app.parse(argc, argv);

  context.trials_given = trials.count() + first_trial.count() > 0;
  if (verbose) options.style.verbosity = Verbosity::verbose;
  if (quiet) options.style.verbosity = Verbosity::quiet;
  BrokenReport broken_report;
  if (broken) options.reports.push_back(&broken_report);
  std::optional<Annotations> annotations;
  if (annotate) options.reports.push_back(&annotations.emplace(std::cerr));

  ScriptedRunner runner;
  runner.junit = options.junit.value_or("");
  std::vector<CaseWork> work;
  for (Case& which : runner.script.read(scripts, ids, Purpose::check)) {
    work.push_back({std::move(which)});
  }
  return static_cast<int>(run_check(work, runner, context, options, std::cout));
}

}  // namespace

int main(int argc, char** argv) {
  return testing_front::exit_code_of([&] { return run(argc, argv); });
}
