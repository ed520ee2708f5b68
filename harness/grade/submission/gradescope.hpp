// Gradescope's metadata of a submission, which it stores beside the submission.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/platform_id.hpp"

namespace warpmark {

/// One student of a group that handed in together.
struct Submitter {
  std::string name;             ///< "" if unknown
  std::vector<PlatformId> ids;  ///< numbers, e-mail
  /// The due time of this student alone, an extension, in seconds since 1970, UTC.
  std::optional<int64_t> due;
  bool known() const { return !name.empty() || !ids.empty(); }
};

struct GradescopeSubmission {
  std::vector<Submitter> submitters;
  std::optional<int64_t> created_at;  ///< seconds since 1970, UTC
};

/// Reads submission_metadata.json, which is beside the folder `submission` where an autograder
/// runs. Missing fields are left out; throws a usage error for a file that is not JSON.
GradescopeSubmission read_gradescope_metadata(const std::filesystem::path& file);

/// Reads submission_metadata.yml of an export; the keys are names of folders. Throws a usage error
/// with line and column for a file that is not YAML.
std::map<std::string, GradescopeSubmission> read_gradescope_export(
    const std::filesystem::path& file);

}  // namespace warpmark
