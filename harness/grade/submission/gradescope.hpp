// What Gradescope says of a submission, beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/platform_id.hpp"

namespace warpmark {

/// One of those who handed in together.
struct Submitter {
  std::string name;             ///< "" if it is not said
  std::vector<PlatformId> ids;  ///< numbers, e-mail
  bool known() const { return !name.empty() || !ids.empty(); }
};

struct GradescopeSubmission {
  std::vector<Submitter> submitters;
  std::optional<int64_t> created_at;  ///< seconds since 1970, UTC
};

/// Of submission_metadata.json, which lies beside the folder `submission` where an autograder runs.
/// Fields that are missing are left out; throws a usage error for what is no JSON.
GradescopeSubmission read_gradescope_metadata(const std::filesystem::path& file);

/// Of submission_metadata.yml in an export: by the name of a folder. Throws a usage error with line
/// and column for what is no YAML.
std::map<std::string, GradescopeSubmission> read_gradescope_export(
    const std::filesystem::path& file);

}  // namespace warpmark
