// The run behind `warpmark lint`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/lint/linter.hpp"
#include "cli/program/output.hpp"
#include "cli/request/problem_formats.hpp"

namespace warpmark {

struct LintRequest {
  std::vector<std::filesystem::path> paths;
  LintOptions options;
  bool mutate = false;
  uint64_t mutants = 0;  ///< most of a suite; 0: all
  uint64_t jobs = 0;     ///< processes that run mutants; 0: one for each processor
  bool json = false;
  ProblemFormats formats;
  std::vector<std::string> format_texts;
  std::string annotation_text;  ///< as it was given
};

/// Lints the suites and writes what it found. Throws a usage error for a request that cannot be
/// served, and the failure that kept suites from being checked, unless JSON says it.
ExitCode lint(LintRequest& request, Output& out);

}  // namespace warpmark
