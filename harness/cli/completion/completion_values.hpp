// The values that completion offers: files, case ids, axes, devices, jobs.
#pragma once

#include <string>
#include <vector>

#include "cli/completion/completion.hpp"

namespace warpmark {

/// For CompletionSources: whatever goes wrong (no suites, a broken one) only means no values.
std::vector<std::string> completion_values(const std::string& argument, const CursorLine& line);

}  // namespace warpmark
