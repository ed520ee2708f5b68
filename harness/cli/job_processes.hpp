// Several jobs of a run configuration, one process after another.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/output.hpp"

namespace warpmark {

/// Runs this process's own command line with `--part --job NAME` behind it for each name, because
/// GoogleTest can run once in a process. A job that fails does not stop the next; Ctrl-C does.
/// Returns the gravest exit code: interrupted, then internal, environment, usage, verdict.
ExitCode run_job_processes(const std::vector<std::string>& names, Output& out);

/// The graver of two exit codes.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace warpmark
