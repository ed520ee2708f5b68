// Counting cases of a bench again, line by line of their sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/program/lazy_python.hpp"
#include "cli/request/job_request.hpp"
#include "results/bench_result.hpp"

namespace warpmark {

/// Runs those cases of the request once more with lines counted, and puts the lines into `run`.
/// Takes about as long as checking them; to be called for those alone whose lines somebody wants.
/// Cases that do not pass, and all of a device that does not count lines, stay without. Returns
/// the exit code of an interrupt, or nothing.
std::optional<ExitCode> count_lines(const JobRequest& request, LazyPython& python,
                                    const std::vector<std::string>& ids, BenchResult& run);

}  // namespace warpmark
