// Checks suites, and again those whose files change.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "cli/program/output.hpp"

namespace warpmark {

/// Runs this process's own command line with `--once` for all suites below the paths, and with
/// `--touched=FILE` for those whose files have changed, until an interrupt. With `json` its own
/// messages go to the standard error.
ExitCode watch_suites(std::vector<std::filesystem::path> paths, bool json, Output& out);

}  // namespace warpmark
