#include "cli/program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/exception.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"

namespace warpmark {
namespace {

constexpr const char* kFooter =
    "PATHS are suite files, and folders of them (default: the folder `suites`).\n"
    "Case ids, as `list` prints them, are what --case takes.\n\n"
    "Environment: WARPMARK_PYTHON, WARPMARK_NVRTC, WARPMARK_CUDA_HOME, WARPMARK_PLUGIN_PATH,\n"
    "WARPMARK_NVML and WARPMARK_CACHE_DIR override what Warpmark finds; see `warpmark doctor`.\n\n"
    "Exit codes: 0 all good; 1 a case failed; 2 wrong usage or a suite that cannot be loaded;\n"
    "3 this machine lacks something; 4 an error in Warpmark itself; 77 every case was skipped;\n"
    "130 interrupted.";

// The names that a misspelt one may have meant; not those of hidden commands.
std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

// Without one-letter names, to which any other letter would be near.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "warpmark cache clear": the commands that were given.
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

const CLI::App& innermost(const CLI::App& program) {
  const std::vector<CLI::App*> given = program.get_subcommands();
  return given.empty() ? program : innermost(*given.back());
}

Error unexpected(const CLI::App& command, const std::string& argument) {
  const bool is_option = argument.size() > 1 && argument[0] == '-';
  const std::string name = argument.substr(0, argument.find('='));
  const bool takes_commands = !command_names(command).empty();
  const std::string what = is_option ? "option" : takes_commands ? "command" : "argument";
  const std::vector<std::string> known = is_option ? option_names(command) : command_names(command);
  const std::string near = nearest(is_option ? name : argument, known);
  std::string hint = fmt::format("`{} --help` says what there is", full_name(command));
  if (!near.empty()) {
    hint = fmt::format("did you mean `{}`?", near);
  } else if (takes_commands && !is_option) {
    hint = "commands: " + join(known, ", ");
  }
  return usage_error(fmt::format("unknown {} `{}` of `{}`", what,
                                 printable(is_option ? name : argument), full_name(command)),
                     {}, std::move(hint));
}

// CLI11 collects what it could not place; the first of it is what the person has to correct.
Error usage_failure(const CLI::App& program, const CLI::ParseError& failure) {
  for (const CLI::App* command = &program;;) {
    const std::vector<std::string> extra = command->remaining(false);
    if (!extra.empty()) return unexpected(*command, extra.front());
    const std::vector<CLI::App*> given = command->get_subcommands();
    if (given.empty()) break;
    command = given.back();
  }
  return usage_error(printable(failure.what()), {},
                     fmt::format("see `{} --help`", full_name(innermost(program))));
}

ExitCode run(int count, const char* const* arguments, Output& out) {
  CLI::App program("Checks, benchmarks and grades CUDA kernels, on a GPU or on the CPU device.",
                   "warpmark");
  program.set_version_flag("--version", "warpmark " WARPMARK_VERSION);
  program.require_subcommand(0, 1);
  program.get_formatter()->column_width(26);
  const std::vector<Command> commands = {
      check_command(program),    watch_command(program),        bench_command(program),
      run_command(program),      grade_command(program),        try_command(program),
      compare_command(program),  report_command(program),       list_command(program),
      plan_command(program),     profile_command(program),      lint_command(program),
      new_command(program),      devices_command(program),      doctor_command(program),
      cache_command(program),    schema_command(program),       completion_command(program),
      complete_command(program), grade_worker_command(program), worker_command(program)};
  program.footer(kFooter);  // set after the commands were made, which would all take it over
  try {
    program.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    out.write(program.help());
    return ExitCode::success;
  } catch (const CLI::CallForVersion& version) {
    out.print("{}\n", version.what());
    return ExitCode::success;
  } catch (const CLI::ParseError& failure) {
    throw usage_failure(program, failure);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run(out);
  }
  throw usage_error("which command? " + join(command_names(program), ", "), {},
                    "`warpmark --help` says what they do");
}

int fail(Output& out, ExitCode code, const std::string& text) {
  try {
    out.flush();            // what was printed before comes first
  } catch (const Error&) {  // the failure at hand is the one to tell
  }
  print_error(out, text);
  return static_cast<int>(code);
}

}  // namespace

int run_program(int count, const char* const* arguments) noexcept {
  Output out(STDOUT_FILENO);
  try {
    try {
      const ExitCode code = run(count, arguments, out);
      out.flush();
      return static_cast<int>(code);
    } catch (...) {
      const Error error = to_error(std::current_exception());
      return fail(out, error.code(), error.what());
    }
  } catch (...) {  // out of memory while telling of a failure
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace warpmark
