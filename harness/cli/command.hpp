// The subcommands of the program: each adds its options and says what runs once they are read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "cli/output.hpp"

namespace warpmark {

struct Command {
  CLI::App* app = nullptr;
  /// Called after all arguments were read without an error. Throws an Error for what ends the
  /// program with another exit code than a verdict's.
  std::function<ExitCode(Output&)> run;
};

// One in each file of the same name; `program` owns what they add.
Command check_command(CLI::App& program);
Command watch_command(CLI::App& program);
Command bench_command(CLI::App& program);
Command run_command(CLI::App& program);
Command grade_command(CLI::App& program);
Command try_command(CLI::App& program);
Command compare_command(CLI::App& program);
Command report_command(CLI::App& program);
Command list_command(CLI::App& program);
Command plan_command(CLI::App& program);
Command profile_command(CLI::App& program);
Command lint_command(CLI::App& program);
Command devices_command(CLI::App& program);
/// `new suite`, `new plugin`, `new assignment`: see new_kinds.hpp.
Command new_command(CLI::App& program);
Command doctor_command(CLI::App& program);
Command cache_command(CLI::App& program);
Command schema_command(CLI::App& program);
Command completion_command(CLI::App& program);
/// Hidden: what the scripts of `completion` ask.
Command complete_command(CLI::App& program);
/// Hidden: what `grade` starts, with its connection as descriptor 3.
Command grade_worker_command(CLI::App& program);
/// Hidden: the worker that sessions start, with its socket as descriptor 3.
Command worker_command(CLI::App& program);

}  // namespace warpmark
