// The files that a suite is made of.
#pragma once

#include <string>
#include <vector>

#include "suite/suite.hpp"

namespace warpmark {

/// Absolute paths, each once, the suite's own first: kernels, the files linked with them, headers,
/// Python files, plugins. What must be watched so that what was made of the suite stays true. The
/// toolkit's headers are left out, as NVRTC's version stands for them. Plugins are not asked.
std::vector<std::string> suite_inputs(const Suite& suite);

}  // namespace warpmark
