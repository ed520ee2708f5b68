// `check --share`: the tests of one ctest, each of one case, share the start of the program.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "cli/program/output.hpp"
#include "cli/request/job_request.hpp"

namespace warpmark {

/// Reports the result of the request's one case, if another test of the same ctest has left it, or
/// starts a process that runs the case and leaves results of others of its suite. Nothing if the
/// case is to be run by itself: the first of a suite, for which nobody knows yet whether others
/// come; any that had no result; all of them where no ctest started the program. Throws a usage
/// error for a request of another kind.
std::optional<ExitCode> share_start(const JobRequest& request, Output& out);

/// In that process: runs the case of the request, then others of the suite that nobody claimed, for
/// two seconds, and leaves what `check` would print for each in request.share_batch.
ExitCode check_batch(const JobRequest& request, Output& out);

}  // namespace warpmark
