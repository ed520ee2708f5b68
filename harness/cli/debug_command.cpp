// `warpmark debug`: stepping through a kernel on the CPU device.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_options.hpp"
#include "cli/request/planned_work.hpp"
#include "debug/debuggee.hpp"

namespace warpmark {
namespace {

struct DebugOptions {
  std::vector<std::filesystem::path> paths;
  std::vector<std::string> commands;
  std::string file;
  bool adapter = false, optimised = false, batch = false, program = false;
  std::string socket;
  JobArguments choice;
};

// The one case that was chosen.
debugging::Debuggee debuggee_of(const std::vector<std::filesystem::path>& paths,
                                const JobRequest& request, LazyPython& python) {
  ChosenCases chosen = choose_cases(paths, request.choice, python.list_evaluator());
  chosen.require_all_loaded();
  std::vector<CaseWork> work = plan_all(chosen, request.choice.axes);
  require_planned(work);
  if (work.size() != 1) {
    std::string some;
    for (size_t i = 0; i < work.size() && i < 3; ++i)
      some += fmt::format("{}{}", i == 0 ? "" : ", ", work[i].which.id);
    throw usage_error(fmt::format("one case can be debugged, and {} were chosen: {}{}", work.size(),
                                  some, work.size() > 3 ? ", ..." : ""),
                      {}, "--case ID names one; `warpmark list` shows them");
  }
  if (work.front().which.skip || work.front().planned == nullptr) {
    throw usage_error(fmt::format("{} is skipped: {}", work.front().which.id,
                                  skipped_outcome(work.front().which).reason));
  }
  return {work.front().which, *work.front().planned, request.session, true};
}

ExitCode debug(const DebugOptions& options) {
  JobRequest request;
  options.choice.apply(request);
  if (!request.device_given) request.session.device = "cpu";
  if (!request.checks_given) request.session.checks = known_checks();
  LazyPython python;
  debugging::DebuggedProgram program;
  program.socket = options.socket;
  if (options.program && !options.socket.empty())
    throw usage_error(
        "--program starts a program, and --attach is for one that runs: leave one out");
  if (options.program) {
    for (const std::filesystem::path& word : options.paths) program.words.push_back(word.string());
    if (program.words.empty())
      throw usage_error("which program? warpmark debug --program -- PROGRAM");
  }
  if (options.adapter) {
    const auto choose = [&](const std::string& suite, const std::string& id) {
      JobRequest asked = request;
      if (!id.empty()) asked.choice.ids = {id};
      std::vector<std::filesystem::path> paths = options.paths;
      if (!suite.empty()) paths = {suite};
      if (paths.empty() && !std::filesystem::exists("suites"))
        throw usage_error("the launch request names neither a `suite` nor a `program`");
      debugging::Debuggee debuggee = debuggee_of(paths, asked, python);
      debuggee.information = !options.optimised;
      return debuggee;
    };
    return debugging::debug_for_editor([&]() -> Interpreter& { return python.interpreter(); },
                                       choose, program);
  }
  if (options.program || !options.socket.empty()) {
    return debugging::debug_in_terminal(
        program, {options.commands, options.file, options.batch, options.program});
  }
  debugging::Debuggee debuggee = debuggee_of(options.paths, request, python);
  debuggee.information = !options.optimised;
  return debugging::debug_in_terminal(python.interpreter(), debuggee,
                                      {options.commands, options.file, options.batch, false});
}

}  // namespace

Command debug_command(const ArgumentParser& program) {
  const auto options = std::make_shared<DebugOptions>();
  const ArgumentParser app = program.add_subcommand(
      "debug", "Step through the kernels of one case, also backwards, on the CPU device");
  add_suite_paths(app, options->paths);
  options->choice.add_to(
      app, {"cases", "select", "axes", "device", "seed", "checks", "schedule", "no_cache"});
  app.option("--device").describe("auto, gpu, cpu (default), or one with a number: gpu:1");
  app.add_option("--command", options->commands,
                 "A command for the debugger, as if it were typed; may be repeated")
      .value_name("TEXT");
  app.add_option("-x,--commands", options->file, "Commands from a file, one a line")
      .value_name("FILE");
  app.add_flag("--batch", options->batch, "Read no commands from the standard input");
  app.add_flag("-O,--optimised", options->optimised,
               "Compile as `check` does: no local variables, but the code that runs");
  app.add_flag("--program", options->program,
               "PATHS are a program and its arguments (as of `warpmark-cpu --debug`)");
  app.add_option("--attach", options->socket,
                 "Debug the program that `warpmark-cpu --debug-socket FILE` starts")
      .value_name("FILE");
  app.add_flag("--dap", options->adapter, "Speak the Debug Adapter Protocol, for editors");
  return {app, [options](Output&) { return debug(*options); }};
}

}  // namespace warpmark
