// Drafts an assignment over suites: template, solution, and wrong solutions that are tried.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "cli/program/output.hpp"

namespace warpmark {

/// Writes the new folder, whose last part names the assignment, from the suites' files, and prints
/// its files and what needs the author's hand. Throws a usage error for a name that does not fit and
/// suites that cannot be graded; nothing is left behind then.
ExitCode draft_assignment(const std::filesystem::path& folder,
                          const std::vector<std::filesystem::path>& suites, Output& out);

}  // namespace warpmark
