// C++ standard headers for kernels: libcu++'s, which toolkits bring, under their own names.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpmark {

/// Names and texts: <type_traits> includes <cuda/std/type_traits> and finds its names in std. Where
/// a toolkit lacks one, an #error says what to write instead.
const std::vector<std::pair<std::string, std::string>>& std_shims();

}  // namespace warpmark
