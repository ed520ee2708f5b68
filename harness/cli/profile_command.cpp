// `warpmark profile`: what each line of the source executes and moves.
#include <unistd.h>

#include <memory>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "cli/jobs/device_threads.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_options.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/planned_work.hpp"
#include "report/run/case_text.hpp"
#include "report/run/profile.hpp"
#include "results/journal.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/step_choice.hpp"
#include "runtime/step_names.hpp"

namespace warpmark {
namespace {

struct ProfileOptions {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path page;   ///< "" for none
  std::filesystem::path roofs;  ///< a journal of a bench; "" for none
  std::string step;             ///< whose launches alone are shown; "" for all
  JobArguments choice;
};

void require_counts(const DeviceFacts& device) {
  if (device.has("profile")) return;
  throw environment_error(device.name + " does not count line by line",
                          "the CPU device does: --device cpu, which is the default");
}

bool shows(const CaseWork& work, const std::string& step) {
  return step.empty() || work.which.skip || has_step(work.planned->plan, step);
}

CaseProfile profile_of(Session& session, const CaseWork& work, const std::string& step) {
  CaseArtifacts artifacts;
  Outcome outcome = session.verify(work.which, *work.planned, {}, &artifacts);
  if (!step.empty() && work.planned->plan.steps.size() > 1) {
    outcome.counters = launches_of_step(outcome.counters, step);
  }
  std::vector<SourceText> sources;
  for (const UnitArtifacts& unit : artifacts.units) {
    for (SourceText& text : source_texts(unit)) sources.push_back(std::move(text));
  }
  std::vector<SourceText> headers;
  if (!outcome.counters.empty()) {
    headers = header_texts(work.planned->plan, work.which.suite->folder);
  }
  return make_profile(std::move(outcome), sources, headers);
}

// Why a case that ran has no numbers: a device gives those of launches that came to their end.
std::string why_no_numbers(const Plan& plan, const Outcome& outcome) {
  if (!outcome.counters.empty() || outcome.verdict == Verdict::skipped) return "";
  const bool passed = outcome.verdict == Verdict::passed;
  if (plan.compile_error && passed) return "no numbers: the compiler refuses it, as is expected";
  if ((plan.fault || plan.report) && passed) {
    return "no numbers: its launch ends in a fault, as is expected";
  }
  return "no numbers: no launch came to its end";
}

Roofs roofs_of(const std::filesystem::path& journal) {
  if (journal.empty()) return {};
  const std::optional<Roofs> roofs = measured_roofs(read_journal(journal).run);
  if (!roofs)
    throw usage_error(display_path(journal) +
                      " has no measured rates: its run is no bench on a GPU");
  return *roofs;
}

ExitCode profile(const ProfileOptions& options, Output& out) {
  const Roofs roofs = roofs_of(options.roofs);
  JobRequest request;
  options.choice.apply(request);
  if (!request.device_given) request.session.device = "cpu";
  request.session.counters = {"lines"};
  if (!options.page.empty()) request.session.counters.emplace_back("samples");
  LazyPython python;
  ChosenCases chosen = choose_cases(options.paths, request.choice, python.list_evaluator());
  chosen.require_all_loaded();
  const std::vector<CaseWork> work = plan_all(chosen, request.choice.axes);
  require_planned(work);
  if (!options.step.empty()) require_step(options.step, plans_of(work));
  require_kept({{"-o", options.page}}, options.paths, work);
  request.session.threads = device_threads(1);
  Session session(python.interpreter(), request.session);
  require_counts(session.require());
  const InterruptGuard guard([&session] { session.interrupt(); });
  ConsoleStyle style = console_style(STDOUT_FILENO);
  style.for_runner = out.for_runner();
  std::vector<CaseProfile> profiles;
  bool failed = false, first = true, counted = false, all_skipped = true;
  for (const CaseWork& one : work) {
    if (!shows(one, options.step)) continue;
    CaseProfile made = one.which.skip ? CaseProfile{skipped_outcome(one.which), {}}
                                      : profile_of(session, one, options.step);
    if (one.planned) made.remark = why_no_numbers(one.planned->plan, made.outcome);
    counted = counted || !made.outcome.counters.empty();
    const Outcome& outcome = made.outcome;
    if (outcome.verdict == Verdict::interrupted) break;  // what was counted is still written
    failed = failed || outcome.verdict == Verdict::failed;
    all_skipped = all_skipped && outcome.verdict == Verdict::skipped;
    if (!first) out.print("\n");
    first = false;
    if (!made.remark.empty() && outcome.verdict == Verdict::passed) {
      out.print("{}: {}\n", outcome.case_id, made.remark);
    } else if (outcome.verdict != Verdict::passed) {
      out.print(
          "{}: {}: {}\n", outcome.case_id, to_text(outcome.verdict),
          printable(outcome.verdict == Verdict::skipped ? skip_text(outcome) : outcome.reason));
      if (!made.remark.empty()) out.print("  {}\n", made.remark);
    }
    out.write(profile_text(made, style));
    out.flush();
    if (!options.page.empty()) profiles.push_back(std::move(made));
  }
  if (counted) out.print("\n{}", kProfileLegend);
  if (!options.page.empty()) {
    write_file_atomically(options.page, profile_page(profiles, roofs));
    out.print("\nwrote {}\n", display_path(options.page));
  }
  if (guard.interrupted()) return guard.exit_code();
  if (failed) return ExitCode::verdict;
  return all_skipped ? ExitCode::skipped : ExitCode::success;
}

}  // namespace

Command profile_command(const ArgumentParser& program) {
  const auto options = std::make_shared<ProfileOptions>();
  const ArgumentParser app = program.add_subcommand(
      "profile", "Count what each source line executes and moves (on the CPU device by default)");
  add_suite_paths(app, options->paths);
  options->choice.add_to(
      app, {"cases", "select", "axes", "device", "seed", "timeout_s", "in_process", "no_cache"});
  app.option("--device").describe("auto, gpu, cpu (default), or one with a number: gpu:1");
  app.add_option("--step", options->step,
                 "Show the launches of this step alone: its name, or the kernel's")
      .value_name("NAME");
  app.add_option("-o,--output", options->page, "Also write one page of HTML to this file")
      .value_name("FILE");
  app.add_option("--roofs", options->roofs,
                 "A GPU bench's journal: its measured rates are the page's roofs")
      .value_name("FILE");
  return {app, [options](Output& out) { return profile(*options, out); }};
}

}  // namespace warpmark
