// `warpmark check` in several processes that mpirun started.
#pragma once

#include <optional>
#include <vector>

#include "cli/program/output.hpp"
#include "cli/request/job_request.hpp"
#include "report/run/case_run.hpp"

namespace warpmark {

/// True if this process is one of several, and not the first, which prints and writes files.
bool is_other_rank();

/// Joins the ranks for a request, which rank 0 is to carry out: nothing is returned there. Other
/// ranks lend it their process and device, and return the exit code once it has ended; all ranks
/// end with the same.
std::optional<ExitCode> join_ranks(JobRequest& request, Output& out);

/// True if the work has a case for several devices.
bool has_devices(const std::vector<CaseWork>& work);

/// Throws if there are several processes, and the work has a case for several devices, but it
/// cannot use ranks: MPI is missing, or the job is not one of `check` alone.
void require_ranks(const std::vector<CaseWork>& work, const JobRequest& request);

}  // namespace warpmark
