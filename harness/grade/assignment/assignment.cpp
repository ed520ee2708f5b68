#include "grade/assignment/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "results/run_context.hpp"

namespace warpmark {

// What lecture notes on CUDA include, of what the compiler finds without a host compiler.
const std::vector<std::string>& default_toolkit_headers() {
  static const std::vector<std::string> kHeaders = {"cuda_runtime.h",
                                                    "cuda_runtime_api.h",
                                                    "cuda/atomic",
                                                    "cuda/barrier",
                                                    "cuda/pipeline",
                                                    "device_launch_parameters.h",
                                                    "vector_types.h",
                                                    "vector_functions.h",
                                                    "cuda_fp16.h",
                                                    "cuda_bf16.h",
                                                    "cooperative_groups.h",
                                                    "cooperative_groups/reduce.h",
                                                    "cooperative_groups/scan.h",
                                                    "cooperative_groups/memcpy_async.h",
                                                    "cuda_pipeline.h",
                                                    "mma.h",
                                                    "math_constants.h"};
  return kHeaders;
}

std::vector<std::string> SubmissionRules::files() const {
  std::vector<std::string> all = {file};
  all.insert(all.end(), further_files.begin(), further_files.end());
  return all;
}

const std::string& Assignment::file_of(const Suite& suite) const {
  for (size_t i = 0; i < suite_files.size(); ++i) {
    if (suites[i]->file == suite.file) return suite_files[i];
  }
  return submission.file;
}

std::vector<std::filesystem::path> Assignment::files_of(const SelfTest& test) {
  if (!std::filesystem::is_directory(test.file)) return {test.file};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test.file)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

double Assignment::max_points() const {
  double sum = 0;
  for (const AssignmentCase& one : cases) sum += one.extra ? 0 : one.points;
  return sum;
}

void require_whole(const Assignment& assignment) {
  if (!assignment.handout) return;
  throw usage_error("this is what students got: it has no hidden case, and no solution",
                    assignment.where, "grade with the assignment that it was made from");
}

void require_version(const Assignment& assignment) {
  const std::optional<Located>& wanted = assignment.made_with;
  if (!wanted || wanted->text == warpmark_version()) return;
  throw Error(
      ExitCode::environment,
      fmt::format("the assignment is made with Warpmark {}, and this is {}",
                  printable(wanted->text), warpmark_version()),
      wanted->where,
      "verdicts may differ: `warpmark grade --lint` tries the self-test with this version; then "
      "change `made_with`");
}

}  // namespace warpmark
