// Linting an assignment: `warpmark grade --lint`.
#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "cli/output.hpp"

namespace warpmark {

/// Prints the assignment's problems, then its points and its weakest margin. Runs its self-tests if
/// there is no problem before. ExitCode::usage if there is any. Throws what load_assignment and
/// sessions throw.
ExitCode lint_assignment_file(const std::filesystem::path& file, const std::string& device,
                              bool without_walls, Output& out);

}  // namespace warpmark
