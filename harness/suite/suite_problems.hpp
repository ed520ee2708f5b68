// Every mistake of a suite file that can be distinguished from the others.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// The usage errors of a file, at most one for each of its top-level keys, in the order in which
/// they are read; empty for a file that load_suite loads. What spans several keys is only looked at
/// where each key by itself is good: a name that an axis with a mistake would have had is no
/// further mistake. Throws an Error if the file cannot be read.
std::vector<Error> suite_problems(const std::filesystem::path& file);

}  // namespace warpmark
