// Grades what comes in by JSON lines, for programs that evaluate kernels by the thousand.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grade/class/grade_worker.hpp"
#include "results/grade_result.hpp"
#include "worker/device_facts.hpp"

namespace warpmark {

struct GradeStreamOptions {
  GradeSetup setup;
  size_t jobs = 0;   ///< processes; 0: one for each processor, and one alone on a GPU
  int input = 0;     ///< descriptor of the requests
  int wake_fd = -1;  ///< ends the stream once it becomes readable; -1: none
};

struct GradeStreamEnd {
  size_t graded = 0;  ///< refused submissions among them
  size_t failed = 0;  ///< that the grader could not judge
  size_t wrong = 0;   ///< lines that are no request
  bool interrupted = false;
  std::vector<std::string> missing;  ///< devices that could not be had, with the reason
};

/// The answer to one line.
struct GradeStreamAnswer {
  nlohmann::json id;  ///< the request's: any text or number
  std::optional<GradeResult> result;
  std::string error;  ///< why the line is no request; "" with a result
};

/// Reads a request of each line, `{"id": …, "text": "CUDA C++"}` or, of several files and of headers,
/// `{"id": …, "files": {"scale.cu": "CUDA C++", …}}`, until the end of the input, and answers each
/// as soon as it has a result, in any order. No more requests are read than processes can soon take.
/// Throws what run_class() throws.
GradeStreamEnd run_grade_stream(const GradeStreamOptions& options,
                                const std::function<void(const DeviceFacts&, size_t jobs)>& started,
                                const std::function<void(GradeStreamAnswer)>& answer);

}  // namespace warpmark
