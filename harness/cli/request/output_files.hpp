// Files that a command writes must not be those that it reads.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/request/job_request.hpp"
#include "cli/request/output_file.hpp"
#include "report/run/case_run.hpp"

namespace warpmark {

/// The files that a request of check or bench has written.
std::vector<OutputFile> output_files(const JobRequest& request);

/// Throws a usage error for an output that is one of the inputs, by whatever name: the shell's
/// completion offers both, and what was there would be lost.
void require_kept(const std::vector<OutputFile>& outputs,
                  const std::vector<std::filesystem::path>& inputs);

/// All files that the cases are made of: suites, kernels, headers of theirs that are not the
/// toolkit's, Python files. Some may not be there.
std::vector<std::filesystem::path> input_files(const std::vector<CaseWork>& work);

/// require_kept for the suites of `paths` and for input_files().
void require_kept(const std::vector<OutputFile>& outputs,
                  const std::vector<std::filesystem::path>& paths,
                  const std::vector<CaseWork>& work);

}  // namespace warpmark
