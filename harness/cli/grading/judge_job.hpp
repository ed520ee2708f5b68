// A request to `warpmark judge`: candidates for the kernel of a task, each with a verdict.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/program/output.hpp"
#include "grade/judge/judge_task.hpp"

namespace warpmark {

struct JudgeRequest {
  std::filesystem::path task;
  std::vector<std::filesystem::path> candidates;
  bool stream = false;
  bool json = false;
  JudgeTaskOptions options = {3, {"moved_sectors"}};
  std::string speed;  ///< as given; "": by the device
  std::filesystem::path secret;
  std::string device = "cpu";
  size_t jobs = 0;
  bool no_sandbox = false;
  bool quiet = false;
};

/// Exit codes: success if all candidates are right, verdict if one is not; else as `grade`.
ExitCode judge(JudgeRequest request, Output& out);

}  // namespace warpmark
