// A run configuration: a YAML file that says what `warpmark run` does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/check_request.hpp"

namespace warpmark {

/// One key for each job; its paths are relative to the file and absolute here.
struct RunConfig {
  std::string about;
  std::optional<CheckRequest> check;
};

/// Throws a usage error with file, line and column, by the same rules as suites.
RunConfig load_run_config(const std::filesystem::path& file);
/// The same from a text; `file` names it, and its folder is where paths start.
RunConfig parse_run_config(const std::string& text, const std::filesystem::path& file);

}  // namespace warpmark
