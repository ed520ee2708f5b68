// What every job that runs cases does before the first one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/job_request.hpp"
#include "cli/output.hpp"
#include "report/case_run.hpp"
#include "results/run_context.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// What the request says of the run; the device is still to come.
RunContext make_context(const JobRequest& request, size_t deselected);

/// Puts into `options` what the request says of every job's run.
void set_run_options(const JobRequest& request, const Output& out, RunOptions& options);

/// Adds annotations to the reports, if the request wants them: they live in what it returns, and
/// from now on nothing that kernels print is a command.
std::unique_ptr<RunReport> add_annotations(const JobRequest& request, RunOptions& options);

/// Waits for the device. False, with a line that says so, if there is none and the request skips
/// then; else what is missing is thrown.
/// `require` waits for it, as Session::require does.
bool find_device(const std::function<DeviceFacts()>& require, const JobRequest& request,
                 RunContext& context, Output& out);
bool find_device(Session& session, const JobRequest& request, RunContext& context, Output& out);

/// Throws a usage error for two outputs of the request in one file, or one that would replace the
/// run configuration.
void require_own_files(const JobRequest& request);

}  // namespace warpmark
