// The reports that warpmark-cpu wrote as JSON lines (schema/report.json), as problems.
#pragma once

#include <filesystem>
#include <vector>

#include "report/problems/problem.hpp"

namespace warpmark {

/// The problems of a file, those of one place and kind once. Throws a usage error for a line that is
/// no report.
std::vector<Problem> read_device_reports(const std::filesystem::path& file);

}  // namespace warpmark
