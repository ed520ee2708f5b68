// Writing the baseline of counters: `--update-baseline`.
#pragma once

#include "cli/request/job_request.hpp"

namespace warpmark {

/// Measures as `bench` does, shows what changed since the baseline that `--compare` names, and
/// writes it anew if every case was right. Cases that --case or -k left out stay as they were. The
/// exit code is that of the measurement. Throws a usage error for a file that is there and is no
/// baseline of counters, before any case runs, and an environment error for a device that does not
/// count.
ExitCode update_baseline(const JobRequest& request, Output& out);

}  // namespace warpmark
