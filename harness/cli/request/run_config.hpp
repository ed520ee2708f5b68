// A run configuration: a YAML file that says what `warpmark run` does.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/request/job_request.hpp"

namespace warpmark {

/// One thing to do. Every kind of job has a section of its name in the file, which holds one job or
/// a list of them.
struct RunJob {
  std::string name;  ///< unique in the file; that of the section if it has one unnamed job
  Position where;
  JobRequest request;
};

/// Its paths are relative to the file and absolute here.
struct RunConfig {
  std::string about;
  std::vector<RunJob> jobs;  ///< in the file's order, one or more
};

/// Throws a usage error with file, line and column, by the same rules as suites.
RunConfig load_run_config(const std::filesystem::path& file);
/// The same from a text; `file` names it, and its folder is where paths start.
RunConfig parse_run_config(const std::string& text, const std::filesystem::path& file);

/// schema/run.json.
nlohmann::ordered_json run_config_schema();

}  // namespace warpmark
