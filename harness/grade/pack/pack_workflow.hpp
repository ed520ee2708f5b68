// The workflow of a repository that students get on GitHub.
#pragma once

#include <string>
#include <vector>

namespace warpmark {

inline constexpr const char* kWorkflowPlace = ".github/workflows/grade.yml";

/// Tries the files on the visible cases, on each push; failures become annotations.
std::string workflow_text(const std::vector<std::string>& files, const std::string& version);

}  // namespace warpmark
