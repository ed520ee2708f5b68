// Descriptions of wrong outputs.
#pragma once

#include <cstddef>
#include <string>

#include "python/array.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// "a[3]", "a[0, 2]"; a single value is "a".
std::string element_name(const std::string& name, const Shape& shape, size_t index);

/// The number of wrong elements of an output that has some, and the first of them, in one line;
/// then a line each for elements written in part, the next wrong elements, and the worst.
std::string describe(const OutputVerdict& output);

}  // namespace warpmark
