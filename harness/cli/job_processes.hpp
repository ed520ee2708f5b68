// Several jobs of a run configuration, one process after another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/output.hpp"

namespace warpmark {

/// Files of the command line, which all jobs write together; "" for none.
struct SharedFiles {
  std::filesystem::path junit, journal;
};

/// What a job's process is told by `--part`: the file for its JUnit report, if it shares one.
constexpr const char* kNoDraft = "-";

/// Runs this process's own command line with `--part=DRAFT --job=NAME` behind it for each name,
/// because GoogleTest can run once in a process. A job that fails does not stop the next; an
/// interrupt does, which each job gets. The shared files hold what all of them told, at any time as
/// far as they came. Returns the gravest exit code: interrupted, then internal, environment, usage,
/// verdict.
ExitCode run_job_processes(const std::vector<std::string>& names, const SharedFiles& shared,
                           Output& out);

/// The graver of two exit codes.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace warpmark
