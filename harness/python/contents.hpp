// Arrays with a pattern of contents (contents.py) in place of a suite's values.
#pragma once

#include <string>

#include "python/array.hpp"
#include "python/expression.hpp"
#include "python/generator.hpp"

namespace warpmark {

/// The array of the pattern of that name (suite/contents.hpp), of a shape and a type other than a
/// struct, nor an integer for one that is `real_only`. `key` seeds its random numbers. Throws errors
/// at the place of `expression`, in whose value's place it stands.
Array contents_of(Interpreter& python, const std::string& pattern, bool real_only,
                  const Shape& shape, const DType& dtype, const GeneratorKey& key,
                  const PythonExpression& expression);

}  // namespace warpmark
