#include "cli/program.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include "base/exception.hpp"
#include "base/text.hpp"
#include "cli/program/argument_parser.hpp"
#include "cli/program/command.hpp"
#include "cli/request/rank_job.hpp"

namespace warpmark {
namespace {

constexpr const char* kVersion = "warpmark " WARPMARK_VERSION;
constexpr const char* kAbout =
    "Checks, benchmarks and grades CUDA kernels, on a GPU or on the CPU device.";
constexpr const char* kFooter =
    "PATHS are suite files, and folders of them (default: the folder `suites`).\n"
    "Case ids, as `list` prints them, are what --case takes.\n\n"
    "Environment: WARPMARK_PYTHON, WARPMARK_NVRTC, WARPMARK_CUDA_HOME, WARPMARK_PLUGIN_PATH,\n"
    "WARPMARK_NVML and WARPMARK_CACHE_DIR override what Warpmark finds; see `warpmark doctor`.\n\n"
    "Exit codes: 0 all good; 1 a case failed; 2 wrong usage or a suite that cannot be loaded;\n"
    "3 this machine lacks something; 4 an error in Warpmark itself; 77 every case was skipped;\n"
    "130 interrupted.";

using CommandRun = std::function<ExitCode(Output&)>;

// The command that the arguments ask for; help and the version are printed, and nothing is left.
CommandRun parse(CommandLine& program, int count, const char* const* arguments, Output& out) {
  const CommandRun nothing = [](Output&) { return ExitCode::success; };
  const std::vector<Command> commands = {
      check_command(program),      watch_command(program),    bench_command(program),
      run_command(program),        grade_command(program),    judge_command(program),
      handout_command(program),    merge_command(program),    pack_command(program),
      try_command(program),        compare_command(program),  report_command(program),
      export_command(program),     list_command(program),     plan_command(program),
      profile_command(program),    debug_command(program),    lint_command(program),
      new_command(program),        devices_command(program),  doctor_command(program),
      cache_command(program),      examples_command(program), schema_command(program),
      completion_command(program), complete_command(program), worker_command(program)};
  program.set_footer(kFooter);  // set after the commands were made, which would all take it over
  // Every rank reads the same words, and one of them answers.
  const bool silent = is_other_rank();
  CommandLine::Request request{};
  try {
    request = program.parse(count, arguments);
  } catch (const Error&) {
    if (silent) return nothing;
    throw;
  }
  if (silent && request != CommandLine::Request::command) return nothing;
  switch (request) {
    case CommandLine::Request::help:
      out.write(program.help());
      return nothing;
    case CommandLine::Request::version:
      out.print("{}\n", kVersion);
      return nothing;
    case CommandLine::Request::command:
      break;
  }
  for (const Command& command : commands) {
    if (!command.app.parsed()) continue;
    return silent && !command.on_every_rank ? nothing : command.run;
  }
  if (silent) return nothing;
  throw usage_error("which command? " + join(program.subcommand_names(), ", "), {},
                    "`warpmark --help` says what they do");
}

void print_failure(Output& out, const std::string& text) {
  try {
    out.flush();            // what was printed before comes first
  } catch (const Error&) {  // the failure at hand is the one to report
  }
  print_error(out, text);
}

}  // namespace

int run_program(int count, const char* const* arguments) noexcept {
  Output out(STDOUT_FILENO);
  ExitCode code = ExitCode::internal;
  try {
    try {
      CommandLine program(kAbout, "warpmark", kVersion);
      const CommandRun command = parse(program, count, arguments, out);
      code = command(out);
      out.flush();
    } catch (...) {
      const Error error = to_error(std::current_exception());
      out.annotate(error);
      code = error.code();
      print_failure(out, error.what());
    }
    out.end(code);
  } catch (...) {  // out of memory while a failure is reported
    return static_cast<int>(ExitCode::internal);
  }
  return static_cast<int>(code);
}

}  // namespace warpmark
