// Several jobs of a run configuration, one process after another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/program/output.hpp"

namespace warpmark {

/// Files of the command line, which all jobs write together; "" for none.
struct SharedFiles {
  std::filesystem::path junit, journal;
};

/// The value of `--part` for a job that shares no JUnit report; otherwise the report's file.
constexpr const char* kNoDraft = "-";

/// Runs this process's own command line with `--part=DRAFT --job=NAME` behind it for each name,
/// because GoogleTest can run once in a process. A job that fails does not stop the next; an
/// interrupt does, which each job gets. At any time the shared files hold what all jobs have
/// reported so far. Returns the gravest exit code: interrupted, then internal, environment, usage,
/// verdict.
ExitCode run_job_processes(const std::vector<std::string>& names, const SharedFiles& shared,
                           Output& out);

}  // namespace warpmark
