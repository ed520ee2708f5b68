// A request to `warpmark grade`: a class, a stream or lint of the assignment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/grading/grade_exports.hpp"
#include "cli/grading/grade_part.hpp"
#include "cli/program/output.hpp"
#include "grade/class/grade_rules.hpp"

namespace warpmark {

struct GradeRequest {
  std::filesystem::path assignment;
  std::vector<std::filesystem::path> submissions;
  std::filesystem::path out;
  size_t jobs = 0;
  std::filesystem::path secret;
  int secret_fd = -1;
  std::string device = "auto";
  std::vector<std::string> devices = {};  ///< devices of `--device all`
  std::string student;
  bool is_class = false;
  std::filesystem::path roster;
  GradeRuleFiles rules;
  GradeExports exports;
  GradePartOptions part;
  bool no_sandbox = false;
  bool without_lint = false;
  bool regrade = false;
  std::filesystem::path expect;
  std::vector<std::string> only;
  bool speed_only = false;      ///< timed cases alone
  std::filesystem::path speed;  ///< results of such a run, to be joined
  bool lint = false;
  bool mutate = false;  ///< with lint
  bool stream = false;
  bool quiet = false;
};

/// Carries out a request. Throws usage and environment errors before anything is graded.
ExitCode grade(GradeRequest request, Output& out);

}  // namespace warpmark
