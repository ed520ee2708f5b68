// The common steps of every job that runs cases, before the first one.
#pragma once

#include <functional>
#include <memory>

#include "cli/program/output.hpp"
#include "cli/request/job_request.hpp"
#include "report/run/case_run.hpp"
#include "results/run_context.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// Begins a job: the request becomes that of its shard. Throws a usage error for output files of
/// which one would replace another.
void begin_job(JobRequest& request, Output& out);

/// The context of the run from the request; the device is not known yet.
RunContext make_context(const JobRequest& request, size_t deselected);

/// Sets the `options` of the request that every job has.
void set_run_options(const JobRequest& request, const Output& out, RunOptions& options);

/// Adds annotations to the reports, if the request wants them. The returned object holds them; from
/// now on nothing that kernels print is a command.
std::unique_ptr<RunReport> add_annotations(const JobRequest& request, RunOptions& options);
/// The same for the files of `--format`.
std::unique_ptr<RunReport> add_problem_files(const JobRequest& request, const RunContext& context,
                                             RunOptions& options);

/// An error that ends the program becomes an annotation, if the request wants any by then.
void annotate_errors_of(std::shared_ptr<const JobRequest> request, Output& out);

/// Waits for the device. Returns false, with a line that says so, if there is none and the request
/// skips then; else throws. `require` waits for the device, as Session::require does.
bool find_device(const std::function<DeviceFacts()>& require, const JobRequest& request,
                 RunContext& context, Output& out);
bool find_device(Session& session, const JobRequest& request, RunContext& context, Output& out);

/// Throws a usage error for two outputs of the request in one file, or one that would replace the
/// run configuration.
void require_own_files(const JobRequest& request);

}  // namespace warpmark
