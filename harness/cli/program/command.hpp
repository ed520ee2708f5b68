// The subcommands of the program: each adds its options and says what runs once they are read.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "cli/program/argument_parser.hpp"
#include "cli/program/output.hpp"

namespace warpmark {

struct Command {
  ArgumentParser app;
  /// Called after all arguments were read without an error. Throws an Error if the program ends
  /// with another exit code than a verdict's.
  std::function<ExitCode(Output&)> run;
  /// True if the command runs on every rank (cli/request/rank_job.hpp); other commands run on the first
  /// alone.
  bool on_every_rank = false;
};

// Each command is in a file of the same name; `program` owns the options that it adds.
Command check_command(const ArgumentParser& program);
Command watch_command(const ArgumentParser& program);
Command bench_command(const ArgumentParser& program);
Command run_command(const ArgumentParser& program);
Command grade_command(const ArgumentParser& program);
Command judge_command(const ArgumentParser& program);
Command handout_command(const ArgumentParser& program);
/// `pack gradescope`, `pack github`.
Command merge_command(const ArgumentParser& program);
Command pack_command(const ArgumentParser& program);
Command try_command(const ArgumentParser& program);
Command compare_command(const ArgumentParser& program);
Command report_command(const ArgumentParser& program);
Command export_command(const ArgumentParser& program);
Command list_command(const ArgumentParser& program);
Command plan_command(const ArgumentParser& program);
Command profile_command(const ArgumentParser& program);
Command debug_command(const ArgumentParser& program);
Command lint_command(const ArgumentParser& program);
Command devices_command(const ArgumentParser& program);
/// `new suite`, `new plugin`, `new assignment`, `new course`: see new_kinds.hpp.
Command new_command(const ArgumentParser& program);
Command doctor_command(const ArgumentParser& program);
Command cache_command(const ArgumentParser& program);
Command examples_command(const ArgumentParser& program);
Command schema_command(const ArgumentParser& program);
Command completion_command(const ArgumentParser& program);
/// Hidden: the scripts of `completion` call it.
Command complete_command(const ArgumentParser& program);
/// Hidden: `grade` starts it, with the connection as descriptor 3.
/// Hidden: the worker that sessions start, with its socket as descriptor 3.
Command worker_command(const ArgumentParser& program);

}  // namespace warpmark
