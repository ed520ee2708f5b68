// A bench that is held against a baseline: `--compare`.
#pragma once

#include "cli/job_request.hpp"

namespace warpmark {

/// Measures as `bench` does without a baseline, then compares as `warpmark compare` does. The exit
/// code is that of the gravest of both. Throws a usage error for a baseline that cannot be read,
/// before any case runs.
ExitCode bench_and_compare(const JobRequest& request, Output& out);

}  // namespace warpmark
